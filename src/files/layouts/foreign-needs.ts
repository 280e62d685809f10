import { AppError } from "../../kernel/errors.ts"
import { layerTasks, type Node } from "../../tasks/layers.ts"
import type { Source } from "./source.ts"
import type { TaskDraft } from "./task-draft.ts"

/** Needs that can be restored: each names a task that is there, and none goes in a circle. */
export interface MendedNeeds {
  readonly needs: ReadonlyMap<string, readonly string[]>
  readonly height: ReadonlyMap<string, number>
  /** Why a task must not start before somebody looked at it: something it needed is not among its needs any more. */
  readonly pauseReasons: ReadonlyMap<string, string>
}

export function mendNeeds(source: Source, tasks: readonly TaskDraft[]): MendedNeeds {
  const files = new Map<string, string>(tasks.map((task) => [task.id, task.file]))
  const reasons = new Map<string, string[]>()
  const drop = (id: string, reason: string, note: string) => {
    reasons.set(id, [...(reasons.get(id) ?? []), reason])
    source.change(files.get(id) ?? "", note)
  }
  const nodes = tasks.map((task) => {
    const needs = task.needs.length > 1 ? [...new Set(task.needs)] : task.needs
    if (task.hasUnreadableNeeds) reasons.set(task.id, ["its needs could not be read"])
    const blockedBy: string[] = []
    for (const need of needs) {
      if (files.has(need)) blockedBy.push(need)
      else {
        const reason = `needs task ${need}, which was not imported`
        drop(task.id, reason, `task ${task.id} ${reason}`)
      }
    }
    return { id: task.id as string, blockedBy: blockedBy.sort() }
  })
  const height = breakCircles(nodes, (id, need, path) => {
    const reason = `its needs went in a circle: ${describePath(path)}`
    drop(id, reason, `the need of task ${id} for task ${need} was left out; ${reason}`)
  })
  return {
    needs: new Map(nodes.map((node) => [node.id, node.blockedBy])),
    height,
    pauseReasons: new Map([...reasons].map(([id, list]) => [id, list.join("; ")])),
  }
}

interface MutableNode extends Node {
  blockedBy: string[]
}

/** Takes out of every circle the need of its first task: one that was there before what it is said to wait for. */
function breakCircles(
  nodes: readonly MutableNode[],
  tell: (id: string, need: string, path: readonly string[]) => void,
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
    tell(id, need, path)
  }
}

/** The heights, or the path of a circle. */
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
