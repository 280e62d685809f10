import { AppError } from "../../kernel/errors.ts"
import { layerTasks, type Node } from "../../tasks/layers.ts"

export interface DroppedNeed {
  readonly id: string
  readonly reason: string
  readonly note: string
}

export interface MendedNeeds {
  readonly needs: ReadonlyMap<string, readonly string[]>
  readonly height: ReadonlyMap<string, number>
  /** A task must not start before a person looked at the needs it lost. */
  readonly dropped: readonly DroppedNeed[]
}

/** Drops needs for missing tasks and one need of every cycle: files may have them, a store must not. */
export function mendNeeds(tasks: readonly { readonly id: string; readonly needs: readonly string[] }[]): MendedNeeds {
  const ids = new Set(tasks.map(({ id }) => id))
  const dropped: DroppedNeed[] = []
  const nodes = tasks.map(({ id, needs }) => {
    const all = [...new Set(needs)].sort()
    for (const need of new Set(needs)) {
      if (ids.has(need)) continue
      const reason = `needs task ${need}, which was not imported`
      dropped.push({ id, reason, note: `task ${id} ${reason}` })
    }
    return { id, blockedBy: all.filter((need) => ids.has(need)) }
  })
  const height = breakCircles(nodes, (id, need, path) => {
    const reason = `its needs went in a circle: ${describePath(path)}`
    dropped.push({ id, reason, note: `the need of task ${id} for task ${need} was left out; ${reason}` })
  })
  return { needs: new Map(nodes.map((node) => [node.id, node.blockedBy])), height, dropped }
}

interface MutableNode extends Node {
  blockedBy: string[]
}

/** In every cycle, drops the need of the task that was created first: it existed before the task it waits for. */
function breakCircles(
  nodes: readonly MutableNode[],
  onDrop: (id: string, need: string, path: readonly string[]) => void,
): Map<string, number> {
  const places = new Map(nodes.map((node, index) => [node.id, index]))
  const place = (id: string) => places.get(id) ?? 0
  for (;;) {
    const result = tryLayers(nodes)
    if (result instanceof Map) return result
    const ring = result.slice(0, -1)
    const start = ring.reduce((first, id, index) => (place(id) < place(ring[first] ?? id) ? index : first), 0)
    const path = [...ring.slice(start), ...ring.slice(0, start), ring[start] ?? ""]
    const [id = "", need = ""] = path
    const node = nodes[place(id)]
    if (node === undefined) throw new Error(`the circle ${path.join(" -> ")} names no task`)
    node.blockedBy = node.blockedBy.filter((each) => each !== need)
    onDrop(id, need, path)
  }
}

function tryLayers(nodes: readonly Node[]): Map<string, number> | string[] {
  try {
    return layerTasks(nodes).height
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "need.cycle") throw error
    return error.details.path as string[]
  }
}

const MOST_SHOWN = 20

function describePath(path: readonly string[]): string {
  const shown = path.length <= MOST_SHOWN ? path : [...path.slice(0, MOST_SHOWN - 1), "...", path.at(-1)]
  return shown.join(" -> ")
}
