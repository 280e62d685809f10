const TICK_MS = 5

/** Sets a timer again and again and keeps how late the latest one was. */
export function watchTimers(): Disposable & { largestLagMs(): number } {
  let due = performance.now() + TICK_MS
  let largest = 0
  const look = () => {
    const now = performance.now()
    largest = Math.max(largest, now - due)
    due = now + TICK_MS
    timer = setTimeout(look, TICK_MS)
  }
  let timer = setTimeout(look, TICK_MS)
  return { largestLagMs: () => Math.max(largest, performance.now() - due), [Symbol.dispose]: () => clearTimeout(timer) }
}
