import { isRunning } from "../../lib/process/process-identity.ts"
import { sleep } from "../../lib/sleep.ts"
import { askToCancel, type JobFolder, readProcess, readResult } from "./job-folder.ts"
import { type JobState, type Machine, readJobState, settleJob } from "./job-state.ts"

const POLL_MS = 50
const MAX_CANCEL_MS = 15_000

/** Returns when the job has ended. */
export async function cancelJob(folder: JobFolder, machine: Machine): Promise<JobState> {
  if ((await settleJob(folder, machine)) !== undefined) return readJobState(folder, machine)
  const isFirst = askToCancel(folder)
  // A process that starts later sees the cancellation.
  const identity = readProcess(folder)
  // A second signal would end it at once.
  if (isFirst && identity !== undefined && isRunning(identity)) signal(identity.pid, "SIGTERM")
  const deadline = performance.now() + MAX_CANCEL_MS
  while ((await settleJob(folder, machine)) === undefined) {
    const now = readProcess(folder)
    if (performance.now() > deadline && now !== undefined && isRunning(now)) signal(now.pid, "SIGKILL")
    await sleep(POLL_MS)
  }
  return readJobState(folder, machine)
}

/** When `signal` fires, the job goes on. */
export async function waitForJob(folder: JobFolder, machine: Machine, signal?: AbortSignal): Promise<JobState> {
  const hasEnded = async () => readResult(folder) !== undefined || (await settleJob(folder, machine)) !== undefined
  while (signal?.aborted !== true && !(await hasEnded())) await sleep(POLL_MS, signal)
  return readJobState(folder, machine)
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // it has ended
  }
}
