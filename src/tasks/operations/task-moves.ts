import { PHASES } from "../../kernel/phase.ts"
import { assertNoOverlap } from "../../ownership/operations/plan-files.ts"
import { withdrawApprovals } from "../../requests/operations/ask-approval.ts"
import { letGo } from "../../requests/operations/escalation-holds.ts"
import { assertMayEnd } from "../../requests/operations/phases.ts"
import type { Settings } from "../../store/operation.ts"
import type { StoredTeam, TaskChange, Tx } from "../../store/port.ts"
import { assertMove, hasEnded, type Task, type TaskStatus } from "../task.ts"

/** Each change has its event. The task must be locked. */

const NO_CLAIM = {
  claimedBy: null,
  claimedAt: null,
  leaseUntil: null,
  workerId: null,
  pausedFrom: null,
  pauseReason: null,
} as const satisfies TaskChange

interface Move<Reason extends string | null = string | null> {
  readonly task: Task
  readonly by: string
  readonly reason: Reason
}

/** After a pause or a failure there may be an escalation. */
async function leaveHold(tx: Tx, team: StoredTeam, move: { task: Task; to: TaskStatus; by: string }): Promise<void> {
  if (move.task.status === "paused" || move.task.status === "failed") await letGo(tx, team, move)
}

/** Ends the claim. */
export async function releaseTask(tx: Tx, team: StoredTeam, { task, by, reason }: Move<string>): Promise<Task> {
  assertMove(task, "open")
  await leaveHold(tx, team, { task, to: "open", by })
  const released = await tx.tasks.update(team.key, task.id, { status: "open", ...NO_CLAIM })
  await tx.events.append(team.key, by, {
    type: "task.released",
    data: { task: task.id, owner: task.claimedBy, reason },
  })
  return released
}

/** Its wave is no longer verified. The team must be locked. */
export async function reopenTask(
  tx: Tx,
  team: StoredTeam,
  { settings, ...move }: Move & { readonly settings: Settings },
): Promise<Task> {
  assertMove(move.task, "open")
  if (move.task.files.length > 0) await assertNoOverlap(tx, team, settings, move.task)
  return startAttempt(tx, team, move)
}

/** Evidence of earlier attempts no longer counts. */
export async function startAttempt(tx: Tx, team: StoredTeam, { task, by, reason }: Move): Promise<Task> {
  await leaveHold(tx, team, { task, to: "open", by })
  const attempt = task.attempt + 1
  const reopened = await tx.tasks.update(team.key, task.id, {
    status: "open",
    attempt,
    completedAt: null,
    result: null,
    ...(task.phase !== null && { phase: PHASES[0] }),
    ...(task.qa !== null && { qa: "needed" }),
    ...NO_CLAIM,
  })
  await tx.events.append(team.key, by, { type: "task.reopened", data: { task: task.id, attempt, reason } })
  if (task.phase !== null || task.qa !== null) await withdrawApprovals(tx, team, { taskId: task.id, by })
  await returnToExecution(tx, team, { task, by })
  return reopened
}

/** Its work cannot be merged; its wave is no longer verified. */
export async function failResolved(tx: Tx, team: StoredTeam, { task, by, reason }: Move): Promise<Task> {
  await leaveHold(tx, team, { task, to: "failed", by })
  const failed = await tx.tasks.update(team.key, task.id, { status: "failed", completedAt: await tx.now() })
  const data = { task: task.id, from: task.status, to: "failed", reason } as const
  await tx.events.append(team.key, by, { type: "task.status_changed", data })
  await returnToExecution(tx, team, { task, by })
  return failed
}

/** Its wave is no longer judged, and the team is executing. */
async function returnToExecution(tx: Tx, team: StoredTeam, { task, by }: Omit<Move, "reason">): Promise<void> {
  if (task.wave !== null) await withdrawWaveVerdict(tx, team, { wave: task.wave, by })
  await leaveComplete(tx, team, by)
}

export async function moveTask(tx: Tx, team: StoredTeam, move: Move & { readonly to: TaskStatus }): Promise<Task> {
  const { task, to, by, reason } = move
  assertMove(task, to)
  await leaveHold(tx, team, { task, to, by })
  if (to === "in_review" || to === "resolved") assertMayEnd(task)
  const change: TaskChange = {
    status: to,
    // In review no worker renews the lease, so it must not expire.
    ...((to === "in_review" || to === "paused" || hasEnded(to)) && { leaseUntil: null }),
    ...(hasEnded(to) && { completedAt: await tx.now() }),
    ...(to === "paused" && { pausedFrom: task.status, pauseReason: reason }),
    ...(task.status === "paused" && { pausedFrom: null, pauseReason: null }),
  }
  const moved = await tx.tasks.update(team.key, task.id, change)
  await tx.events.append(team.key, by, {
    type: "task.status_changed",
    data: { task: task.id, from: task.status, to, reason },
  })
  return to === "in_progress" ? tx.tasks.renew(team.key, task.id) : moved
}

/** A wave with new work is neither verified nor failed. */
export async function withdrawWaveVerdict(
  tx: Tx,
  team: StoredTeam,
  { wave: number, by }: { readonly wave: number; readonly by: string },
): Promise<void> {
  const wave = (await tx.waves.list(team.key)).find((each) => each.number === number)
  if (wave === undefined || wave.verdict === null) return
  const startedAt = wave.startedAt === null ? null : Date.parse(wave.startedAt)
  await tx.waves.put(team.key, { number, verdict: null, startedAt, verifiedAt: null })
  await tx.events.append(team.key, by, {
    type: "wave.updated",
    data: { wave: number, from: wave.verdict, to: "in_progress" },
  })
}

/** New work returns a finished project to execution. */
export async function leaveComplete(tx: Tx, team: StoredTeam, by: string): Promise<void> {
  if (team.phase === "COMPLETE" || team.phase === "VERIFICATION") await changePhase(tx, team, { to: "EXECUTION", by })
}

export async function changePhase(
  tx: Tx,
  team: StoredTeam,
  { to, by }: { readonly to: StoredTeam["phase"]; readonly by: string },
): Promise<void> {
  if (team.phase === to) return
  await tx.teams.update(team.key, {
    phase: to,
    ...(to === "COMPLETE" && { status: "completed", pauseReason: null }),
    ...(team.status === "completed" && { status: "active" }),
  })
  await tx.events.append(team.key, by, { type: "team.phase_changed", data: { from: team.phase, to } })
}
