import { listReachable } from "./layers.ts"
import type { Task } from "./task.ts"

/** For tasks that wait for a failed one. `ask`: a person decides. */
export const ON_BLOCKER_FAILED = ["ask", "retry", "remove-need", "skip-dependants"] as const
export type OnBlockerFailed = (typeof ON_BLOCKER_FAILED)[number]
export type BlockerChoice = Exclude<OnBlockerFailed, "ask">

/** Direct and indirect. */
export function listWaiting<T extends Pick<Task, "id" | "status" | "blockedBy">>(tasks: readonly T[], id: string): T[] {
  const waiting = tasks.filter(isWaiting)
  const found = listReachable(id, (each) =>
    waiting.flatMap((task) => (task.blockedBy.some((need) => need === each) ? [task.id] : [])),
  )
  return waiting.filter((task) => task.id !== id && found.has(task.id))
}

export function isWaiting({ status }: Pick<Task, "status">): boolean {
  return status === "open" || status === "paused"
}
