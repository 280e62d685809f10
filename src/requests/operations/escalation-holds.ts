import { AppError } from "../../kernel/errors.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { TeamRecord } from "../../kernel/record.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { changeRecord } from "../../store/records.ts"
import type { Task, TaskStatus } from "../../tasks/task.ts"
import { agentOf, type Escalation, nameEscalation, toEscalation } from "../escalation.ts"

/** What open escalations keep from going on. */

export async function listHolding(tx: Tx, key: number, taskId: TaskId | null): Promise<Escalation[]> {
  const open = await tx.records.list(key, { kind: "escalation", status: "open" })
  return open.map(toEscalation).filter((each) => each.taskId === taskId && agentOf(each) === undefined)
}

interface Move {
  readonly task: Task
  readonly to: TaskStatus
  readonly by: string
}

/**
 * Before a paused or failed task moves: it does not go on past a question about it. Where it is given up, or begun anew
 * after it had failed, that was an answer too, and the question is withdrawn.
 */
export async function letGo(tx: Tx, team: StoredTeam, { task, to, by }: Move): Promise<void> {
  if (task.status === "paused" && to !== "skipped") {
    const [held] = await listHolding(tx, team.key, task.id)
    if (held !== undefined) throw isHeld(held, `task ${task.id}`)
  } else await withdrawEscalations(tx, team, { taskId: task.id, by })
}

/** Of one task, or all there are. */
export async function withdrawEscalations(
  tx: Tx,
  team: StoredTeam,
  { taskId, by }: { readonly taskId?: TaskId; readonly by: string },
): Promise<void> {
  for (const record of await tx.records.list(team.key, { kind: "escalation", status: "open", taskId }))
    await withdrawEscalation(tx, team, { record, by })
}

export async function withdrawEscalation(
  tx: Tx,
  team: StoredTeam,
  { record, by }: { readonly record: TeamRecord; readonly by: string },
): Promise<void> {
  const about = nameEscalation(toEscalation(record))
  await changeRecord(tx, team, { record, to: { status: "withdrawn" }, by, about })
}

/** A team that waits for a decision is not resumed past it. */
export async function assertTeamFree(tx: Tx, team: StoredTeam): Promise<void> {
  const [held] = await listHolding(tx, team.key, null)
  if (held !== undefined) throw isHeld(held, "the team")
}

function isHeld(escalation: Escalation, what: string): AppError {
  const { number, options } = escalation
  return new AppError(
    "escalation.open",
    `${what} waits for a decision on ${nameEscalation(escalation)}: ${options.join(", ")}`,
    { number, taskId: escalation.taskId, options },
    { remedy: { operation: "decide", fields: { number, option: "OPTION" }, to: "decide with" } },
  )
}
