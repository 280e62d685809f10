/** To ask for it costs about 10 ms. */
const PAUSE_MS = 1000

/**
 * Gives back what nothing refers to any more, at most once a second. Left to itself the engine lets a process grow by half
 * before it looks, since the machine has memory enough; a process that stays for hours should not.
 */
export function makeMemoryReturn(now: () => number, collect: () => void = () => Bun.gc(true)): () => void {
  let doneAt = Number.NEGATIVE_INFINITY
  return () => {
    if (now() - doneAt < PAUSE_MS) return
    collect()
    doneAt = now()
  }
}
