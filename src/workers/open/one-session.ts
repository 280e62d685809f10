// A person has one workspace in a team, and so one open session. A lock that ends with its process tells whether there is
// one; a file next to it tells which process has it, and which claim it held when it died.

import { existsSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { AppError } from "../../kernel/errors.ts"
import { holdLock } from "../../lib/file-lock.ts"
import type { Shift } from "../loop/shift.ts"

interface Holder {
  readonly pid: number
  readonly task: string
  /** Null before the task is taken. */
  readonly token: number | null
}

export interface OneSession extends Disposable {
  /** The claim that the last process held; it is dead where the task still has this claim. */
  readonly deadToken: number | null
  note(token: number): void
}

const PATIENCE_MS = 100

/** Throws where another process of the person has a session open. */
export async function holdOneSession(shift: Shift, task: string): Promise<OneSession> {
  const { lock, file } = placeOf(shift)
  mkdirSync(dirname(lock), { recursive: true })
  const held = await holdLock(lock, { patienceMs: PATIENCE_MS, sleep: shift.ports.sleep })
  const last = readHolder(file)
  if (held === undefined) throw alreadyOpen(shift.worker, task, last)
  const note = (token: number | null) => writeFileSync(file, JSON.stringify({ pid: process.pid, task, token }))
  const deadToken = last?.task === task ? last.token : null
  note(deadToken)
  return { deadToken, note, [Symbol.dispose]: () => held[Symbol.dispose]() }
}

/** The same without holding it: throws what `holdOneSession` would throw now, and gives the claim that is dead. */
export async function checkOneSession(shift: Shift, task: string): Promise<number | null> {
  const { lock, file } = placeOf(shift)
  if (!existsSync(lock)) return null
  using held = await holdLock(lock, { patienceMs: PATIENCE_MS, sleep: shift.ports.sleep })
  const last = readHolder(file)
  if (held === undefined) throw alreadyOpen(shift.worker, task, last)
  return last?.task === task ? last.token : null
}

function placeOf({ options, team, worker }: Shift): { readonly lock: string; readonly file: string } {
  const folder = join(options.home, "open", team.project, team.team)
  return { lock: join(folder, `${worker}.lock`), file: join(folder, `${worker}.json`) }
}

function readHolder(file: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Holder
  } catch {
    // It was never written, or its process died while it wrote.
    return undefined
  }
}

function alreadyOpen(owner: string, task: string, holder: Holder | undefined): AppError {
  const where = holder === undefined ? "another process" : `process ${holder.pid}${terminalOf(holder.pid)}`
  const what =
    holder === undefined || holder.task === task
      ? `task ${task} is already open with ${owner}`
      : `${owner} has task ${holder.task} open, and one at a time`
  return new AppError("task.already_claimed", `${what}, in ${where}; go on there, or end that session first`, {
    ...{ taskId: task, owner, pid: holder?.pid ?? null },
  })
}

function terminalOf(pid: number): string {
  try {
    const terminal = readlinkSync(`/proc/${pid}/fd/0`)
    return terminal.startsWith("/dev/") ? ` at ${terminal}` : ""
  } catch {
    // Not every system tells.
    return ""
  }
}
