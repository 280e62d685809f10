import { AppError } from "../../kernel/errors.ts"
import type { TaskId, WorkerId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import { withdrawEscalations } from "../../requests/operations/escalation-holds.ts"
import type { Context } from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { isPersonsClaim } from "../persons-claim.ts"
import type { Task } from "../task.ts"
import { claimTask } from "./claim-task.ts"
import { findRefusal } from "./explain-claim.ts"
import { getTask, getTeam, lockTask, lockTeam } from "./lookup.ts"
import { reopenTask } from "./task-moves.ts"

export interface TakeRequest extends TeamName {
  readonly id: TaskId
  /** From `personsName`. */
  readonly owner: string
  readonly leaseSeconds: number
  /** The claim of a dead process of the owner. Any other claim is live. */
  readonly deadToken?: number | null
}

export interface Taken {
  readonly task: Task
  /** The worker that loses the task. */
  readonly from: string | null
  /** The failed attempt before this one. */
  readonly before: number | null
}

/** A worker loses the task at once, a pause and its escalation end, and a failed task gets a new attempt. */
export async function takeForPerson(context: Context, request: TakeRequest): Promise<Taken> {
  const { store, settings } = context
  const taken = await store.write(async (tx) => {
    const team = await lockTeam(tx, request)
    const task = await lockTask(tx, team.key, request.id)
    assertTakeable(task, request, await tx.now())
    if (task.status === "open") return undefined
    const by = request.owner
    const isFailed = task.status === "failed"
    if (isFailed) await reopenTask(tx, team, { task, by, reason: `opened by ${by}`, settings })
    else if (task.status === "paused") await withdrawEscalations(tx, team, { taskId: task.id, by })
    return { ...(await take(tx, team, request)), before: isFailed ? task.attempt : null, from: holderOf(task, by) }
  })
  if (taken !== undefined) return taken
  // An open task must be ready, as for every claim.
  const { project, team, id, owner, leaseSeconds } = request
  const claimed = await claimTask.run(context, { project, team, id, owner, leaseSeconds })
  return { task: claimed.task, from: null, before: null }
}

/** Throws what `takeForPerson` would throw. */
export async function checkTakeable({ store }: Context, request: TakeRequest): Promise<void> {
  await store.read(async (tx) => {
    const { key } = await getTeam(tx, request)
    const task = await getTask(tx, key, request.id)
    assertTakeable(task, request, await tx.now())
    if (task.status !== "open") return
    const { project, team, owner } = request
    const claim = { project, team, taskId: task.id, owner, workerId: owner as WorkerId, role: null, strictRole: false }
    const refusal = await findRefusal(tx, { ...claim, leaseMs: request.leaseSeconds * 1000 })
    if (refusal !== undefined) throw refusal
  })
}

async function take(tx: Tx, team: StoredTeam, { id, owner, leaseSeconds }: TakeRequest): Promise<{ task: Task }> {
  const before = await lockTask(tx, team.key, id)
  await tx.workers.heard(team.key, owner as WorkerId)
  const task = await tx.tasks.take(team.key, id, { owner, leaseMs: leaseSeconds * 1000 })
  const data = { task: id, token: task.claimToken, taken_over_from: before.claimedBy }
  await tx.events.append(team.key, owner, { type: "task.claimed", data })
  return { task }
}

function holderOf({ status, claimedBy }: Task, owner: string): string | null {
  return status === "in_progress" && claimedBy !== owner ? claimedBy : null
}

function assertTakeable(
  { id, status, claimedBy, claimToken, leaseUntil }: Task,
  { owner, deadToken }: TakeRequest,
  now: number,
): void {
  if (status === "in_review")
    throw new AppError(
      "task.transition",
      `task ${id} is in review: its work waits to be merged`,
      { taskId: id, from: status },
      { remedy: { operation: "task release", fields: { id }, to: "to work on it again, give it back first with" } },
    )
  if (status === "resolved" || status === "skipped")
    throw new AppError(
      "task.transition",
      `task ${id} is ${status}, there is nothing to take over`,
      { taskId: id, from: status },
      { remedy: { operation: "task reopen", fields: { id }, to: "work on it again with" } },
    )
  const isHeld = status === "in_progress" && leaseUntil !== null && Date.parse(leaseUntil) > now
  const isLeftOver = claimedBy === owner && claimToken === deadToken
  if (isHeld && claimedBy !== null && isPersonsClaim(claimedBy) && !isLeftOver)
    throw new AppError("task.already_claimed", `task ${id} is open with ${claimedBy} until ${leaseUntil}`, {
      taskId: id,
      owner: claimedBy,
    })
}
