import { AppError } from "../kernel/errors.ts"

export interface Node {
  readonly id: string
  readonly blockedBy: readonly string[]
}

export interface Layering {
  /** Layer 1 is at index 0. */
  readonly layers: string[][]
  /** The longest chain of tasks that wait for it. */
  readonly height: Map<string, number>
}

/**
 * Kahn's algorithm: a task is one layer after the last of its needs. Throws `need.missing` for an unknown need, and
 * `need.cycle` with the path of a cycle.
 */
export function layerTasks(nodes: readonly Node[]): Layering {
  const dependants = indexDependants(nodes)
  const waiting = new Map(nodes.map((node) => [node.id, new Set(node.blockedBy).size]))
  const layers: string[][] = []
  let layer = nodes.filter((node) => waiting.get(node.id) === 0).map((node) => node.id)
  let placed = 0
  while (layer.length > 0) {
    layers.push(layer)
    placed += layer.length
    const next: string[] = []
    for (const id of layer) {
      for (const dependant of dependants.get(id) ?? []) {
        const left = (waiting.get(dependant) ?? 0) - 1
        waiting.set(dependant, left)
        if (left === 0) next.push(dependant)
      }
    }
    layer = next
  }
  if (placed < nodes.length) throw cycleError(findCycle(nodes.filter((node) => (waiting.get(node.id) ?? 0) > 0)))
  return { layers, height: measureHeights(layers, dependants) }
}

function indexDependants(nodes: readonly Node[]): Map<string, string[]> {
  const dependants = new Map<string, string[]>(nodes.map((node) => [node.id, []]))
  for (const node of nodes) {
    for (const need of new Set(node.blockedBy)) {
      const list = dependants.get(need)
      if (list === undefined) throw missingNeedError(node.id, need)
      list.push(node.id)
    }
  }
  return dependants
}

function measureHeights(layers: string[][], dependants: Map<string, string[]>): Map<string, number> {
  const height = new Map<string, number>()
  for (const layer of layers.toReversed()) {
    for (const id of layer) {
      const below = (dependants.get(id) ?? []).map((dependant) => height.get(dependant) ?? 0)
      height.set(
        id,
        below.reduce((most, each) => Math.max(most, each + 1), 0),
      )
    }
  }
  return height
}

function findCycle(stuck: readonly Node[]): string[] {
  const byId = new Map(stuck.map((node) => [node.id, node]))
  const places = new Map<string, number>()
  let current = stuck[0]
  while (current !== undefined && !places.has(current.id)) {
    places.set(current.id, places.size)
    current = current.blockedBy.map((need) => byId.get(need)).find((node) => node !== undefined)
  }
  const path = [...places.keys()]
  const start = places.get(current?.id ?? "") ?? 0
  return [...path.slice(start), path[start] ?? ""]
}

export function listReachable(start: string, next: (id: string) => readonly string[]): Set<string> {
  const found = new Set(next(start))
  for (const id of found) for (const each of next(id)) found.add(each)
  return found
}

/** On the longest chain of remaining tasks. False if no task waits for another. */
export function isOnCriticalPath(left: readonly Node[], id: string): boolean {
  const ids = new Set(left.map((task) => task.id))
  const nodes = left.map((task) => ({ id: task.id, blockedBy: task.blockedBy.filter((need) => ids.has(need)) }))
  const { layers, height } = layerTasks(nodes)
  const before = layers.findIndex((layer) => layer.includes(id))
  return layers.length > 1 && before >= 0 && before + 1 + (height.get(id) ?? 0) === layers.length
}

export function missingNeedError(taskId: string, need: string): AppError {
  return new AppError("need.missing", `task ${taskId} needs ${need}, which does not exist; create ${need} first`, {
    taskId,
    need,
  })
}

export function cycleError(path: readonly string[]): AppError {
  return new AppError("need.cycle", `needs form a cycle: ${shorten(path).join(" -> ")}; remove one of them`, { path })
}

const MOST_SHOWN = 20

/** Keeps the beginning and the end. */
function shorten(path: readonly string[]): readonly string[] {
  if (path.length <= MOST_SHOWN) return path
  const left = path.length - MOST_SHOWN
  return [...path.slice(0, MOST_SHOWN / 2), `(${left} more)`, ...path.slice(-MOST_SHOWN / 2)]
}
