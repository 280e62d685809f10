import { readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { type JobFolder, listJobFolders } from "./job-folder.ts"
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

/** Removes jobs, with their recordings, that ended long ago. What still runs stays, however old. */
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
    removed.push({ ...describe(folder), finishedAt })
    if (!dryRun) rmSync(folder.path, { recursive: true, force: true })
  }
  return removed
}

function describe({ path, job }: JobFolder): Omit<RemovedJob, "finishedAt"> {
  return { jobId: job.jobId, agent: job.agent, bytes: sizeOf(path) }
}

function sizeOf(folder: string): number {
  const files = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile())
  return files.reduce(
    (sum, { parentPath, name }) => sum + (statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
}
