import type { FSWatcher } from "node:fs"
import { sleep } from "../../lib/sleep.ts"

// Polling often enough costs more than the 0.2 % of a core that waiting may cost; watching SQLite's log file costs
// nothing. Where the file cannot be watched (too many watches, an unusual file system), we poll.
const LOOK_EVERY_MS = 80
const LOOK_ANYWAY_EVERY_MS = 5000
// A commit whose log was written before the watch began becomes visible only after the disk has finished.
const LOOKS_AT_START_MS = [4, 40, 400]

/**
 * Waits for a write to the file. True after a write; false after `ms` at the latest, when aborted, or when `isBehind`
 * says that a write was missed.
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
    // Later writes wake us; earlier ones show in a look, now or soon.
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
    // There is no log yet, or it cannot be watched.
    return undefined
  }
}
