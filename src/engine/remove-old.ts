import { type RemovedResults, removeOldResults } from "../gates/remove-old-results.ts"
import type { Machine } from "./agent-jobs/job-state.ts"
import { type Removal, type RemovedJob, removeOldJobs } from "./agent-jobs/remove-old-jobs.ts"

/** Removes what was kept of jobs and gates for long enough. */
export async function removeOld(
  removal: Removal,
  machine: Machine,
): Promise<{ readonly jobs: readonly RemovedJob[]; readonly gateResults: RemovedResults }> {
  const gateResults = removeOldResults(removal.home, { ...removal, now: machine.clock.now() })
  return { jobs: await removeOldJobs(removal, machine), gateResults }
}
