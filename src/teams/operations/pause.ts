import * as v from "valibot"
import { PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TaskId, WorkerId } from "../../kernel/ids.ts"
import { describeTeam } from "../../kernel/team.ts"
import { findHoldError } from "../../requests/operations/checkpoints.ts"
import { assertTeamFree } from "../../requests/operations/escalation-holds.ts"
import { operation, taskIdField, teamFields, textField, workerIdField } from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { lockTask, lockTeam } from "../../tasks/operations/lookup.ts"
import { moveTask } from "../../tasks/operations/task-moves.ts"

const whatFields = {
  ...teamFields,
  task: v.optional(taskIdField),
  workerId: v.optional(workerIdField),
  reason: v.optional(textField("why", 2000)),
}

export interface PauseResult {
  readonly paused: boolean
  readonly what: string
}

/**
 * A paused team gives out no tasks, a paused task cannot be claimed, a paused worker claims nothing. Existing
 * claims continue.
 */
export const pause = operation({
  name: "pause",
  summary: "Pause the team, or one task or worker of it",
  input: whatFields,
  run: ({ store }, input): Promise<PauseResult> => store.write((tx) => setPaused(tx, input, true)),
})

export const resume = operation({
  name: "resume",
  summary: "Continue a paused team, or one task or worker of it",
  input: whatFields,
  run: ({ store }, input): Promise<PauseResult> => store.write((tx) => setPaused(tx, input, false)),
})

interface What {
  readonly project: string
  readonly team: string
  readonly task?: TaskId
  readonly workerId?: WorkerId
  readonly reason?: string
}

async function setPaused(tx: Tx, what: What, paused: boolean): Promise<PauseResult> {
  const team = await lockTeam(tx, what)
  const reason = what.reason ?? null
  if (what.task !== undefined && what.workerId !== undefined)
    throw new AppError("usage", "name a task or a worker, not both")
  if (what.task !== undefined) return pauseTask(tx, team, what.task, { paused, reason })
  if (what.workerId !== undefined) return pauseWorker(tx, team, what.workerId, { paused, reason })
  return pauseTeam(tx, team, { paused, reason })
}

async function pauseTeam(
  tx: Tx,
  team: StoredTeam,
  { paused, reason }: { paused: boolean; reason: string | null },
): Promise<PauseResult> {
  const to = paused ? "paused" : "active"
  if (team.status !== to) {
    if (paused && team.status !== "active")
      throw new AppError("team.paused", `project ${describeTeam(team)} is ${team.status}; there is nothing to pause`)
    const held = paused ? undefined : await findHoldError(tx, team.key)
    if (held !== undefined) throw held
    if (!paused && team.status !== "paused")
      throw new AppError("team.paused", `project ${describeTeam(team)} is ${team.status}, not paused`)
    if (!paused) await assertTeamFree(tx, team)
    await tx.teams.update(team.key, { status: to, pauseReason: paused ? reason : null })
    await tx.events.append(
      team.key,
      PERSON,
      paused ? { type: "team.paused", data: { reason } } : { type: "team.resumed", data: {} },
    )
  }
  return { paused, what: `project ${describeTeam(team)}` }
}

async function pauseTask(
  tx: Tx,
  team: StoredTeam,
  id: TaskId,
  { paused, reason }: { paused: boolean; reason: string | null },
): Promise<PauseResult> {
  const task = await lockTask(tx, team.key, id)
  if (paused && task.status !== "paused") await moveTask(tx, team, { task, to: "paused", by: PERSON, reason })
  if (!paused) {
    if (task.status !== "paused") throw new AppError("task.transition", `task ${id} is ${task.status}, not paused`)
    await moveTask(tx, team, { task, to: task.pausedFrom ?? "open", by: PERSON, reason })
  }
  return { paused, what: `task ${id}` }
}

async function pauseWorker(
  tx: Tx,
  team: StoredTeam,
  id: WorkerId,
  { paused, reason }: { paused: boolean; reason: string | null },
): Promise<PauseResult> {
  const worker = await tx.workers.find(team.key, id)
  if (worker === undefined)
    throw new AppError(
      "worker.not_found",
      `worker ${id} does not exist`,
      { worker: id },
      { remedy: { operation: "swarm status", to: "see" } },
    )
  const stopped = worker.status === "paused" || worker.status === "quarantined"
  if (paused && ["dead", "stopped"].includes(worker.status))
    throw new AppError("worker.unavailable", `worker ${id} is ${worker.status}; there is nothing to pause`)
  // Resuming a worker that crashed too often, or is in quarantine, allows it to start again.
  const mayRestart = !paused && ["dead", "stopped"].includes(worker.status)
  if (paused !== stopped || mayRestart) {
    if (!mayRestart) await tx.workers.put(team.key, id, { availability: paused ? "paused" : "idle" })
    await tx.events.append(
      team.key,
      PERSON,
      paused
        ? { type: "worker.paused", data: { worker: id, reason } }
        : { type: "worker.resumed", data: { worker: id } },
    )
  }
  return { paused, what: `worker ${id}` }
}
