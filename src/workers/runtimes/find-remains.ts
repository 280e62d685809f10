import { processesByMark } from "../../lib/process/process-tree.ts"

interface Marks {
  readonly markOf: (worker: string) => string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Processes that bear the marks of workers, in words. */
export function findRemains(workers: readonly string[], { markOf, env }: Marks): Map<string, string[]> {
  const marks = new Map(workers.map((worker) => [`${markOf(worker)}=1`, worker]))
  const found = new Map<string, string[]>()
  for (const [mark, pids] of processesByMark([...marks.keys()], env)) {
    found.set(
      marks.get(mark) ?? "",
      pids.map((pid) => `process ${pid}`),
    )
  }
  return found
}
