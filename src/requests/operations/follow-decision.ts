import { unreachable } from "../../lib/unreachable.ts"
import { allowAnotherFix, waiveAll } from "../../quality/operations/manage-findings.ts"
import type { Settings } from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { moveTask, releaseTask, reopenTask } from "../../tasks/operations/task-moves.ts"
import { hasEnded, isHeld, type Task } from "../../tasks/task.ts"
import { agentOf, type Escalation } from "../escalation.ts"
import { listHolding, withdrawEscalations } from "./escalation-holds.ts"

interface Decision {
  readonly decided: Escalation
  readonly task: Task | null
  readonly by: string
  readonly settings: Settings
}

/** What follows from a decision that is written down already; team and task must be locked. In a few words what it was. */
export async function followDecision(tx: Tx, team: StoredTeam, decision: Decision): Promise<string> {
  const { decided, task, by } = decision
  const agent = agentOf(decided)
  if (agent !== undefined) return takeBack(tx, team, { agent, by, decision: decided.decision })
  if (task === null) return decideTeam(tx, team, decision)
  const after = await moveOn(tx, team, { ...decision, task })
  const others = (await listHolding(tx, team.key, task.id)).map(({ number }) => number)
  const waits =
    after.status === "paused" && others.length > 0 ? `, until escalation ${others.join(", ")} is decided` : ""
  return `task ${task.id} is ${after.status}${waits}`
}

/** A person says that the program is in order, or stops the team until it is. */
async function takeBack(
  tx: Tx,
  team: StoredTeam,
  { agent, by, decision }: { readonly agent: string; readonly by: string; readonly decision: string | null },
): Promise<string> {
  if (decision !== "go-on") {
    if (team.status !== "active") return `the team is ${team.status}`
    const reason = `${agent} is left out`
    await tx.teams.update(team.key, { status: "paused", pauseReason: reason })
    await tx.events.append(team.key, by, { type: "team.paused", data: { reason } })
    return "the team is paused"
  }
  if (await tx.agentFaults.remove(agent)) {
    await tx.events.append(team.key, by, { type: "agent.taken_back", data: { agent } })
  }
  return `${agent} is tried again`
}

async function decideTeam(tx: Tx, team: StoredTeam, { decided, by }: Decision): Promise<string> {
  const { decision, number, note } = decided
  if (decision === "retry") {
    const open = await allowAnotherFix(tx, team)
    return `${open.length} open findings are fixed again; ${await resumeTeam(tx, team, by)}`
  }
  if (decision === "waive") {
    const waived = await waiveAll(tx, team, { reason: note ?? `escalation ${number}: waive`, by })
    return `${waived.length} findings are waived; ${await resumeTeam(tx, team, by)}`
  }
  return decision === "go-on" ? resumeTeam(tx, team, by) : "the team stays paused"
}

async function resumeTeam(tx: Tx, team: StoredTeam, by: string): Promise<string> {
  const [other] = await listHolding(tx, team.key, null)
  if (other !== undefined) return `the team stays paused, until escalation ${other.number} is decided`
  if (team.status !== "paused") return `the team is ${team.status}`
  await tx.teams.update(team.key, { status: "active", pauseReason: null })
  await tx.events.append(team.key, by, { type: "team.resumed", data: {} })
  return "the team goes on"
}

async function moveOn(
  tx: Tx,
  team: StoredTeam,
  { decided, task, by, settings }: Decision & { task: Task },
): Promise<Task> {
  const { decision, note, number } = decided
  const reason = `escalation ${number}: ${decision}${note === null ? "" : `, ${note}`}`
  const move = { task, by, reason }
  if (hasEnded(task.status) && task.status !== "failed") return task
  switch (decision) {
    case "go-on":
      if (task.status !== "paused" || (await isHeldByOthers(tx, team, task))) return task
      return moveTask(tx, team, { ...move, to: task.pausedFrom ?? "open" })
    case "reassign":
    case "retry": {
      const named = decision === "retry" ? task : await giveTo(tx, team, { task, by, agent: decided.agent })
      if (task.status === "failed") return reopenTask(tx, team, { task: named, by, reason, settings })
      if (task.status === "open" || (await isHeldByOthers(tx, team, task))) return named
      return releaseTask(tx, team, { task: named, by, reason })
    }
    case "skip": {
      const free = isHeld(task.status) ? await releaseTask(tx, team, move) : task
      return moveTask(tx, team, { task: free, to: "skipped", by, reason })
    }
    case "fail": {
      if (task.status === "failed") return task
      await withdrawEscalations(tx, team, { taskId: task.id, by })
      const held =
        task.status === "paused" ? await moveTask(tx, team, { ...move, to: task.pausedFrom ?? "open" }) : task
      return moveTask(tx, team, { task: held, to: "failed", by, reason })
    }
    case "pause":
      return task.status === "paused" ? task : moveTask(tx, team, { ...move, to: "paused" })
    case "waive": // only of the team as a whole
    case null:
      return task
    default:
      return unreachable(decision)
  }
}

async function isHeldByOthers(tx: Tx, team: StoredTeam, { id, status }: Task): Promise<boolean> {
  return status === "paused" && (await listHolding(tx, team.key, id)).length > 0
}

/** A model belongs to the agent it was named with. */
async function giveTo(
  tx: Tx,
  team: StoredTeam,
  { task, by, agent }: { readonly task: Task; readonly by: string; readonly agent: string | null },
): Promise<Task> {
  const given = await tx.tasks.update(team.key, task.id, { work: { ...task.work, agent, model: null } })
  await tx.events.append(team.key, by, { type: "task.updated", data: { task: task.id, fields: ["agent"] } })
  return given
}
