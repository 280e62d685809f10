#!/bin/sh
# Makes a repository for an example: sh examples/setup.sh EXAMPLE FOLDER
set -eu
usage="usage: sh examples/setup.sh EXAMPLE FOLDER"
example=${1:?"$usage"}
folder=${2:?"$usage"}
if [ -e "$folder" ] && [ -n "$(ls -A -- "$folder")" ]; then
  echo "$folder is not empty; name a new folder" >&2
  exit 1
fi
start=$(cd -- "$(dirname -- "$0")" && pwd)/$example/start
if [ ! -d "$start" ]; then
  echo "there is no example $example with a start; see the folders beside this file" >&2
  exit 1
fi
mkdir -p -- "$folder"
cp -R -- "$start/." "$folder"
cd -- "$folder"
git init --quiet --initial-branch=main
git config user.name >/dev/null || git config user.name "Example"
git config user.email >/dev/null || git config user.email "example@example.invalid"
git add --all
git commit --quiet --message "Start"
echo "Made a repository in $folder"
