import { copyFileSync, statSync, utimesSync } from "node:fs"

/**
 * Copies an index with its time. Git assumes that a file with the same size and time is unchanged, unless the index is as
 * old as the file. A newer copy would hide changes made in the second of the last commit.
 */
export function copyIndex(from: string, to: string): void {
  copyFileSync(from, to)
  const seconds = Math.floor(statSync(from).mtimeMs / 1000)
  utimesSync(to, seconds, seconds)
}
