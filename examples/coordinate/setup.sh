#!/bin/sh
# Makes a repository for the example: sh setup.sh FOLDER
set -eu
folder=${1:?"usage: sh setup.sh FOLDER"}
if [ -e "$folder" ] && [ -n "$(ls -A -- "$folder")" ]; then
  echo "$folder is not empty; name a new folder" >&2
  exit 1
fi
here=$(cd -- "$(dirname -- "$0")" && pwd)
mkdir -p -- "$folder"
cp -- "$here/words.txt" "$folder"
cd -- "$folder"
git init --quiet --initial-branch=main
git config user.name >/dev/null || git config user.name "Words"
git config user.email >/dev/null || git config user.email "words@example.invalid"
git add --all
git commit --quiet --message "Start"
echo "Made a repository in $folder"
