import { isMet, type Task } from "./task.ts"

type Rechecked = Pick<Task, "id" | "status" | "blockedBy">

/**
 * Of the resolved tasks that are to be looked at again, because one that they build on was revised: those whose needs are
 * met and not in doubt themselves. `asked`: the revised task, by the id of the one that builds on it.
 */
export function listDueRechecks<T extends Rechecked>(tasks: readonly T[], asked: ReadonlyMap<string, string>): T[] {
  const byId = new Map<string, T>(tasks.map((task) => [task.id, task]))
  const isSure = (id: string) => isMet(byId.get(id)?.status ?? "open") && !isAsked(id)
  const isAsked = (id: string) => asked.has(id) && byId.get(id)?.status === "resolved"
  return tasks.filter(({ id, blockedBy }) => isAsked(id) && blockedBy.every(isSure))
}
