import type { FSWatcher } from "node:fs"
import { sleep } from "../../lib/sleep.ts"

// A timer that looks often enough costs more than the 0.2 % of a core that waiting may cost; the system telling of a
// write to SQLite's log costs nothing. Where it cannot tell (too many watches, an unusual file system), we look.
const LOOK_EVERY_MS = 80
const LOOK_ANYWAY_EVERY_MS = 5000
// A commit whose log was written before we listened can be seen only after the disk is done with it.
const LOOKS_AT_START_MS = [4, 40, 400]

/**
 * Waits for a write to the file: true when there was one; false after `ms` at the latest, when aborted, or when
 * `isBehind` says that one was missed.
 */
export async function untilWritten(
  file: string,
  { ms, signal, isBehind }: { ms: number; signal?: AbortSignal; isBehind: () => boolean },
): Promise<boolean> {
  const woken = new AbortController()
  const wake = () => woken.abort()
  const isAborted = () => signal?.aborted === true
  const watcher = listen(file, wake)
  signal?.addEventListener("abort", wake)
  try {
    // What is written from here on wakes us; what was written before shows in a look, now or soon.
    let left = Math.min(ms, watcher === undefined ? LOOK_EVERY_MS : LOOK_ANYWAY_EVERY_MS)
    for (const pause of [...LOOKS_AT_START_MS, left]) {
      if (isAborted() || isBehind() || left <= 0) return false
      await sleep(Math.min(pause, left), woken.signal)
      if (woken.signal.aborted) return !isAborted()
      left -= pause
    }
    return false
  } finally {
    signal?.removeEventListener("abort", wake)
    watcher?.close()
  }
}

function listen(file: string, wake: () => void): FSWatcher | undefined {
  try {
    const watcher = process.getBuiltinModule("node:fs").watch(file, wake)
    watcher.on("error", wake)
    return watcher
  } catch {
    // No log yet, or no way to watch it.
    return undefined
  }
}
