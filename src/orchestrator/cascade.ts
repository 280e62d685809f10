import { SCRIPT } from "../agents/programs.ts"
import { cascadeIdOf, followUpOf, mayCascade } from "../tasks/follow-up.ts"
import { takesClaims } from "../tasks/readiness.ts"
import type { EngineLimits, EngineSnapshot, ShortAction } from "./actions.ts"

/**
 * Finished work brings the next step with it: what was built gets tests, what tests gets a review, and a review ends the
 * line. Once for each task, since the follow-up's id follows from the task's. Not for what a script did or a fix: the
 * first has nobody who could write tests, the second belongs to a task that has its own. Nor for what brought its tests.
 */
export function cascade(
  { team, tasks, history, tested }: EngineSnapshot,
  { enableCascade }: EngineLimits,
): ShortAction[] {
  if (!enableCascade || !takesClaims(team)) return []
  const known = new Set<string>(tasks.map(({ id }) => id))
  const finished = tasks.filter((task) => task.status === "resolved" && mayCascade(task))
  const candidates = finished.flatMap((task) => {
    const kind = followUpOf(task)
    if (kind === undefined || known.has(cascadeIdOf(task.id, kind))) return []
    return kind === "test" && tested.has(`${task.id}/${task.attempt}`) ? [] : [{ task, kind }]
  })
  if (candidates.length === 0) return []
  const agents = new Map(history.runs.values().map((run) => [run.task, run.agent])) // the latest run of each
  return candidates
    .filter(({ task }) => agents.get(task.id) !== SCRIPT)
    .map(({ task, kind }) => ({ type: "cascade", of: task.id, kind }))
}
