export interface Line {
  readonly text: string
  /** The line was longer than the limit, and the rest was dropped. */
  readonly isCut: boolean
  /** Of a cut line: the end of the dropped part. */
  readonly end?: string
}

/** Enough for a word at the end of a long line. */
const END_BYTES = 4096

const NEWLINE = 10
const RETURN = 13

/** Splits chunks into lines. Keeps at most one line of `maxBytes` in memory. Invalid UTF-8 becomes replacement characters. */
export function splitLines(maxBytes: number) {
  let parts: Uint8Array[] = []
  let size = 0
  let isCut = false
  let end = Buffer.alloc(0)
  const keep = (part: Uint8Array) => {
    const room = maxBytes - size
    if (part.length > room) {
      isCut = true
      end = Buffer.concat([end, part.subarray(Math.max(room, part.length - END_BYTES))]).subarray(-END_BYTES)
    }
    const kept = part.length > room ? part.subarray(0, room) : part
    if (kept.length === 0) return
    parts.push(kept)
    size += kept.length
  }
  const take = (): Line => {
    const line = { text: decode(parts), isCut, ...(isCut ? { end: end.toString("utf8") } : {}) }
    parts = []
    end = Buffer.alloc(0)
    size = 0
    isCut = false
    return line
  }
  return {
    /** The lines that end in this chunk. The chunk may be reused afterwards. */
    *push(chunk: Uint8Array): Generator<Line, undefined> {
      let from = 0
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        keep(chunk.subarray(from, at))
        from = at + 1
        yield take()
      }
      // A copy: the reader may reuse the memory of the chunk.
      if (from < chunk.length) keep(chunk.slice(from))
      return undefined
    },
    /** What came after the last line break. */
    end(): Line | undefined {
      return size === 0 ? undefined : take()
    },
  }
}

function decode(parts: readonly Uint8Array[]): string {
  const only = parts.length === 1 ? parts[0] : undefined
  const bytes = only === undefined ? Buffer.concat(parts) : Buffer.from(only.buffer, only.byteOffset, only.length)
  return bytes.toString("utf8", 0, bytes.at(-1) === RETURN ? bytes.length - 1 : bytes.length)
}
