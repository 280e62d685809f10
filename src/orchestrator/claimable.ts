import { findObstacle, takesClaims } from "../tasks/readiness.ts"
import type { Task } from "../tasks/task.ts"
import { type EngineSnapshot, earliest } from "./actions.ts"

/** Including tasks assigned to one worker. */
export function listClaimable(snapshot: EngineSnapshot): Task[] {
  const { now, tasks, waves } = snapshot
  const team = { ...snapshot.team, currentWave: waves.currentWave }
  const held = listLeased(snapshot)
  return tasks.filter(
    (task) => (task.status === "open" || held.has(task)) && findObstacle(task, team, { now }) === undefined,
  )
}

/** When the next claim expires and frees its task; null without one. */
export function nextLeaseEnd(snapshot: EngineSnapshot): number | null {
  if (!takesClaims(snapshot.team)) return null
  const ends = [...listLeased(snapshot)].map(({ leaseUntil }) => Date.parse(leaseUntil ?? "") + 1)
  return earliest(ends.filter((end) => end > snapshot.now))
}

/** Not those of our running workers: supervision decides whether one of them stopped responding. */
function listLeased({ tasks, workers }: EngineSnapshot): Set<Task> {
  const ours = new Set<string | null>(workers.filter(({ isRunning }) => isRunning === true).map(({ id }) => id))
  return new Set(
    tasks.filter((task) => task.status === "in_progress" && task.leaseUntil !== null && !ours.has(task.workerId)),
  )
}
