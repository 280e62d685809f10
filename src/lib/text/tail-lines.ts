import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs"

const BLOCK = 64 * 1024
/** Enough of the end to recognize a file whose beginning was cut off. */
const KNOWN_BYTES = 4096

/** Follows the lines of a file that grows, loses its beginning, or does not exist yet. */
export interface TailLines extends Disposable {
  /** Whole lines that came since the last call. */
  read(): string[]
  /** The text after the last whole line. */
  rest(): string
}

export function tailLines(file: string): TailLines {
  let handle: number | undefined
  let position = 0
  let known = Buffer.alloc(0)
  let rest = Buffer.alloc(0)
  const readOn = (): Buffer => {
    if (handle === undefined) return Buffer.alloc(0)
    const parts: Buffer[] = []
    for (;;) {
      const block = Buffer.alloc(BLOCK)
      const count = readSync(handle, block, 0, BLOCK, position)
      if (count === 0) break
      position += count
      parts.push(block.subarray(0, count))
    }
    const fresh = Buffer.concat(parts)
    known = Buffer.concat([known, fresh]).subarray(-KNOWN_BYTES)
    return fresh
  }
  /** A file that is cut is replaced by a new one, which has the end of the old one. */
  const reopen = (): Buffer => {
    const old = handle
    handle = openOrNothing(file)
    position = 0
    if (old !== undefined) closeSync(old)
    const last = known
    const all = readOn()
    const at = last.length === 0 ? -1 : all.lastIndexOf(last)
    return at === -1 ? all : all.subarray(at + last.length)
  }
  const isReplaced = () => {
    if (handle === undefined) return true
    const now = statSync(file, { throwIfNoEntry: false })
    const then = fstatSync(handle)
    return now !== undefined && (now.ino !== then.ino || now.size < position)
  }
  return {
    read() {
      const fresh = Buffer.concat([readOn(), isReplaced() ? reopen() : Buffer.alloc(0)])
      const all = Buffer.concat([rest, fresh])
      const end = all.lastIndexOf(10) + 1
      rest = all.subarray(end)
      return end === 0 ? [] : all.toString("utf8", 0, end - 1).split("\n")
    },
    rest: () => rest.toString("utf8"),
    [Symbol.dispose]() {
      if (handle !== undefined) closeSync(handle)
    },
  }
}

function openOrNothing(file: string): number | undefined {
  try {
    return openSync(file, "r")
  } catch {
    return undefined
  }
}
