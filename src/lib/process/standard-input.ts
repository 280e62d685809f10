import { readSync } from "node:fs"
import { codeOf } from "../error-code.ts"

let text: string | undefined

/** All of standard input; further calls return the same text. Synchronous, because that is faster for a hook. */
export function standardInput(): string {
  text ??= readAll()
  return text
}

const CHUNK = 65_536

function readAll(): string {
  let bytes = Buffer.allocUnsafe(CHUNK)
  let length = 0
  for (;;) {
    const read = readSome(bytes, length)
    if (read === 0) return new TextDecoder().decode(bytes.subarray(0, length))
    length += read
    if (length === bytes.length) bytes = Buffer.concat([bytes], length * 2)
  }
}

function readSome(bytes: Buffer, at: number): number {
  for (;;) {
    try {
      return readSync(0, bytes, at, bytes.length - at, null)
    } catch (error) {
      const code = codeOf(error)
      if (code === "EOF") return 0
      if (code !== "EAGAIN") throw error
      // The other end made the pipe non-blocking.
      Bun.sleepSync(1)
    }
  }
}
