import type { Task } from "../tasks/task.ts"
import type { EngineSnapshot } from "./actions.ts"

/**
 * The tasks that somebody could claim now, whoever they are meant for: what the store's claim decides for one claimant,
 * for all of them.
 */
export function listClaimable(snapshot: EngineSnapshot): Task[] {
  if (!givesOut(snapshot)) return []
  const held = listLeased(snapshot)
  return snapshot.tasks.filter((task) => {
    if (!hasMetNeeds(task, snapshot)) return false
    return task.status === "open" || (held.has(task) && leaseEnd(task) < snapshot.now)
  })
}

/** When the next claim runs out that would leave a task to others; null when there is none. */
export function nextLeaseEnd(snapshot: EngineSnapshot): number | null {
  if (!givesOut(snapshot)) return null
  const ends = [...listLeased(snapshot)].map((task) => leaseEnd(task) + 1).filter((end) => end > snapshot.now)
  return ends.length === 0 ? null : Math.min(...ends)
}

function givesOut({ team }: EngineSnapshot): boolean {
  return team.status === "active" && team.phase !== "COMPLETE"
}

/** Held by others than our workers that run: whether one of those fell silent is for the supervision to say. */
function listLeased({ tasks, workers }: EngineSnapshot): Set<Task> {
  const ours = new Set<string | null>(workers.filter(({ isRunning }) => isRunning === true).map(({ id }) => id))
  return new Set(
    tasks.filter((task) => task.status === "in_progress" && task.leaseUntil !== null && !ours.has(task.workerId)),
  )
}

function leaseEnd({ leaseUntil }: Task): number {
  return Date.parse(leaseUntil ?? "")
}

/** Whether nothing but its own state keeps anybody from claiming it. */
export function hasMetNeeds(task: Task, { team, waves }: Pick<EngineSnapshot, "team" | "waves">): boolean {
  if (task.unmet > 0) return false
  return team.schedule === "eager" || task.wave === null || waves.waves.length === 0 || task.wave <= waves.currentWave
}
