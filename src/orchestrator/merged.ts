import { isFixId, isRepairComing } from "../tasks/fix-task.ts"
import type { Task } from "../tasks/task.ts"
import type { EngineSnapshot } from "./actions.ts"

/** Some of these tasks are done and not merged yet, and their work is here. */
export function hasUnmerged(snapshot: EngineSnapshot, tasks: readonly Task[]): boolean {
  const { settled } = snapshot
  return tasks.some((task) => {
    const { id, attempt, status } = task
    return status === "resolved" && !settled.has(`${id}/${attempt}`) && elsewhereOf(snapshot, task) === undefined
  })
}

/**
 * A task is done by what the store says, and its worker is still at it: somebody else ended it, such as the agent itself.
 * What the worker has committed is known once it lets go, and nothing is merged or judged before.
 */
export function isStillWorkedOn({ tasks, workers, history }: EngineSnapshot): boolean {
  const ours = new Set<string>(workers.filter(({ isRunning }) => isRunning !== null).map(({ id }) => id))
  return tasks.some(({ id, attempt, status }) => {
    const atWork = status === "resolved" || status === "in_review" ? history.tasks.get(id)?.atWork : null
    return atWork != null && atWork.attempt === attempt && ours.has(atWork.worker)
  })
}

/** Where the work of a task that is done is, in words, if it is not here: nobody here can merge it. */
export function elsewhereOf({ elsewhere }: EngineSnapshot, { id, attempt, status }: Task): string | undefined {
  return status === "resolved" || status === "in_review" ? elsewhere.get(`${id}/${attempt}`) : undefined
}

/** Tasks whose work is merged only after a repair that is still to come. Nothing else changes that, so nobody tries. */
export function waitsForRepair({ queued, tasks }: Pick<EngineSnapshot, "queued" | "tasks">): (task: Task) => boolean {
  if (queued.size === 0) return () => false
  const byId = new Map<string, Task>(tasks.map((task) => [task.id, task]))
  const isWaiting = ({ id, attempt }: Task, seen: readonly string[]): boolean => {
    const behind = queued.get(`${id}/${attempt}`)
    const fix = behind === undefined || seen.includes(behind) ? undefined : byId.get(behind)
    if (fix === undefined) return false
    // One that is done is merged with the next merge, unless it waits itself.
    const isDone = fix.status === "in_review" || fix.status === "resolved"
    return isDone ? isWaiting(fix, [...seen, fix.id]) : isRepairComing(fix.id, byId)
  }
  return (task) => isWaiting(task, [])
}

/** A wave that was merged before and has repairs: each of them is merged as it comes, so that others can follow. */
export function isBeingRepaired(tasks: readonly Task[]): boolean {
  return tasks.some(({ id }) => isFixId(id))
}
