import { copyFileSync, statSync, utimesSync } from "node:fs"

/**
 * An index for a purpose of its own, with its time: git takes a file for unchanged when it has the same size and second,
 * unless the index is as old as the file. A younger copy would hide what was written in the second of the last commit.
 */
export function copyIndex(from: string, to: string): void {
  copyFileSync(from, to)
  const seconds = Math.floor(statSync(from).mtimeMs / 1000)
  utimesSync(to, seconds, seconds)
}
