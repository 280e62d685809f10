import { readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import type { Removal } from "../agents/jobs/remove-old-jobs.ts"

export interface RemovedLogs {
  readonly count: number
  readonly bytes: number
}

const DAY_MS = 86_400_000

/** By the age of the last line; 0 keeps all. */
export function removeOldLogs({ home, maxAgeDays, dryRun }: Removal, now: number): RemovedLogs {
  const root = join(home, "logs")
  let [count, bytes] = [0, 0]
  for (const name of maxAgeDays === 0 ? [] : filesIn(root)) {
    const file = join(root, name)
    const stat = statSync(file, { throwIfNoEntry: false })
    if (stat === undefined || !stat.isFile() || stat.mtimeMs > now - maxAgeDays * DAY_MS) continue
    count++
    bytes += stat.size
    if (!dryRun) rmSync(file, { force: true })
  }
  return { count, bytes }
}

function filesIn(root: string): string[] {
  try {
    return readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".log"))
  } catch {
    return [] // there is none
  }
}
