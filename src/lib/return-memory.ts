/** A collection takes about 10 ms. */
const PAUSE_MS = 1000

/**
 * Collects garbage at most once a second. By itself the runtime lets a process grow by half first, which is too much for
 * a process that runs for hours.
 */
export function makeMemoryReturn(now: () => number, collect: () => void = () => Bun.gc(true)): () => void {
  let doneAt = Number.NEGATIVE_INFINITY
  return () => {
    if (now() - doneAt < PAUSE_MS) return
    collect()
    doneAt = now()
  }
}
