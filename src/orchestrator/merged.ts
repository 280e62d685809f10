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

/** Where the work of a task that is done is, in words, if it is not here: nobody here can merge it. */
export function elsewhereOf({ elsewhere }: EngineSnapshot, { id, attempt, status }: Task): string | undefined {
  return status === "resolved" || status === "in_review" ? elsewhere.get(`${id}/${attempt}`) : undefined
}
