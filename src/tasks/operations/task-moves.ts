import { PHASES } from "../../kernel/phase.ts"
import type { Settings } from "../../store/operation.ts"
import type { StoredTeam, TaskChange, Tx } from "../../store/port.ts"
import { assertMove, hasEnded, type Task, type TaskStatus } from "../task.ts"

/** Changes of a task's status inside a transaction, each with its event. The task must be locked. */

const NO_CLAIM = {
  claimedBy: null,
  claimedAt: null,
  leaseUntil: null,
  workerId: null,
  pausedFrom: null,
  pauseReason: null,
} as const satisfies TaskChange

/** A change of a task, and who makes it why. */
interface Move<Reason extends string | null = string | null> {
  readonly task: Task
  readonly by: string
  readonly reason: Reason
}

/** Few tasks ever are paused or fail; the others do not pay for it. */
async function letGo(tx: Tx, team: StoredTeam, move: { task: Task; to: TaskStatus; by: string }): Promise<void> {
  if (move.task.status !== "paused" && move.task.status !== "failed") return
  await (await import("../../requests/operations/escalation-holds.ts")).letGo(tx, team, move)
}

/** Back to open, for anybody to take; the claim is gone. */
export async function releaseTask(tx: Tx, team: StoredTeam, { task, by, reason }: Move<string>): Promise<Task> {
  assertMove(task, "open")
  await letGo(tx, team, { task, to: "open", by })
  const released = await tx.tasks.update(team.key, task.id, { status: "open", ...NO_CLAIM })
  await tx.events.append(team.key, by, {
    type: "task.released",
    data: { task: task.id, owner: task.claimedBy, reason },
  })
  return released
}

/** A new attempt at a task that had ended; its wave is no longer verified. The team must be locked. */
export async function reopenTask(
  tx: Tx,
  team: StoredTeam,
  { settings, ...move }: Move & { readonly settings: Settings },
): Promise<Task> {
  assertMove(move.task, "open")
  if (move.task.files.length > 0)
    await (await import("../../ownership/operations/plan-files.ts")).assertNoOverlap(tx, team, settings, move.task)
  return startAttempt(tx, team, move)
}

/** The next attempt at a task that nobody holds: evidence of the one before no longer counts. */
export async function startAttempt(tx: Tx, team: StoredTeam, { task, by, reason }: Move): Promise<Task> {
  await letGo(tx, team, { task, to: "open", by })
  const attempt = task.attempt + 1
  const reopened = await tx.tasks.update(team.key, task.id, {
    status: "open",
    attempt,
    completedAt: null,
    result: null,
    ...(task.phase === null ? {} : { phase: PHASES[0] }),
    ...(task.qa === null ? {} : { qa: "needed" }),
    ...NO_CLAIM,
  })
  await tx.events.append(team.key, by, { type: "task.reopened", data: { task: task.id, attempt, reason } })
  if (task.phase !== null || task.qa !== null)
    await (await import("../../requests/operations/ask-approval.ts")).withdrawApprovals(tx, team, {
      taskId: task.id,
      by,
    })
  if (task.wave !== null) await withdrawWaveVerdict(tx, team, { wave: task.wave, by })
  await leaveComplete(tx, team, by)
  return reopened
}

/** Its work is done and cannot be merged: it counts as failed after all, and so does not keep its wave verified. */
export async function failResolved(tx: Tx, team: StoredTeam, { task, by, reason }: Move): Promise<Task> {
  await letGo(tx, team, { task, to: "failed", by })
  const failed = await tx.tasks.update(team.key, task.id, { status: "failed", completedAt: await tx.now() })
  const data = { task: task.id, from: task.status, to: "failed", reason } as const
  await tx.events.append(team.key, by, { type: "task.status_changed", data })
  if (task.wave !== null) await withdrawWaveVerdict(tx, team, { wave: task.wave, by })
  await leaveComplete(tx, team, by)
  return failed
}

export async function moveTask(tx: Tx, team: StoredTeam, move: Move & { readonly to: TaskStatus }): Promise<Task> {
  const { task, to, by, reason } = move
  assertMove(task, to)
  await letGo(tx, team, { task, to, by })
  if (to === "in_review" || to === "resolved") (await import("../../requests/operations/phases.ts")).assertGuards(task)
  const change: TaskChange = {
    status: to,
    ...(hasEnded(to) ? { completedAt: await tx.now(), leaseUntil: null } : {}),
    // Who waits for a review shows no sign of life, and must not lose the task for it.
    ...(to === "in_review" ? { leaseUntil: null } : {}),
    ...(to === "paused" ? { pausedFrom: task.status, pauseReason: reason, leaseUntil: null } : {}),
    ...(task.status === "paused" ? { pausedFrom: null, pauseReason: null } : {}),
  }
  const moved = await tx.tasks.update(team.key, task.id, change)
  await tx.events.append(team.key, by, {
    type: "task.status_changed",
    data: { task: task.id, from: task.status, to, reason },
  })
  return to === "in_progress" ? tx.tasks.renew(team.key, task.id) : moved
}

/** A wave that gets work again is no longer verified or failed. */
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

/** New work in a finished project means it is being executed again. */
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
    ...(to === "COMPLETE" ? { status: "completed", pauseReason: null } : {}),
    ...(team.status === "completed" ? { status: "active" } : {}),
  })
  await tx.events.append(team.key, by, { type: "team.phase_changed", data: { from: team.phase, to } })
}
