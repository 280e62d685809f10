import type { EngineSnapshot } from "./actions.ts"
import type { Task } from "./task.ts"

/**
 * The tasks that somebody could claim now, whoever they are meant for: what the store's claim decides for one claimant,
 * for all of them.
 */
export function listClaimable(snapshot: EngineSnapshot): Task[] {
  const { team } = snapshot
  if (team.status !== "active" || team.phase === "COMPLETE") return []
  const alive = new Set(snapshot.workers.filter((worker) => worker.isRunning === true).map(({ id }) => id as string))
  return snapshot.tasks.filter((task) => {
    if (!hasMetNeeds(task, snapshot)) return false
    if (task.status === "open") return true
    // A claim that ran out; whether one of ours fell silent is for the supervision to say.
    return isAbandoned(task, snapshot.now) && !alive.has(task.workerId ?? "")
  })
}

/** Whether nothing but its own state keeps anybody from claiming it. */
export function hasMetNeeds(task: Task, { team, waves }: Pick<EngineSnapshot, "team" | "waves">): boolean {
  if (task.unmet > 0) return false
  return team.schedule === "eager" || task.wave === null || waves.waves.length === 0 || task.wave <= waves.currentWave
}

function isAbandoned({ status, leaseUntil }: Task, now: number): boolean {
  return status === "in_progress" && leaseUntil !== null && Date.parse(leaseUntil) < now
}
