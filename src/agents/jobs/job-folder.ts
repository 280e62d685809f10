import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { AppError } from "../../kernel/errors.ts"
import { isId, quoteInput } from "../../kernel/ids.ts"
import { codeOf } from "../../lib/error-code.ts"
import type { ProcessIdentity } from "../../lib/process/process-identity.ts"
import type { Effort } from "../../tasks/effort.ts"
import type { AgentResult, Permission, Tier } from "../port.ts"

/** What was asked of an agent. */
export interface JobRequest {
  readonly jobId: string
  readonly agent: string
  readonly prompt: string
  readonly workspace: string
  readonly model: string | null
  readonly tier: Tier
  readonly effort: Effort | null
  readonly permission: Permission
  readonly timeMs: number | null
  readonly createdAt: string
}

/** How it ended. */
export interface JobResult extends AgentResult {
  readonly finishedAt: string
}

/** A job's place on disk: all there is to know of it, for whoever asks and in whatever process. */
export interface JobFolder {
  readonly path: string
  readonly job: JobRequest
}

/** What the job's process itself has to complain about. */
export const LOG = "log.txt"
const JOB = "job.json"
const PROCESS = "process.json"
const RESULT = "result.json"
const CANCEL = "cancel"

/** The prompt in it is for people to read, secrets masked; the agent gets the real one. */
export function makeJobFolder(home: string, job: JobRequest): JobFolder {
  const path = join(home, "jobs", job.jobId)
  mkdirSync(path, { recursive: true, mode: 0o700 })
  writeWhole(join(path, JOB), job)
  return { path, job }
}

export function findJobFolder(home: string, jobId: string): JobFolder {
  const path = join(home, "jobs", jobId)
  const job = isId(jobId) ? readJson<JobRequest>(join(path, JOB)) : undefined
  if (job === undefined)
    throw new AppError(
      "job.not_found",
      `job ${quoteInput(jobId)} does not exist`,
      { jobId },
      { remedy: { operation: "agent jobs", to: "see" } },
    )
  return { path, job }
}

/** The newest first. */
export function listJobFolders(home: string): JobFolder[] {
  const root = join(home, "jobs")
  return namesIn(root)
    .filter((name) => !name.startsWith(REMOVED))
    .flatMap((name) => {
      const job = readJson<JobRequest>(join(root, name, JOB))
      return job === undefined ? [] : [{ path: join(root, name), job }]
    })
    .sort((a, b) => b.job.createdAt.localeCompare(a.job.createdAt))
}

/** No job is named so. */
const REMOVED = "."

/**
 * Takes a job away whole: nobody sees one of which a part is gone, whenever this is killed. Gives where its files are
 * now, for `removeAway`; undefined when somebody else took it.
 */
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

/** Removes all that was taken away, also by one who was killed before this. */
export function removeAway(home: string): void {
  const root = join(home, "jobs")
  for (const name of namesIn(root).filter((each) => each.startsWith(REMOVED)))
    rmSync(join(root, name), { recursive: true, force: true })
}

export function readProcess({ path }: JobFolder): ProcessIdentity | undefined {
  return readJson(join(path, PROCESS))
}

export function writeProcess({ path }: JobFolder, identity: ProcessIdentity): void {
  writeWhole(join(path, PROCESS), identity)
}

export function readResult({ path }: JobFolder): JobResult | undefined {
  return readJson(join(path, RESULT))
}

/**
 * The first one stays: the job itself and somebody who takes it for dead may both have something to say. A job that was
 * removed meanwhile needs none.
 */
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

/** Whether this call was the first to ask. */
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

/** Undefined for what is not there, not readable or not JSON: a job that somebody damaged must not hide the others. */
function readJson<T>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8"))
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
