import { layerTasks, type Node } from "./layers.ts"

/**
 * Whether a task lies on the longest chain of tasks that are left: what delays it delays the end. Where no task waits for
 * another there is no such chain.
 */
export function isOnCriticalPath(left: readonly Node[], id: string): boolean {
  const ids = new Set(left.map((task) => task.id))
  const nodes = left.map((task) => ({ id: task.id, blockedBy: task.blockedBy.filter((need) => ids.has(need)) }))
  const { layers, height } = layerTasks(nodes)
  const before = layers.findIndex((layer) => layer.includes(id))
  return layers.length > 1 && before >= 0 && before + 1 + (height.get(id) ?? 0) === layers.length
}
