import { type Dirent, readdirSync, rmdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { runsFolder } from "../agents/jobs/record-run.ts"
import type { Removal } from "../agents/jobs/remove-old-jobs.ts"

export interface RemovedRuns {
  readonly count: number
  readonly bytes: number
}

const DAY_MS = 86_400_000

/** By the age of the last change; 0 keeps all. */
export function removeOldRuns({ home, maxAgeDays, dryRun }: Removal, now: number): RemovedRuns {
  let [count, bytes] = [0, 0]
  if (maxAgeDays === 0) return { count, bytes }
  for (const project of foldersIn(runsFolder(home))) {
    for (const team of foldersIn(project)) {
      for (const run of foldersIn(team)) {
        const files = entriesIn(run, true).filter((entry) => entry.isFile())
        const stats = files.map(({ parentPath, name }) => statSync(join(parentPath, name), { throwIfNoEntry: false }))
        // Another process may remove it at the same time.
        const since = statSync(run, { throwIfNoEntry: false })?.mtimeMs
        if (since === undefined) continue
        const newest = Math.max(since, ...stats.map((each) => each?.mtimeMs ?? 0))
        if (newest > now - maxAgeDays * DAY_MS) continue
        count++
        bytes += stats.reduce((sum, each) => sum + (each?.size ?? 0), 0)
        if (!dryRun) rmSync(run, { recursive: true, force: true })
      }
      if (!dryRun) removeIfEmpty(team)
    }
    if (!dryRun) removeIfEmpty(project)
  }
  return { count, bytes }
}

function foldersIn(folder: string): string[] {
  return entriesIn(folder, false)
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(folder, entry.name))
}

function entriesIn(folder: string, recursive: boolean): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive })
  } catch {
    return [] // there is none
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Not empty.
  }
}
