import { isMet, type Task } from "./task.ts"

type Rechecked = Pick<Task, "id" | "status" | "blockedBy">

/**
 * Resolved tasks to check again whose needs are met and need no check themselves. `asked`: the revised need, by
 * task.
 */
export function listDueRechecks<T extends Rechecked>(tasks: readonly T[], asked: ReadonlyMap<string, string>): T[] {
  const byId = new Map<string, T>(tasks.map((task) => [task.id, task]))
  const isSure = (id: string) => isMet(byId.get(id)?.status ?? "open") && !isAsked(id)
  const isAsked = (id: string) => asked.has(id) && byId.get(id)?.status === "resolved"
  return tasks.filter(({ id, blockedBy }) => isAsked(id) && blockedBy.every(isSure))
}
