import { sleep } from "../sleep.ts"

/** How long processes that a command left running may print after its end. */
export const GRACE_FOR_LEFTOVERS_MS = 500
/** How long to read on while a leftover process keeps printing; far more than a full pipe takes. */
const MAX_READING_ON_MS = 10_000

export interface Source {
  readonly stream: ReadableStream<Uint8Array>
  /** While its promise is pending nothing more is read, so the program has to wait too. Must not throw. */
  see(chunk: Uint8Array): void | Promise<void>
}

/** Reads the streams of a process side by side. */
export function readOutput(sources: readonly Source[]) {
  let seenAt = performance.now()
  let busy = 0
  let busyMs = 0
  let isOpen = true
  const readers = sources.map(({ stream, see }) => ({ reader: stream.getReader(), see }))
  const read = async ({ reader, see }: (typeof readers)[number]) => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const from = performance.now()
      busy++
      await see(part.value)
      busy--
      seenAt = performance.now()
      busyMs += seenAt - from
    }
  }
  const ended = Promise.all(readers.map(read)).then(() => {
    isOpen = false
  })
  return {
    ended,
    /** Reads what is left in the pipes until nothing comes for a while. The time that `see` takes does not count. */
    async readOn() {
      const from = performance.now()
      busyMs = 0
      for (let now = from; isOpen && now - from - busyMs < MAX_READING_ON_MS; now = performance.now()) {
        const left = Math.max(from, seenAt) + GRACE_FOR_LEFTOVERS_MS - now
        if (left <= 0 && busy === 0) break
        await Promise.race([ended, sleep(Math.max(left, 10))])
      }
      await Promise.all(readers.map(({ reader }) => reader.cancel()))
      await ended
    },
  }
}
