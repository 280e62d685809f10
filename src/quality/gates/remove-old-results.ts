import { readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { isAbandoned, RUNNING } from "./result-store.ts"

export interface RemovedResults {
  readonly count: number
  readonly bytes: number
}

const DAY_MS = 86_400_000

/** 0 keeps all. A result in progress stays. */
export function removeOldResults(
  home: string,
  limits: { readonly maxAgeDays: number; readonly now: number; readonly dryRun: boolean },
): RemovedResults {
  const root = join(home, "gates")
  let [count, bytes] = [0, 0]
  if (limits.maxAgeDays === 0) return { count, bytes }
  for (const name of namesIn(root)) {
    const folder = join(root, name)
    const files = namesIn(folder).map((file) => statSync(join(folder, file), { throwIfNoEntry: false }))
    const newest = Math.max(0, ...files.map((stats) => stats?.mtimeMs ?? 0))
    if (newest > limits.now - limits.maxAgeDays * DAY_MS) continue
    if (namesIn(folder).includes(RUNNING) && !isAbandoned(join(folder, RUNNING))) continue
    count++
    bytes += files.reduce((sum, stats) => sum + (stats?.size ?? 0), 0)
    if (!limits.dryRun) rmSync(folder, { recursive: true, force: true })
  }
  return { count, bytes }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
