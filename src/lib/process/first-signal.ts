/** Aborts with the first of several signals, until it is disposed of. */
export interface FirstSignal extends Disposable {
  readonly signal: AbortSignal
}

/**
 * Replaces `AbortSignal.any` for long-lived sources: the runtime keeps its result and listeners in memory as long as a
 * listener refers to a source.
 */
export function firstSignal(...sources: readonly AbortSignal[]): FirstSignal {
  const first = new AbortController()
  const release = () => {
    for (const source of sources) source.removeEventListener("abort", fire)
  }
  const fire = () => {
    release()
    first.abort(sources.find((source) => source.aborted)?.reason)
  }
  for (const source of sources) source.addEventListener("abort", fire)
  if (sources.some((source) => source.aborted)) fire()
  return { signal: first.signal, [Symbol.dispose]: release }
}
