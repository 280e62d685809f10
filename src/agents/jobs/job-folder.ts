import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import * as v from "valibot"
import { AppError } from "../../kernel/errors.ts"
import { isId, quoteInput } from "../../kernel/ids.ts"
import { codeOf } from "../../lib/error-code.ts"
import type { ProcessIdentity } from "../../lib/process/process-identity.ts"
import { MODEL_TIERS } from "../../planning/complexity/model-tier.ts"
import { EFFORTS } from "../../tasks/effort.ts"
import type { AgentResult } from "../port.ts"

export const JobRequest = v.object({
  jobId: v.string(),
  agent: v.string(),
  prompt: v.string(),
  workspace: v.string(),
  model: v.nullable(v.string()),
  tier: v.picklist(MODEL_TIERS),
  effort: v.nullable(v.picklist(EFFORTS)),
  permission: v.picklist(["edit", "full", "ask"]),
  timeMs: v.nullable(v.number()),
  createdAt: v.string(),
})
export type JobRequest = Readonly<v.InferOutput<typeof JobRequest>>

/** Earlier versions wrote fewer fields. */
const keptRequest = v.object({
  ...v.pick(JobRequest, ["jobId", "agent", "createdAt"]).entries,
  prompt: v.fallback(v.string(), ""),
})

export interface JobResult extends AgentResult {
  readonly finishedAt: string
}

/** We write the file in one step; only the fields that decide states are checked. */
const jobResult = v.custom<JobResult>((value) => v.is(v.object({ reason: v.string(), finishedAt: v.string() }), value))
const processIdentity = v.custom<ProcessIdentity>((value) => v.is(v.object({ pid: v.number() }), value))

/** On disk, for any process that asks. */
export interface JobFolder {
  readonly path: string
  readonly job: v.InferOutput<typeof keptRequest>
}

/** Of the job's own process. */
export const LOG = "log.txt"
const JOB = "job.json"
const PROCESS = "process.json"
const RESULT = "result.json"
const CANCEL = "cancel"

/** The prompt in the folder is masked; the agent gets the real one. */
export function makeJobFolder(home: string, job: JobRequest): JobFolder {
  const path = join(home, "jobs", job.jobId)
  mkdirSync(path, { recursive: true, mode: 0o700 })
  writeWhole(join(path, JOB), job)
  return { path, job }
}

export function findJobFolder(home: string, jobId: string): JobFolder {
  const path = join(home, "jobs", jobId)
  const job = isId(jobId) ? readJson(join(path, JOB), keptRequest) : undefined
  if (job === undefined)
    throw new AppError(
      "job.not_found",
      `job ${quoteInput(jobId)} does not exist`,
      { jobId },
      { remedy: { operation: "agent jobs", to: "see" } },
    )
  return { path, job }
}

/** Newest first. */
export function listJobFolders(home: string): JobFolder[] {
  const root = join(home, "jobs")
  return namesIn(root)
    .filter((name) => !name.startsWith(REMOVED))
    .flatMap((name) => {
      const job = readJson(join(root, name, JOB), keptRequest)
      return job === undefined ? [] : [{ path: join(root, name), job }]
    })
    .sort((a, b) => b.job.createdAt.localeCompare(a.job.createdAt))
}

/** No job name starts with it. */
const REMOVED = "."

/** Moves a job in one step, for `removeAway`, so that no process sees half of it. Undefined when it is gone. */
export function takeAway({ path }: JobFolder): string | undefined {
  const away = join(dirname(path), `${REMOVED}${basename(path)}`)
  try {
    renameSync(path, away)
    return away
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined
    throw error
  }
}

/** Also jobs that a killed process had moved. */
export function removeAway(home: string): void {
  const root = join(home, "jobs")
  for (const name of namesIn(root).filter((each) => each.startsWith(REMOVED)))
    rmSync(join(root, name), { recursive: true, force: true })
}

export function readProcess({ path }: JobFolder): ProcessIdentity | undefined {
  return readJson(join(path, PROCESS), processIdentity)
}

export function writeProcess({ path }: JobFolder, identity: ProcessIdentity): void {
  writeWhole(join(path, PROCESS), identity)
}

export function readResult({ path }: JobFolder): JobResult | undefined {
  return readJson(join(path, RESULT), jobResult)
}

/** The first result stays: the job and a process that considers it dead may both write one. Removed jobs need none. */
export function writeResult({ path }: JobFolder, result: JobResult): void {
  const draft = join(path, `${RESULT}.${process.pid}.tmp`)
  try {
    writeFileSync(draft, `${JSON.stringify(result, null, 2)}\n`, { mode: 0o600 })
    linkSync(draft, join(path, RESULT))
  } catch (error) {
    if (!["ENOENT", "EEXIST"].includes(codeOf(error) ?? "")) throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

/** True for the first call. */
export function askToCancel({ path }: JobFolder): boolean {
  try {
    writeFileSync(join(path, CANCEL), "", { flag: "wx", mode: 0o600 })
    return true
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false
    throw error
  }
}

export function isCancelled({ path }: JobFolder): boolean {
  return namesIn(path).includes(CANCEL)
}

function writeWhole(file: string, value: unknown): void {
  const draft = `${file}.${process.pid}.tmp`
  writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, file)
}

/** Undefined for a missing or damaged file, which must not hide other jobs. */
function readJson<const Schema extends v.GenericSchema>(file: string, schema: Schema) {
  try {
    const { success, output } = v.safeParse(schema, JSON.parse(readFileSync(file, "utf8")))
    return success ? output : undefined
  } catch {
    return undefined
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
