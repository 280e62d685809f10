/** A signal that fires with the first of several, until it is disposed of. */
export interface FirstSignal extends Disposable {
  readonly signal: AbortSignal
}

/**
 * Instead of `AbortSignal.any`, where listeners may stay: the runtime keeps one of those for ever, with all that its
 * listeners know of, as long as one of them knows a source.
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
