/** Something that hands out work from PostgreSQL, with 8 connections and 8 workers in this process. */
export interface Queue extends AsyncDisposable {
  fill(jobs: number): Promise<void>
  /** Takes and finishes jobs for about `durationMs`. */
  work(durationMs: number): Promise<Work>
}

export interface Work {
  readonly jobs: number
  readonly ms: number
}

export const WORKERS = 8

/** `WORKERS` loops at once, each doing one thing after the other; `once` says how many jobs it did. */
export async function workInLoops(durationMs: number, once: (worker: string) => Promise<number>): Promise<Work> {
  const start = performance.now()
  let jobs = 0
  const loop = async (_: unknown, index: number) => {
    while (performance.now() - start < durationMs) {
      const done = await once(`w${index + 1}`)
      jobs += done // not in the line above: what the others added meanwhile would be lost
    }
  }
  await Promise.all(Array.from({ length: WORKERS }, loop))
  return { jobs, ms: performance.now() - start }
}
