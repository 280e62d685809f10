import { closeSync, fstatSync, openSync, readSync } from "node:fs"
import { join } from "node:path"
import type { Clock } from "../../lib/clock.ts"
import { endMarked } from "../../lib/process/end-marked.ts"
import { isRunning } from "../../lib/process/process-identity.ts"
import { firstLine } from "../../lib/text/last-lines.ts"
import { makeMask } from "../../lib/text/mask-secrets.ts"
import type { Finding } from "../../teams/operations/examine-team.ts"
import type { Reason, Usage } from "../port.ts"
import { NO_USAGE } from "../usage.ts"
import {
  isCancelled,
  type JobFolder,
  type JobResult,
  LOG,
  listJobFolders,
  readProcess,
  readResult,
  writeResult,
} from "./job-folder.ts"
import { RECORDING_FILES } from "./record-run.ts"

export interface JobState {
  readonly jobId: string
  readonly agent: string
  readonly status: "running" | "completed" | "failed"
  /** The end of the answer so far, with the reason when it failed. */
  readonly output: string
  readonly isOutputCut: boolean
  /** Null while it runs. */
  readonly reason: Reason | null
  readonly usage: Usage | null
  readonly createdAt: string
  readonly finishedAt: string | null
  readonly folder: string
}

export interface Machine {
  readonly clock: Clock
  readonly env: Readonly<Record<string, string | undefined>>
}

const MAX_OUTPUT = 32_000
/** From the creation of its folder until its process writes something. */
const MAX_START_MS = 60_000

export async function readJobState(folder: JobFolder, machine: Machine): Promise<JobState> {
  const { job, path } = folder
  const result = await settleJob(folder, machine)
  const output = result === undefined ? readEnd(join(path, RECORDING_FILES.output)) : wordsOf(result)
  return {
    jobId: job.jobId,
    agent: job.agent,
    status: result === undefined ? "running" : result.reason === "done" ? "completed" : "failed",
    output: output.slice(-MAX_OUTPUT),
    isOutputCut: output.length > MAX_OUTPUT,
    reason: result?.reason ?? null,
    usage: result?.usage ?? null,
    createdAt: job.createdAt,
    finishedAt: result?.finishedAt ?? null,
    folder: path,
  }
}

/** Undefined while the job runs. A job whose process died gets a result, and its processes end. */
export async function settleJob(folder: JobFolder, machine: Machine): Promise<JobResult | undefined> {
  if (readResult(folder) !== undefined || !isDead(folder, machine)) return readResult(folder)
  // The agent and all its processes have the job's mark.
  await endMarked(`${markOf(folder.job.jobId)}=1`, machine.env)
  const result = resultOfDead(folder, machine)
  writeResult(folder, result)
  return readResult(folder) ?? result
}

/** Finds jobs whose process died, so that their agents may still run. */
export async function checkJobs(home: string, fix: boolean, machine: Machine): Promise<Finding[]> {
  const dead = listJobFolders(home).filter((folder) => isDead(folder, machine))
  if (dead.length === 0) return []
  if (fix) for (const folder of dead) await settleJob(folder, machine)
  const detail = `died without a result: ${dead.map(({ job }) => job.jobId).join(", ")}`
  return [{ check: "jobs", status: "warning", detail, fixed: fix }]
}

function isDead(folder: JobFolder, { clock }: Machine): boolean {
  const identity = readProcess(folder)
  const isGone =
    identity === undefined ? clock.now() - Date.parse(folder.job.createdAt) > MAX_START_MS : !isRunning(identity)
  // It may just have ended well.
  return isGone && readResult(folder) === undefined
}

export function markOf(jobId: string): string {
  return `TEAMWORK_JOB_${jobId.replaceAll(/\W/g, "")}`
}

function resultOfDead(folder: JobFolder, { clock, env }: Machine): JobResult {
  const lastLine =
    makeMask(env)(readEnd(join(folder.path, LOG)))
      .split("\n")
      .at(-1) ?? ""
  const ended = `the job's process ended without a result${lastLine === "" ? "" : `: ${lastLine}`}`
  const error = readProcess(folder) === undefined ? "the job was never started" : ended
  return {
    ...EMPTY_RESULT,
    ...(isCancelled(folder) ? { reason: "cancelled", error: "cancelled" } : { reason: "crashed", error }),
    answer: readEnd(join(folder.path, RECORDING_FILES.output)).slice(-MAX_OUTPUT),
    durationMs: Math.max(0, clock.now() - Date.parse(folder.job.createdAt)),
    finishedAt: new Date(clock.now()).toISOString(),
  }
}

export const EMPTY_RESULT = {
  retryAt: null,
  answer: "",
  structured: null,
  session: null,
  usage: NO_USAGE,
  exitCode: null,
  signal: null,
  filesTouched: [],
} as const

function wordsOf({ answer, reason, error }: JobResult): string {
  if (reason === "done") return answer
  return [answer.trimEnd(), `${reason}: ${firstLine(error)}`].filter((part) => part !== "").join("\n")
}

/** A little more than is shown, to detect a cut. */
function readEnd(file: string): string {
  let handle: number
  try {
    handle = openSync(file, "r")
  } catch {
    return ""
  }
  try {
    const { size } = fstatSync(handle)
    const block = Buffer.alloc(Math.min(size, 4 * (MAX_OUTPUT + 1)))
    const read = readSync(handle, block, 0, block.length, size - block.length)
    return block.toString("utf8", 0, read).trimEnd()
  } finally {
    closeSync(handle)
  }
}
