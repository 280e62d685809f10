import { describe, expect, it } from "bun:test"
import fc from "fast-check"
import { AppError } from "../kernel/errors.ts"
import { layerTasks, type Node } from "./layers.ts"

/** Far more than it takes, also on a busy machine; what looks at every pair of tasks takes minutes. */
const QUICKLY_MS = 10_000
const MANY = 100_000

describe("layerTasks", () => {
  it("has no layers without tasks", () => {
    expect(layerTasks([])).toEqual({ layers: [], height: new Map() })
  })

  it("puts every task one layer behind the last of its needs", () => {
    const nodes = graph({ a: "", b: "a", c: "a", d: "b c", e: "a d", f: "" })
    expect(layerTasks(nodes).layers).toEqual([["a", "f"], ["b", "c"], ["d"], ["e"]])
  })

  it("measures the longest chain that waits for each task", () => {
    const { height } = layerTasks(graph({ a: "", b: "a", c: "b", d: "a", e: "" }))
    expect(Object.fromEntries(height)).toEqual({ a: 2, b: 1, c: 0, d: 0, e: 0 })
  })

  it("counts a need that is named twice once", () => {
    expect(layerTasks([node("a"), node("b", "a", "a")]).layers).toEqual([["a"], ["b"]])
  })

  it("takes tasks in any order", () => {
    expect(layerTasks(graph({ c: "b", b: "a", a: "" })).layers).toEqual([["a"], ["b"], ["c"]])
  })

  it.each([
    ["a task that needs itself", { a: "a" }, ["a", "a"]],
    ["two that need each other", { a: "b", b: "a" }, ["a", "b", "a"]],
    ["a longer circle", { a: "c", b: "a", c: "b" }, ["a", "c", "b", "a"]],
    ["a circle that others wait for", { z: "a", a: "b", b: "c", c: "a" }, ["a", "b", "c", "a"]],
    ["a circle behind good tasks", { ok: "", x: "ok y", y: "x" }, ["x", "y", "x"]],
    ["one circle of several", { a: "b", b: "a", c: "d", d: "c" }, ["a", "b", "a"]],
  ])("names the circle exactly: %s", (_, needs, path) => {
    const error = refused(graph(needs))
    expect(error.code).toBe("need.cycle")
    expect(error.details.path).toEqual(path)
    expect(error.message).toContain(path.join(" -> "))
  })

  it("tells a missing need from a circle, also when both are there", () => {
    const error = refused(graph({ a: "b", b: "a", c: "nowhere" }))
    expect(error.code).toBe("need.missing")
    expect(error.details).toEqual({ taskId: "c", need: "nowhere" })
    expect(error.message).toContain("task c needs nowhere, which does not exist")
  })

  it.each([
    ["a long chain", (index: number) => (index === 0 ? [] : [index - 1])],
    ["two wide layers", (index: number) => (index < MANY / 2 ? [] : [index - MANY / 2])],
    ["one task that all others need", (index: number) => (index === 0 ? [] : [0])],
    ["several needs each", (index: number) => [index - 1, index - 7, index - 50].filter((need) => need >= 0)],
  ])(`layers ${MANY} tasks quickly: %s`, (_, needs) => {
    const nodes = Array.from({ length: MANY }, (_, index) =>
      node(`t${index}`, ...needs(index).map((need) => `t${need}`)),
    )
    const started = performance.now()
    const { layers, height } = layerTasks(nodes)
    expect(performance.now() - started).toBeLessThan(QUICKLY_MS)
    expect(layers.reduce((sum, layer) => sum + layer.length, 0)).toBe(MANY)
    expect(height.size).toBe(MANY)
  })

  it(`finds a circle of ${MANY} tasks quickly`, () => {
    const nodes = Array.from({ length: MANY }, (_, index) => node(`t${index}`, `t${(index + 1) % MANY}`))
    const started = performance.now()
    const error = refused(nodes)
    expect(performance.now() - started).toBeLessThan(QUICKLY_MS)
    expect((error.details.path as string[]).length).toBe(MANY + 1)
  })

  it("puts every need into an earlier layer, and each task right behind the last of them", () => {
    fc.assert(
      fc.property(acyclicGraph(), (nodes) => {
        const { layers, height } = layerTasks(nodes)
        const layerOf = new Map(layers.flatMap((ids, index) => ids.map((id) => [id, index] as const)))
        expect(layerOf.size).toBe(nodes.length)
        for (const { id, blockedBy } of nodes) {
          const last = Math.max(-1, ...blockedBy.map((need) => layerOf.get(need) ?? Number.NaN))
          expect(layerOf.get(id)).toBe(last + 1)
          for (const need of blockedBy) expect(height.get(need) ?? 0).toBeGreaterThan(height.get(id) ?? 0)
        }
      }),
    )
  })

  it("finds a real circle whenever there is one, and only then", () => {
    fc.assert(
      fc.property(anyGraph(), (nodes) => {
        const byId = new Map(nodes.map((each) => [each.id, each]))
        const error = refusedOrNot(nodes)
        expect(error !== undefined).toBe(hasCircle(nodes))
        const path = (error?.details.path ?? []) as string[]
        if (error === undefined) return
        expect(path.at(0)).toBe(path.at(-1) as string)
        expect(new Set(path.slice(1)).size).toBe(path.length - 1)
        path.slice(1).forEach((need, index) => {
          expect(byId.get(path[index] ?? "")?.blockedBy).toContain(need)
        })
      }),
    )
  })
})

function node(id: string, ...blockedBy: string[]): Node {
  return { id, blockedBy }
}

/** `{ b: "a c" }`: b needs a and c. */
function graph(needs: Record<string, string>): Node[] {
  return Object.entries(needs).map(([id, list]) => node(id, ...list.split(" ").filter((need) => need !== "")))
}

function refused(nodes: readonly Node[]): AppError {
  const error = refusedOrNot(nodes)
  if (error === undefined) throw new Error("was not refused")
  return error
}

function refusedOrNot(nodes: readonly Node[]): AppError | undefined {
  try {
    layerTasks(nodes)
    return undefined
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}

function acyclicGraph(): fc.Arbitrary<Node[]> {
  return edges().map((lists) =>
    mixOrder(
      lists.map((list, index) =>
        node(`t${index}`, ...new Set(list.filter((need) => need < index).map((need) => `t${need}`))),
      ),
    ),
  )
}

function anyGraph(): fc.Arbitrary<Node[]> {
  return edges().map((lists) =>
    lists.map((list, index) =>
      node(`t${index}`, ...list.filter((need) => need < lists.length).map((need) => `t${need}`)),
    ),
  )
}

function edges(): fc.Arbitrary<number[][]> {
  return fc.array(fc.array(fc.nat(11), { maxLength: 3 }), { maxLength: 12 })
}

/** Needs before and behind those who need them. */
function mixOrder(nodes: Node[]): Node[] {
  return nodes.filter((_, index) => index % 2 === 0).concat(nodes.filter((_, index) => index % 2 === 1).toReversed())
}

/** By hand: whether some task can be reached from itself. */
function hasCircle(nodes: readonly Node[]): boolean {
  const needs = new Map(nodes.map((each) => [each.id, each.blockedBy]))
  return nodes.some(({ id }) => {
    const seen = new Set<string>()
    const open = [...(needs.get(id) ?? [])]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (next === id) return true
      if (!seen.has(next)) open.push(...(needs.get(next) ?? []))
      seen.add(next)
    }
    return false
  })
}
