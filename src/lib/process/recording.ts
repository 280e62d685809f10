import { closeSync, fstatSync, openSync, readSync, renameSync, writeSync } from "node:fs"

/** A file of lines that grows to a limit and then loses its beginning. */
export interface Recording extends Disposable {
  /** `goesOn`: continues the open line. `isOpen`: leaves the line open for the next write. */
  write(line: string, how?: { readonly goesOn: boolean; readonly isOpen: boolean }): void
}

export interface RecordingLimit {
  readonly maxBytes: number
  /** The line that replaces the dropped part. */
  readonly mark: (bytes: number) => string
}

export function openRecording(file: string, { maxBytes, mark }: RecordingLimit): Recording {
  let handle = openSync(file, "a", 0o600)
  let size = fstatSync(handle).size
  let leftOut = 0
  let isLineOpen = false
  return {
    write(line, { goesOn, isOpen } = WHOLE) {
      const start = isLineOpen && !goesOn ? "\n" : ""
      isLineOpen = isOpen
      size += writeAll(handle, Buffer.from(`${start}${line}${isOpen ? "" : "\n"}`))
      if (size <= maxBytes) return
      // Drops half at once, so that a long run copies each byte about once.
      const from = findLineStart(file, size - Math.floor(maxBytes / 2), size)
      leftOut += from
      closeSync(handle)
      size = copyTail(file, from, `${mark(leftOut)}\n`)
      handle = openSync(file, "a", 0o600)
    },
    [Symbol.dispose]() {
      if (isLineOpen) writeAll(handle, Buffer.from("\n"))
      closeSync(handle)
    },
  }
}

const WHOLE = { goesOn: false, isOpen: false }
const BLOCK = 64 * 1024

/** The first line that begins after `at`. A single line that fills all the rest is cut in the middle. */
function findLineStart(file: string, at: number, size: number): number {
  const handle = openSync(file, "r")
  try {
    const block = Buffer.alloc(BLOCK)
    for (let place = at; place < size; ) {
      const read = readSync(handle, block, 0, BLOCK, place)
      if (read === 0) break
      const newline = block.subarray(0, read).indexOf(10)
      if (newline !== -1) return place + newline + 1 < size ? place + newline + 1 : at
      place += read
    }
    return at
  } finally {
    closeSync(handle)
  }
}

/** Written under another name first, so that readers find the old file or the new one. */
function copyTail(file: string, from: number, head: string): number {
  const draft = `${file}.tmp`
  const source = openSync(file, "r")
  const target = openSync(draft, "w", 0o600)
  let size = writeAll(target, Buffer.from(head))
  try {
    const block = Buffer.alloc(BLOCK)
    for (let place = from; ; ) {
      const read = readSync(source, block, 0, BLOCK, place)
      if (read === 0) break
      size += writeAll(target, block.subarray(0, read))
      place += read
    }
  } finally {
    closeSync(source)
    closeSync(target)
  }
  renameSync(draft, file)
  return size
}

function writeAll(handle: number, bytes: Buffer): number {
  for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at)
  return bytes.length
}
