// A person has one workspace in a team, and so one open session. A lock that ends with its process shows whether there
// is one. A file beside it names the process and its claim.
import { existsSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as v from "valibot"
import { AppError } from "../../kernel/errors.ts"
import { holdLock } from "../../lib/file-lock.ts"
import type { WorkerRun } from "../loop/worker-ports.ts"

const Holder = v.object({
  pid: v.number(),
  task: v.string(),
  /** Null before the task is taken. */
  token: v.nullable(v.number()),
})
type Holder = v.InferOutput<typeof Holder>

export interface SessionLock extends Disposable {
  /** Of the last process, which is dead if the task still has this claim. */
  readonly deadToken: number | null
  note(token: number): void
}

const PATIENCE_MS = 100

/** Throws when the person has another session open. */
export async function lockSession(run: WorkerRun, task: string): Promise<SessionLock> {
  const { lock, file } = placeOf(run)
  mkdirSync(dirname(lock), { recursive: true })
  const { held, deadToken } = await takeLock(run, task)
  const note = (token: number | null) => writeFileSync(file, JSON.stringify({ pid: process.pid, task, token }))
  note(deadToken)
  return { deadToken, note, [Symbol.dispose]: () => held[Symbol.dispose]() }
}

/** Throws like `lockSession`, without keeping the lock. Returns the dead claim. */
export async function checkSessionLock(run: WorkerRun, task: string): Promise<number | null> {
  if (!existsSync(placeOf(run).lock)) return null
  const { held, deadToken } = await takeLock(run, task)
  held[Symbol.dispose]()
  return deadToken
}

async function takeLock(run: WorkerRun, task: string) {
  const { lock, file } = placeOf(run)
  const held = await holdLock(lock, { patienceMs: PATIENCE_MS, sleep: run.ports.sleep })
  const last = readHolder(file)
  if (held === undefined) throw alreadyOpen(run.worker, task, last)
  return { held, deadToken: last?.task === task ? last.token : null }
}

function placeOf({ options, team, worker }: WorkerRun): { readonly lock: string; readonly file: string } {
  const folder = join(options.home, "open", team.project, team.team)
  return { lock: join(folder, `${worker}.lock`), file: join(folder, `${worker}.json`) }
}

/** Undefined when never written, or its process died while writing. */
function readHolder(file: string): Holder | undefined {
  try {
    return v.parse(Holder, JSON.parse(readFileSync(file, "utf8")))
  } catch {
    return undefined
  }
}

function alreadyOpen(owner: string, task: string, holder: Holder | undefined): AppError {
  const where = holder === undefined ? "another process" : `process ${holder.pid}${terminalOf(holder.pid)}`
  const what =
    holder === undefined || holder.task === task
      ? `task ${task} is already open with ${owner}`
      : `${owner} has task ${holder.task} open, and one at a time`
  const details = { taskId: task, owner, pid: holder?.pid ?? null }
  return new AppError("task.already_claimed", `${what}, in ${where}; go on there, or end that session first`, details)
}

/** Only where the system has `/proc`. */
function terminalOf(pid: number): string {
  try {
    const terminal = readlinkSync(`/proc/${pid}/fd/0`)
    return terminal.startsWith("/dev/") ? ` at ${terminal}` : ""
  } catch {
    return ""
  }
}
