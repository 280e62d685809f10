import { AppError } from "../../kernel/errors.ts"
import type { TaskId } from "../../kernel/ids.ts"
import { assertStillApart } from "../../ownership/operations/plan-files.ts"
import type { Settings } from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { layerTasks } from "../layers.ts"
import type { Task } from "../task.ts"
import { replanWaves } from "./plan-waves.ts"

/** Refuses cycles. The team must be locked. */
export async function changeNeeds(
  tx: Tx,
  team: StoredTeam,
  task: Task,
  change: { add: readonly TaskId[]; remove: readonly TaskId[]; by: string; settings: Settings },
): Promise<Task> {
  const missing = change.remove.find((need) => !task.blockedBy.includes(need))
  if (missing !== undefined)
    throw new AppError(
      "need.missing",
      `task ${task.id} does not need ${missing}; its needs are ${task.blockedBy.join(", ") || "none"}`,
    )
  const needs = [...new Set([...task.blockedBy, ...change.add])].filter((need) => !change.remove.includes(need))
  const graph = await tx.tasks.graph(team.key)
  const after = graph.map((node) => (node.id === task.id ? { ...node, blockedBy: needs } : node))
  layerTasks(after)
  if (change.remove.length > 0) await assertStillApart(tx, team, change.settings, { before: graph, after })
  const changed = await tx.tasks.setNeeds(team.key, task.id, needs)
  await tx.events.append(team.key, change.by, {
    type: "task.needs_changed",
    data: { task: task.id, added: [...change.add], removed: [...change.remove] },
  })
  const hasWaves = (await tx.waves.list(team.key)).length > 0
  if (!hasWaves) return changed
  await replanWaves(tx, team, change.by)
  return (await tx.tasks.find(team.key, task.id)) ?? changed
}
