import { layerTasks, type Node } from "./layers.ts"

/**
 * Whether the task is on the longest chain of remaining tasks, so that its delay delays the end. False where no task
 * waits for another.
 */
export function isOnCriticalPath(left: readonly Node[], id: string): boolean {
  const ids = new Set(left.map((task) => task.id))
  const nodes = left.map((task) => ({ id: task.id, blockedBy: task.blockedBy.filter((need) => ids.has(need)) }))
  const { layers, height } = layerTasks(nodes)
  const before = layers.findIndex((layer) => layer.includes(id))
  return layers.length > 1 && before >= 0 && before + 1 + (height.get(id) ?? 0) === layers.length
}
