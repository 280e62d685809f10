import type { FileNote } from "../layouts/found-team.ts"
import { Problem } from "./file-schema.ts"
import type { Folder } from "./folder.ts"

/** A Problem becomes a note, and the file is left out. */
export function orSkip<Result>(notes: FileNote[], file: string, read: () => Result): Result | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    notes.push({ file, what: error.message })
    return undefined
  }
}

export function readBytes(folder: Folder, path: string): Uint8Array {
  try {
    return folder.read(path)
  } catch (error) {
    const code = error instanceof Error && "code" in error ? ` (${error.code})` : ""
    throw new Problem(`cannot be read${code}`)
  }
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

export function decodeText(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes)
  } catch {
    throw new Problem("is not UTF-8 text")
  }
}

export function parseJson(bytes: Uint8Array): unknown {
  const text = decodeText(bytes)
  try {
    return JSON.parse(text)
  } catch {
    throw new Problem("is not valid JSON")
  }
}

const MAX_NAMED = 20
const NEWLINE = 10

/** Names and leaves out lines that cannot be used. */
export function readLines(folder: Folder, file: string, skipped: FileNote[], take: (line: unknown) => void): void {
  const bytes = orSkip(skipped, file, () => readBytes(folder, file))
  if (bytes === undefined) return
  const bad: FileNote[] = []
  for (let start = 0, number = 1; start < bytes.length; number++) {
    const newline = bytes.indexOf(NEWLINE, start)
    const end = newline === -1 ? bytes.length : newline
    const line = bytes.subarray(start, end)
    start = end + 1
    if (line.length === 0) continue
    const notes: FileNote[] = []
    // Decode line by line: a line that was cut inside a character must not spoil the others.
    orSkip(notes, file, () => take(parseJson(line)))
    const place = `line ${number}${newline === -1 ? ", which is cut off" : ""}`
    for (const { what } of notes) bad.push({ file, what: `${place}: ${what}` })
  }
  skipped.push(...bad.slice(0, MAX_NAMED))
  const more = bad.length - MAX_NAMED
  if (more > 0) skipped.push({ file, what: `${more} more lines cannot be used either` })
}
