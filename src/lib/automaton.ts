import { type CharSet, has, intersect } from "./char-set.ts"

/**
 * A set of texts as a nondeterministic automaton over code points: a text is in the set when one of the states at its end
 * accepts. State 0 is the first.
 */
export interface Automaton {
  readonly edges: readonly (readonly Edge[])[]
  readonly accepts: readonly boolean[]
}

interface Edge {
  readonly set: CharSet
  readonly to: number
}

/** Builds an automaton edge by edge. */
export class Builder {
  readonly #edges: Edge[][] = []
  readonly #skips: number[][] = []
  readonly #accepts: boolean[] = []

  state(): number {
    this.#edges.push([])
    this.#skips.push([])
    this.#accepts.push(false)
    return this.#edges.length - 1
  }

  edge(from: number, set: CharSet, to = this.state()): number {
    this.#edges[from]?.push({ set, to })
    return to
  }

  /** From one state to another without reading. */
  skip(from: number, to = this.state()): number {
    this.#skips[from]?.push(to)
    return to
  }

  accept(state: number): void {
    this.#accepts[state] = true
  }

  build(): Automaton {
    const reach = this.#skips.map((_, state) => this.#reachable(state))
    return {
      edges: reach.map((states) => states.flatMap((state) => this.#edges[state] ?? [])),
      accepts: reach.map((states) => states.some((state) => this.#accepts[state])),
    }
  }

  #reachable(start: number): number[] {
    const found = [start]
    for (const state of found) for (const next of this.#skips[state] ?? []) if (!found.includes(next)) found.push(next)
    return found
  }
}

export function accepts(automaton: Automaton, points: readonly number[]): boolean {
  let states = [0]
  for (const point of points) {
    states = step(automaton, states, point)
    if (states.length === 0) return false
  }
  return states.some((state) => automaton.accepts[state])
}

function step({ edges }: Automaton, states: readonly number[], point: number): number[] {
  const next = new Set<number>()
  for (const state of states) for (const { set, to } of edges[state] ?? []) if (has(set, point)) next.add(to)
  return [...next].sort((a, b) => a - b)
}

/** Chooses one of several code points, if any of them can be in a text. */
export type Pick = (set: CharSet) => number | undefined

interface Visit {
  readonly states: readonly number[]
  readonly before: Visit | undefined
  readonly point: number
}

/** A shortest text that all of them accept, if there is any. */
export function findCommon(automata: readonly Automaton[], pick: Pick): string | undefined {
  const queue: Visit[] = [{ states: automata.map(() => 0), before: undefined, point: -1 }]
  const seen = new Set([String(queue[0]?.states)])
  for (const visit of queue) {
    if (visit.states.every((state, index) => automata[index]?.accepts[state])) return textOf(visit)
    for (const { set, states } of commonEdges(automata, visit.states)) {
      if (seen.has(String(states))) continue
      const point = pick(set)
      if (point === undefined) continue
      seen.add(String(states))
      queue.push({ states, before: visit, point })
    }
  }
  return undefined
}

function commonEdges(automata: readonly Automaton[], from: readonly number[]): { set: CharSet; states: number[] }[] {
  let found: { set: CharSet; states: number[] }[] = [{ set: [[0, 0x10ffff]], states: [] }]
  for (const [index, automaton] of automata.entries()) {
    const edges = automaton.edges[from[index] ?? 0] ?? []
    found = found.flatMap(({ set, states }) =>
      edges.flatMap((edge) => {
        const common = intersect(set, edge.set)
        return common.length === 0 ? [] : [{ set: common, states: [...states, edge.to] }]
      }),
    )
  }
  return found
}

/** The most combined states to visit; patterns that people write have some hundred. */
const MAX_VISITED = 20_000

/**
 * A shortest text that all of `some` accept and none of `others` does. Undefined when there is none; empty when the search
 * was given up, as patterns with many stars can have too many combined states.
 */
export function findBeyond(some: readonly Automaton[], others: readonly Automaton[], pick: Pick): string | undefined {
  type Spot = Visit & { readonly sets: readonly (readonly number[])[] }
  const start: Spot = { states: some.map(() => 0), sets: others.map(() => [0]), before: undefined, point: -1 }
  const queue = [start]
  const seen = new Set<string>()
  for (const spot of queue) {
    const isIn = spot.states.every((state, index) => some[index]?.accepts[state])
    const isOut = spot.sets.every((states, index) => !states.some((state) => others[index]?.accepts[state]))
    if (isIn && isOut) return textOf(spot)
    for (const { set, states } of commonEdges(some, spot.states)) {
      // Points between the same borders lead to the same states, so one of them represents all.
      for (const part of split(set, borders(others, spot.sets))) {
        const point = pick(part)
        if (point === undefined) continue
        const sets = others.map((other, index) => step(other, spot.sets[index] ?? [], point))
        const key = `${states}|${sets.join(";")}`
        if (seen.has(key)) continue
        if (seen.size >= MAX_VISITED) return ""
        seen.add(key)
        queue.push({ states, sets, before: spot, point })
      }
    }
  }
  return undefined
}

function borders(automata: readonly Automaton[], sets: readonly (readonly number[])[]): number[] {
  const found = new Set<number>()
  for (const [index, { edges }] of automata.entries())
    for (const state of sets[index] ?? [])
      for (const { set } of edges[state] ?? []) for (const [from, to] of set) found.add(from).add(to + 1)
  return [...found].sort((a, b) => a - b)
}

function split(set: CharSet, at: readonly number[]): CharSet[] {
  const parts: CharSet[] = []
  for (const [from, to] of set) {
    let low = from
    for (const border of at) {
      if (border <= low || border > to) continue
      parts.push([[low, border - 1]])
      low = border
    }
    parts.push([[low, to]])
  }
  return parts
}

function textOf(visit: Visit): string {
  const points: number[] = []
  for (let at: Visit | undefined = visit; at?.before !== undefined; at = at.before) points.push(at.point)
  return String.fromCodePoint(...points.reverse())
}
