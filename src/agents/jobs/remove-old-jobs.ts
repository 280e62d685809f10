import { type Dirent, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { listJobFolders, removeAway, takeAway } from "./job-folder.ts"
import { type Machine, settleJob } from "./job-state.ts"

export interface Removal {
  readonly home: string
  /** 0 keeps everything. */
  readonly maxAgeDays: number
  readonly dryRun: boolean
}

export interface RemovedJob {
  readonly jobId: string
  readonly agent: string
  readonly finishedAt: string
  readonly bytes: number
}

const DAY_MS = 86_400_000

/** With their recordings. */
export async function removeOldJobs(
  { home, maxAgeDays, dryRun }: Removal,
  machine: Machine,
): Promise<readonly RemovedJob[]> {
  if (maxAgeDays === 0) return []
  const limit = machine.clock.now() - maxAgeDays * DAY_MS
  const removed: RemovedJob[] = []
  for (const folder of listJobFolders(home)) {
    const finishedAt = (await settleJob(folder, machine))?.finishedAt
    if (finishedAt === undefined || Date.parse(finishedAt) > limit) continue
    const path = dryRun ? folder.path : takeAway(folder)
    if (path === undefined) continue
    removed.push({ jobId: folder.job.jobId, agent: folder.job.agent, bytes: sizeOf(path), finishedAt })
  }
  if (!dryRun) removeAway(home)
  return removed
}

/** Another process may remove it meanwhile. */
function sizeOf(folder: string): number {
  const files = filesIn(folder).filter((entry) => entry.isFile())
  return files.reduce(
    (sum, { parentPath, name }) => sum + (statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
}

function filesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive: true })
  } catch {
    return []
  }
}
