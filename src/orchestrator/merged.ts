import { isFixId, isRepairComing } from "../tasks/fix-task.ts"
import type { Task } from "../tasks/task.ts"
import type { EngineSnapshot } from "./actions.ts"

export function hasUnmerged(snapshot: EngineSnapshot, tasks: readonly Task[]): boolean {
  return tasks.some(
    (task) =>
      task.status === "resolved" &&
      !snapshot.settled.has(`${task.id}/${task.attempt}`) &&
      elsewhereOf(snapshot, task) === undefined,
  )
}

/**
 * A task may be done in the store while its worker is still busy with it: another participant, such as the agent
 * itself, ended it. Nothing is merged or judged before the worker ends and names its commit.
 */
export function isStillWorkedOn({ tasks, workers, history }: EngineSnapshot): boolean {
  const ours = new Set<string>(workers.filter(({ isRunning }) => isRunning !== null).map(({ id }) => id))
  return tasks.some(({ id, attempt, status }) => {
    const atWork = status === "resolved" || status === "in_review" ? history.tasks.get(id)?.atWork : null
    return atWork != null && atWork.attempt === attempt && ours.has(atWork.worker)
  })
}

/** Undefined when the work can be merged here. */
export function elsewhereOf({ elsewhere }: EngineSnapshot, { id, attempt, status }: Task): string | undefined {
  return status === "resolved" || status === "in_review" ? elsewhere.get(`${id}/${attempt}`) : undefined
}

/** The repair is not done yet. */
export function waitsForRepair({ queued, tasks }: Pick<EngineSnapshot, "queued" | "tasks">): (task: Task) => boolean {
  if (queued.size === 0) return () => false
  const byId = new Map<string, Task>(tasks.map((task) => [task.id, task]))
  const isWaiting = ({ id, attempt }: Task, seen: readonly string[]): boolean => {
    const behind = queued.get(`${id}/${attempt}`)
    const fix = behind === undefined || seen.includes(behind) ? undefined : byId.get(behind)
    if (fix === undefined) return false
    // A finished fix comes with the next merge, unless it waits itself.
    const isDone = fix.status === "in_review" || fix.status === "resolved"
    return isDone ? isWaiting(fix, [...seen, fix.id]) : isRepairComing(fix.id, byId)
  }
  return (task) => isWaiting(task, [])
}

/** Repairs of a merged wave are merged one by one, so that others can follow. */
export function isBeingRepaired(tasks: readonly Task[]): boolean {
  return tasks.some(({ id }) => isFixId(id))
}
