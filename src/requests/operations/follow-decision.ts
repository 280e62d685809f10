import { unreachable } from "../../lib/unreachable.ts"
import { allowAnotherFix, waiveAll } from "../../quality/operations/manage-findings.ts"
import type { Settings } from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { moveTask, releaseTask, reopenTask } from "../../tasks/operations/task-moves.ts"
import { hasEnded, isHeld, type Task } from "../../tasks/task.ts"
import { agentOf, type Escalation } from "../escalation.ts"
import { listHolding, pauseTeam, resumeTeam, withdrawEscalations } from "./escalation-holds.ts"

interface Decision {
  readonly decided: Escalation
  readonly task: Task | null
  readonly by: string
  readonly settings: Settings
}

/** Returns what happened, in a few words. Team and task must be locked. */
export async function followDecision(tx: Tx, team: StoredTeam, decision: Decision): Promise<string> {
  const { decided, task } = decision
  const agent = agentOf(decided)
  if (agent !== undefined) return decideAgent(tx, team, { ...decision, agent })
  if (task === null) return decideTeam(tx, team, decision)
  const after = await moveOn(tx, team, { ...decision, task })
  const others = (await listHolding(tx, team.key, task.id)).map(({ number }) => number)
  const waits =
    after.status === "paused" && others.length > 0 ? `, until escalation ${others.join(", ")} is decided` : ""
  return `task ${task.id} is ${after.status}${waits}`
}

/** Uses an excluded agent program again, or pauses the team. */
async function decideAgent(
  tx: Tx,
  team: StoredTeam,
  { agent, by, decided }: Decision & { readonly agent: string },
): Promise<string> {
  if (decided.decision !== "go-on") {
    await pauseTeam(tx, team, { by, reason: `${agent} is left out` })
    return `the team is ${team.status === "active" ? "paused" : team.status}`
  }
  if (await tx.agentFaults.remove(agent))
    await tx.events.append(team.key, by, { type: "agent.taken_back", data: { agent } })
  return `${agent} is tried again`
}

async function decideTeam(tx: Tx, team: StoredTeam, { decided, by }: Decision): Promise<string> {
  const { decision, number, note } = decided
  if (decision === "retry") {
    const open = await allowAnotherFix(tx, team)
    return `${open.length} open findings are fixed again; ${await resumeUnlessHeld(tx, team, by)}`
  }
  if (decision === "waive") {
    const waived = await waiveAll(tx, team, { reason: note ?? `escalation ${number}: waive`, by })
    return `${waived.length} findings are waived; ${await resumeUnlessHeld(tx, team, by)}`
  }
  return decision === "go-on" ? resumeUnlessHeld(tx, team, by) : "the team stays paused"
}

async function resumeUnlessHeld(tx: Tx, team: StoredTeam, by: string): Promise<string> {
  const [other] = await listHolding(tx, team.key, null)
  if (other !== undefined) return `the team stays paused, until escalation ${other.number} is decided`
  if (team.status !== "paused") return `the team is ${team.status}`
  await resumeTeam(tx, team, by)
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
  const isHeldByOthers = async () => task.status === "paused" && (await listHolding(tx, team.key, task.id)).length > 0
  if (hasEnded(task.status) && task.status !== "failed") return task
  switch (decision) {
    case "go-on":
      if (task.status !== "paused" || (await isHeldByOthers())) return task
      return moveTask(tx, team, { ...move, to: task.pausedFrom ?? "open" })
    case "reassign":
    case "retry": {
      const named = decision === "retry" ? task : await giveTo(tx, team, { task, by, agent: decided.agent })
      if (task.status === "failed") return reopenTask(tx, team, { task: named, by, reason, settings })
      if (task.status === "open" || (await isHeldByOthers())) return named
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
    case "waive": // only for the team as a whole
    case null:
      return task
    default:
      return unreachable(decision)
  }
}

/** Resets the model, which belongs to the former agent program. */
async function giveTo(
  tx: Tx,
  team: StoredTeam,
  { task, by, agent }: { readonly task: Task; readonly by: string; readonly agent: string | null },
): Promise<Task> {
  const given = await tx.tasks.update(team.key, task.id, { work: { ...task.work, agent, model: null } })
  await tx.events.append(team.key, by, { type: "task.updated", data: { task: task.id, fields: ["agent"] } })
  return given
}
