import type { Finding } from "../../teams/operations/examine-team.ts"
import { listJobFolders } from "./job-folder.ts"
import { isDead, type Machine, settleJob } from "./job-state.ts"

/** Jobs whose process died, so that their agents may run on with nobody who looks after them. */
export async function checkJobs(home: string, fix: boolean, machine: Machine): Promise<Finding[]> {
  const dead = listJobFolders(home).filter((folder) => isDead(folder, machine))
  if (dead.length === 0) return []
  if (fix) for (const folder of dead) await settleJob(folder, machine)
  const detail = `died without a result: ${dead.map(({ job }) => job.jobId).join(", ")}`
  return [{ check: "jobs", status: "warning", detail, fixed: fix }]
}
