import type { Machine } from "../agents/jobs/job-state.ts"
import { type Removal, type RemovedJob, removeOldJobs } from "../agents/jobs/remove-old-jobs.ts"
import { removeOldSetups } from "../checkouts/effects/setup-cache.ts"
import { type RemovedResults, removeOldResults } from "../quality/gates/remove-old-results.ts"
import { type RemovedLogs, removeOldLogs } from "./remove-old-logs.ts"
import { type RemovedRuns, removeOldRuns } from "./remove-old-runs.ts"

export async function removeOld(
  { setupMegabytes, ...removal }: Removal & { readonly setupMegabytes: number },
  machine: Machine,
): Promise<{
  readonly jobs: readonly RemovedJob[]
  readonly runs: RemovedRuns
  readonly logs: RemovedLogs
  readonly gateResults: RemovedResults
  readonly setups: RemovedLogs
}> {
  const now = machine.clock.now()
  return {
    jobs: await removeOldJobs(removal, machine),
    runs: removeOldRuns(removal, now),
    logs: removeOldLogs(removal, now),
    gateResults: removeOldResults(removal.home, { ...removal, now }),
    setups: removeOldSetups(removal.home, { ...removal, maxMegabytes: setupMegabytes, now }),
  }
}
