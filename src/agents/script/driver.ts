/** Begins a line of our own inside the output of commands; no text file holds it. */
export const MARK = "\u001eteamwork "

/** Runs its arguments one after the other, tells when each begins and how it ended, and stops at the first failure. */
export const DRIVER = String.raw`exec 2>&1
n=0
for command in "$@"; do
  printf '\036teamwork start %d\n' "$n"
  "$0" -c "$command"
  code=$?
  printf '\036teamwork end %d %d\n' "$n" "$code"
  [ "$code" -eq 0 ] || exit "$code"
  n=$((n + 1))
done`
