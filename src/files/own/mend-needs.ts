import type { TaskId } from "../../kernel/ids.ts"
import type { FileNote } from "../layouts/found-team.ts"
import type { SnapshotTask } from "../snapshot.ts"

/**
 * Leaves out needs that could never be met: those of which there is no task, and of every circle the need that closes
 * it. Files that were changed by hand, or of which some are gone, have such needs; a store must not.
 */
export function mendNeeds(tasks: readonly SnapshotTask[], changed: FileNote[]): readonly SnapshotTask[] {
  const byId = new Map(tasks.map((task) => [task.id, task]))
  const closing = findClosingNeeds(byId)
  return tasks.map((task) => {
    const closes = closing.get(task.id)
    const blockedBy = task.blockedBy.filter((need) => byId.has(need) && closes?.has(need) !== true)
    if (blockedBy.length === task.blockedBy.length) return task
    const reasons = task.blockedBy
      .filter((need) => !blockedBy.includes(need))
      .map((need) => `no longer needs ${need}: ${byId.has(need) ? "they go in a circle" : "there is no such task"}`)
    for (const what of reasons) changed.push({ file: `tasks/${task.id}.json`, what })
    // Without its need it could start too early: somebody has to decide.
    const pause = { status: "paused", pausedFrom: "open", pauseReason: reasons.join("; ") } as const
    return task.status === "open" ? { ...task, ...pause, blockedBy } : { ...task, blockedBy }
  })
}

/** Follows needs from every task; one that leads back to a task on the way closes a circle. Linear, and without depth. */
function findClosingNeeds(tasks: ReadonlyMap<TaskId, SnapshotTask>): Map<TaskId, Set<TaskId>> {
  const closing = new Map<TaskId, Set<TaskId>>()
  const state = new Map<TaskId, "on the way" | "done">()
  for (const root of tasks.keys()) {
    if (state.has(root)) continue
    const way = [{ id: root, next: 0 }]
    state.set(root, "on the way")
    for (let here = way.at(-1); here !== undefined; here = way.at(-1)) {
      const need = tasks.get(here.id)?.blockedBy[here.next]
      here.next += 1
      if (need === undefined) {
        state.set(here.id, "done")
        way.pop()
      } else if (state.get(need) === "on the way") {
        closing.set(here.id, (closing.get(here.id) ?? new Set()).add(need))
      } else if (!state.has(need) && tasks.has(need)) {
        state.set(need, "on the way")
        way.push({ id: need, next: 0 })
      }
    }
  }
  return closing
}
