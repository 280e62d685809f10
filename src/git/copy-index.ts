import { copyFileSync, rmSync, statSync, utimesSync } from "node:fs"

export interface TemporaryIndex extends Disposable {
  readonly env: Record<string, string>
}

/** Removes what an interrupted call left, and the file itself when disposed. */
export function temporaryIndex(file: string): TemporaryIndex {
  const remove = () => {
    for (const each of [file, `${file}.lock`]) rmSync(each, { force: true })
  }
  remove()
  return { env: { GIT_INDEX_FILE: file }, [Symbol.dispose]: remove }
}

/**
 * Keeps the time of the index. Git assumes that a file with the same size and time is unchanged, unless the index
 * is as old as the file: a newer copy would hide changes made in the second of the last commit.
 */
export function copyIndex(from: string, to: string): void {
  copyFileSync(from, to)
  const seconds = Math.floor(statSync(from).mtimeMs / 1000)
  utimesSync(to, seconds, seconds)
}
