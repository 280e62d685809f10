import { isRunning } from "../../lib/process/process-identity.ts"
import { sleep } from "../../lib/sleep.ts"
import { askToCancel, type JobFolder, readProcess, readResult } from "./job-folder.ts"
import { type JobState, type Machine, readJobState, settleJob } from "./job-state.ts"

const POLL_MS = 50
/** An agent gets some seconds to end by itself before its tree is ended. */
const MAX_CANCEL_MS = 15_000

/** Asks the job to end, and does not return before it has. */
export async function cancelJob(folder: JobFolder, machine: Machine): Promise<JobState> {
  if ((await settleJob(folder, machine)) !== undefined) return readJobState(folder, machine)
  const isFirst = askToCancel(folder)
  // Looked up only now: a process that begins later sees for itself that it was cancelled.
  const identity = readProcess(folder)
  // It takes a second request for impatience and ends at once.
  if (isFirst && identity !== undefined && isRunning(identity)) signal(identity.pid, "SIGTERM")
  const deadline = performance.now() + MAX_CANCEL_MS
  while ((await settleJob(folder, machine)) === undefined) {
    const now = readProcess(folder)
    if (performance.now() > deadline && now !== undefined && isRunning(now)) signal(now.pid, "SIGKILL")
    await sleep(POLL_MS)
  }
  return readJobState(folder, machine)
}

/** Waits for the end of a job, or until nobody wants to know it any more; the job goes on then. */
export async function waitForJob(folder: JobFolder, machine: Machine, signal?: AbortSignal): Promise<JobState> {
  const hasEnded = async () => readResult(folder) !== undefined || (await settleJob(folder, machine)) !== undefined
  while (signal?.aborted !== true && !(await hasEnded())) await sleep(POLL_MS, signal)
  return readJobState(folder, machine)
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended meanwhile.
  }
}
