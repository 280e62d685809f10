import { findObstacle } from "../tasks/readiness.ts"
import type { Task } from "../tasks/task.ts"
import type { EngineSnapshot, ShortAction } from "./actions.ts"

/**
 * Who was waiting for a task that is meant for them hears when nothing keeps it from starting any more, once for each
 * attempt. Tasks that are anybody's need no message: whoever is free takes them.
 */
export function tellUnblocked(snapshot: EngineSnapshot): ShortAction[] {
  const { now, tasks, history, waves } = snapshot
  const team = { ...snapshot.team, currentWave: waves.currentWave }
  const waited = tasks.filter(
    (task) =>
      task.status === "open" &&
      task.assignee !== null &&
      task.blockedBy.length > 0 &&
      history.tasks.get(task.id)?.isUnblockedTold !== true &&
      findObstacle(task, team, { now }) === undefined,
  )
  if (waited.length === 0) return []
  const byId = new Map<string, Task>(tasks.map((task) => [task.id, task]))
  return waited.map((task) => ({ type: "tell-unblocked", task: task.id, by: lastOf(task.blockedBy, byId) }))
}

/** The need that was met last. */
function lastOf(needs: readonly string[], byId: ReadonlyMap<string, Task>): string {
  const endOf = (id: string) => byId.get(id)?.completedAt ?? ""
  return needs.toSorted((a, b) => (endOf(a) < endOf(b) ? 1 : endOf(a) > endOf(b) ? -1 : 0))[0] ?? ""
}
