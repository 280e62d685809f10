import { closeSync, fstatSync, openSync, readSync } from "node:fs"

const MAX_BYTES = 4096

/** The last line of a file that says something; null where there is none. */
export function readLastLine(file: string): string | null {
  let handle: number
  try {
    handle = openSync(file, "r")
  } catch {
    return null
  }
  try {
    const { size } = fstatSync(handle)
    const block = Buffer.alloc(Math.min(size, MAX_BYTES))
    const read = readSync(handle, block, 0, block.length, size - block.length)
    return block.toString("utf8", 0, read).trimEnd().split("\n").at(-1)?.trim() || null
  } finally {
    closeSync(handle)
  }
}
