import type { Task } from "../tasks/task.ts"
import type { EngineSnapshot } from "./actions.ts"

/** Some of these tasks are done and not merged yet. */
export function hasUnmerged({ settled }: EngineSnapshot, tasks: readonly Task[]): boolean {
  return tasks.some(({ id, attempt, status }) => status === "resolved" && !settled.has(`${id}/${attempt}`))
}
