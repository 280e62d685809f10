import type { FSWatcher } from "node:fs"
import { sleep } from "../../lib/sleep.ts"

// A timer that looks often enough costs more than the 0.2 % of a core that waiting may cost; the system telling of a
// write to SQLite's log costs nothing. Where it cannot tell (too many watches, an unusual file system), we look.
const LOOK_EVERY_MS = 80
const LOOK_ANYWAY_EVERY_MS = 5000

/**
 * Waits for a write to the file: true when there was one; false after `ms` at the latest, when aborted, or when
 * `isBehind` says at the start that one was missed.
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
    // What is written from here on wakes us; what was written before shows in a look now.
    if (isAborted() || isBehind()) return false
    await sleep(Math.min(ms, watcher === undefined ? LOOK_EVERY_MS : LOOK_ANYWAY_EVERY_MS), woken.signal)
    return woken.signal.aborted && !isAborted()
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
