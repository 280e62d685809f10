import { readSync } from "node:fs"

let text: string | undefined

/** All of standard input, whoever asks and however often. At once: a hook has nothing else to do, and threads take longer. */
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
      const code = error instanceof Error && "code" in error ? error.code : undefined
      if (code === "EOF") return 0
      if (code !== "EAGAIN") throw error
      // Whoever holds the other end made it one that does not wait.
      Bun.sleepSync(1)
    }
  }
}
