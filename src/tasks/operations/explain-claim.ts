import { closedRun } from "../../kernel/closed-run.ts"
import { AppError } from "../../kernel/errors.ts"
import type { Remedy } from "../../kernel/remedy.ts"
import { describeTeam } from "../../kernel/team.ts"
import { unreachable } from "../../lib/unreachable.ts"
import { WAITS_FOR_APPROVAL } from "../../requests/approval.ts"
import type { ClaimRequest, StoredTeam, Tx } from "../../store/port.ts"
import { UNAVAILABLE } from "../../workers/worker.ts"
import { findObstacle, listUnmet } from "../readiness.ts"
import { isHeld, type Task } from "../task.ts"
import { currentWave } from "../wave.ts"
import { getTask, getTeam } from "./lookup.ts"

/** Reads after the refusal, so the state may have changed. */
export async function explainRefusal(tx: Tx, request: ClaimRequest): Promise<AppError> {
  return (
    (await findRefusal(tx, request)) ??
    // Claimed and freed between the claim and this read.
    new AppError("task.already_claimed", `task ${request.taskId} was held by another owner a moment ago; try again`, {
      taskId: request.taskId,
      status: "open",
    })
  )
}

export async function findRefusal(tx: Tx, request: ClaimRequest): Promise<AppError | undefined> {
  const team = await getTeam(tx, request)
  return (
    refusedByTeam(team) ??
    (await refusedByWorker(tx, team, request)) ??
    (request.taskId === null ? await noneAvailable(tx, team, request) : await refusedByTask(tx, team, request))
  )
}

function refusedByTeam(team: StoredTeam): AppError | undefined {
  if (!team.isCurrent) return closedRun(team)
  // Before the status: a COMPLETE project is completed too, but cannot be resumed.
  if (team.phase === "COMPLETE") {
    return new AppError("task.not_ready", `project ${describeTeam(team)} is COMPLETE; add a task to go on`)
  }
  if (team.status !== "active") {
    if (team.pauseReason === WAITS_FOR_APPROVAL) {
      const message = `project ${describeTeam(team)} is ${team.status}, since it waits for an approval`
      return new AppError("team.paused", message, {}, { remedy: { operation: "approvals", to: "see" } })
    }
    const why = team.pauseReason === null ? "" : ` (${team.pauseReason})`
    const message = `project ${describeTeam(team)} is ${team.status}${why}`
    // A cancelled team can only run again.
    const operation = team.status === "cancelled" ? "run" : "resume"
    return new AppError("team.paused", message, {}, { remedy: { operation, to: "continue it with" } })
  }
  return undefined
}

async function refusedByWorker(tx: Tx, team: StoredTeam, request: ClaimRequest): Promise<AppError | undefined> {
  const worker = await tx.workers.find(team.key, request.workerId)
  if (worker === undefined) return undefined
  if ((UNAVAILABLE as readonly string[]).includes(worker.status)) {
    const [fields, to] = [{ workerId: worker.id }, "continue it with"]
    return new AppError(
      "worker.unavailable",
      `worker ${worker.id} is ${worker.status}`,
      {},
      {
        remedy:
          worker.status === "stopped" ? { operation: "worker setup", fields, to } : { operation: "resume", fields, to },
      },
    )
  }
  if (request.role !== null && worker.role !== null && worker.role !== "worker" && worker.role !== request.role) {
    return new AppError(
      "role.locked",
      `${worker.id} works as ${worker.role} in this project and cannot claim as ${request.role}; use another owner for another role`,
      { worker: worker.id, role: worker.role },
    )
  }
  return undefined
}

async function noneAvailable(tx: Tx, team: StoredTeam, request: ClaimRequest): Promise<AppError> {
  const counts = await tx.tasks.progress(team.key)
  const total = (status: string) =>
    counts.filter((row) => row.status === status).reduce((sum, row) => sum + row.count, 0)
  const role = request.role === null ? "" : ` for role ${request.role}`
  return new AppError(
    "task.none_available",
    `No tasks${role}: ${total("open")} open (none of them ready${role}), ${total("in_progress")} in progress, ${total("resolved")} resolved`,
    { role: request.role, open: total("open"), inProgress: total("in_progress"), resolved: total("resolved") },
    { remedy: { operation: "task list", to: "wait, or see" } },
  )
}

async function refusedByTask(tx: Tx, team: StoredTeam, request: ClaimRequest): Promise<AppError | undefined> {
  const task = await getTask(tx, team.key, request.taskId as Task["id"])
  const wave = currentWave(await tx.waves.list(team.key))
  const now = await tx.now()
  const obstacle = findObstacle(task, { ...team, currentWave: wave }, { now, claimant: request })
  if (obstacle === undefined) return undefined
  const { id, status } = task
  const details = { taskId: id, status }
  const notReady = (why: string, more = {}) => new AppError("task.not_ready", why, { ...details, ...more })
  if (isHeld(status)) {
    const until = task.leaseUntil === null ? "" : ` until ${task.leaseUntil}`
    const fields = { id, owner: task.claimedBy ?? undefined }
    return new AppError(
      "task.already_claimed",
      `task ${id} is held by ${task.claimedBy}${until}, so take another one`,
      { ...details, owner: task.claimedBy, until: task.leaseUntil },
      { remedy: { operation: "task release", fields, to: "free it with" } },
    )
  }
  switch (obstacle) {
    case "complete":
    case "inactive":
      return refusedByTeam(team)
    case "held":
    case "not-open": {
      const remedy: Remedy =
        status === "paused"
          ? { operation: "resume", fields: { task: id }, to: "continue it with" }
          : { operation: "task reopen", fields: { id }, to: "work on it again with" }
      return new AppError("task.not_ready", `task ${id} is ${status}`, details, { remedy })
    }
    case "role":
      return new AppError(
        "role.mismatch",
        `Task ${id} role mismatch - task role: ${task.role}, worker role: ${request.role}`,
        { ...details, taskRole: task.role, workerRole: request.role },
      )
    case "assignee":
      return notReady(`task ${id} is assigned to ${task.assignee}; take another one`)
    case "needs": {
      const statuses = new Map((await tx.tasks.graph(team.key)).map((node) => [node.id, node.status]))
      const unmet = listUnmet(task, (need) => statuses.get(need))
      return notReady(`task ${id} waits for ${unmet.join(", ")}; take another one`, { unmet })
    }
    case "wave":
      return notReady(`task ${id} is in wave ${task.wave}, which opens when wave ${wave} is verified`, {
        wave: task.wave,
      })
    default:
      return unreachable(obstacle)
  }
}
