import { closeSync, fstatSync, openSync, readSync } from "node:fs"
import { join } from "node:path"
import type { Clock } from "../../lib/clock.ts"
import { endMarked } from "../../lib/process/end-marked.ts"
import { isRunning } from "../../lib/process/process-identity.ts"
import { firstLine } from "../../lib/text/last-lines.ts"
import { makeMask } from "../../lib/text/mask-secrets.ts"
import type { Reason, Usage } from "../port.ts"
import { isCancelled, type JobFolder, type JobResult, LOG, readProcess, readResult, writeResult } from "./job-folder.ts"
import { RECORDING_FILES } from "./record-run.ts"

/** What somebody who asks for a job is told. */
export interface JobState {
  readonly jobId: string
  readonly agent: string
  readonly status: "running" | "completed" | "failed"
  /** The answer; of a running job what it said so far, of a failed one with the reason. The end of it, when it is long. */
  readonly output: string
  readonly isOutputCut: boolean
  /** Null while it runs. */
  readonly reason: Reason | null
  readonly usage: Usage | null
  readonly createdAt: string
  readonly finishedAt: string | null
  /** Where its files are. */
  readonly folder: string
}

export interface Machine {
  readonly clock: Clock
  readonly env: Readonly<Record<string, string | undefined>>
}

const MAX_OUTPUT = 32_000
/** Between the making of its folder and the first thing the job's process writes. */
const MAX_START_MS = 60_000

export async function readJobState(folder: JobFolder, machine: Machine): Promise<JobState> {
  const { job, path } = folder
  const result = await settleJob(folder, machine)
  const said = result === undefined ? readEnd(join(path, RECORDING_FILES.output)) : wordsOf(result)
  return {
    jobId: job.jobId,
    agent: job.agent,
    status: result === undefined ? "running" : result.reason === "done" ? "completed" : "failed",
    output: said.slice(-MAX_OUTPUT),
    isOutputCut: said.length > MAX_OUTPUT,
    reason: result?.reason ?? null,
    usage: result?.usage ?? null,
    createdAt: job.createdAt,
    finishedAt: result?.finishedAt ?? null,
    folder: path,
  }
}

/** The result of a job, or undefined while it runs. A job whose process died gets one, and nothing of it goes on. */
export async function settleJob(folder: JobFolder, machine: Machine): Promise<JobResult | undefined> {
  if (readResult(folder) !== undefined || !isDead(folder, machine)) return readResult(folder)
  // All that its agent left bears the job's mark, and so does what that started.
  await endMarked(`${markOf(folder.job.jobId)}=1`, machine.env)
  const result = resultOfDead(folder, machine)
  writeResult(folder, result)
  return readResult(folder) ?? result
}

export function isDead(folder: JobFolder, { clock }: Machine): boolean {
  const identity = readProcess(folder)
  const isGone =
    identity === undefined ? clock.now() - Date.parse(folder.job.createdAt) > MAX_START_MS : !isRunning(identity)
  // It may have ended well just now.
  return isGone && readResult(folder) === undefined
}

/** A variable in the environment of a job's agent, by which it is found again. */
export function markOf(jobId: string): string {
  return `TEAMWORK_JOB_${jobId.replaceAll(/\W/g, "")}`
}

function resultOfDead(folder: JobFolder, { clock, env }: Machine): JobResult {
  const lastWord =
    makeMask(env)(readEnd(join(folder.path, LOG)))
      .split("\n")
      .at(-1) ?? ""
  const ended = `the job's process ended without a result${lastWord === "" ? "" : `: ${lastWord}`}`
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
  usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0, dollars: null },
  exitCode: null,
  signal: null,
  filesTouched: [],
} as const

function wordsOf({ answer, reason, error }: JobResult): string {
  if (reason === "done") return answer
  return [answer.trimEnd(), `${reason}: ${firstLine(error)}`].filter((part) => part !== "").join("\n")
}

/** A little more than is shown, so that it can be told whether something is missing. */
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
