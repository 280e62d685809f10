import { AppError } from "../../kernel/errors.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { TeamRecord } from "../../kernel/record.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { changeRecord } from "../../store/records.ts"
import type { Task, TaskStatus } from "../../tasks/task.ts"
import { agentOf, type Escalation, nameEscalation, toEscalation } from "../escalation.ts"

/** Open escalations that keep a task, or the team, paused. */
export async function listHolding(tx: Tx, key: number, taskId: TaskId | null): Promise<Escalation[]> {
  const open = await tx.records.list(key, { kind: "escalation", status: "open" })
  return open.map(toEscalation).filter((each) => each.taskId === taskId && agentOf(each) === undefined)
}

/**
 * Before a paused or failed task moves: refuses to continue past an open question. Skipping or restarting the task
 * answers the question, so its escalations are withdrawn.
 */
export async function letGo(
  tx: Tx,
  team: StoredTeam,
  { task, to, by }: { readonly task: Task; readonly to: TaskStatus; readonly by: string },
): Promise<void> {
  if (task.status === "paused" && to !== "skipped") {
    const [held] = await listHolding(tx, team.key, task.id)
    if (held !== undefined) throw heldBy(held, `task ${task.id}`)
  } else await withdrawEscalations(tx, team, { taskId: task.id, by })
}

interface Withdrawal {
  /** Null: about the team. Undefined: all. */
  readonly taskId?: TaskId | null
  readonly by: string
  readonly isMeant?: (escalation: Escalation) => boolean
}

/** Returns how many. */
export async function withdrawEscalations(
  tx: Tx,
  team: StoredTeam,
  { taskId, by, isMeant = () => true }: Withdrawal,
): Promise<number> {
  const open = await tx.records.list(team.key, { kind: "escalation", status: "open", taskId })
  const meant = open.filter((record) => isMeant(toEscalation(record)))
  for (const record of meant) await withdrawEscalation(tx, team, { record, by })
  return meant.length
}

export async function withdrawEscalation(
  tx: Tx,
  team: StoredTeam,
  { record, by }: { readonly record: TeamRecord; readonly by: string },
): Promise<void> {
  const about = nameEscalation(toEscalation(record))
  await changeRecord(tx, team, { record, to: { status: "withdrawn" }, by, about })
}

export async function assertTeamFree(tx: Tx, team: StoredTeam): Promise<void> {
  const [held] = await listHolding(tx, team.key, null)
  if (held !== undefined) throw heldBy(held, "the team")
}

function heldBy(escalation: Escalation, what: string): AppError {
  const { number, taskId, options } = escalation
  return new AppError(
    "escalation.open",
    `${what} waits for a decision on ${nameEscalation(escalation)}: ${options.join(", ")}`,
    { number, taskId, options },
    { remedy: { operation: "decide", fields: { number, option: "OPTION" }, to: "decide with" } },
  )
}

/** Only if it is active. */
export async function pauseTeam(
  tx: Tx,
  team: StoredTeam,
  { by, reason }: { readonly by: string; readonly reason: string },
): Promise<void> {
  if (team.status !== "active") return
  await tx.teams.update(team.key, { status: "paused", pauseReason: reason })
  await tx.events.append(team.key, by, { type: "team.paused", data: { reason } })
}

export async function resumeTeam(tx: Tx, team: StoredTeam, by: string): Promise<void> {
  await tx.teams.update(team.key, { status: "active", pauseReason: null })
  await tx.events.append(team.key, by, { type: "team.resumed", data: {} })
}
