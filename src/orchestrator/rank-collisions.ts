import { matchesPattern } from "../ownership/file-pattern.ts"
import { listOverlaps } from "../ownership/overlaps.ts"
import type { ExpectedFiles } from "./expected-files.ts"

export interface RankedWork extends ExpectedFiles {
  readonly id: string
}

/**
 * The rank of each ready task: with how many of those it collides that are at work, wait to be merged, or go before it.
 * Always the one that collides least comes next, so that also several that are claimed at the same moment, in the order
 * of their ranks, collide as little as they can. Those that collide with nothing have 0.
 */
export function rankCollisions(ready: readonly RankedWork[], ahead: readonly RankedWork[]): Map<string, number> {
  const meets = listMeetings([...ready, ...ahead])
  const before = new Set(ahead.map(({ id }) => id))
  const ranks = new Map<string, number>()
  const left = new Map<string, number>()
  for (const { id } of ready) {
    const others = meets.get(id)
    if (others === undefined) ranks.set(id, 0)
    else left.set(id, [...others].filter((other) => before.has(other)).length)
  }
  while (left.size > 0) {
    const [first, ...rest] = left
    if (first === undefined) break
    const [id, rank] = rest.reduce((best, each) => (each[1] < best[1] ? each : best), first)
    ranks.set(id, rank)
    left.delete(id)
    for (const other of meets.get(id) ?? []) {
      const count = left.get(other)
      if (count !== undefined) left.set(other, count + 1)
    }
  }
  return ranks
}

/** By task: the others that are expected to change some of the same files. */
function listMeetings(all: readonly RankedWork[]): Map<string, Set<string>> {
  const meets = new Map<string, Set<string>>()
  const meet = (one: string, other: string) => {
    if (one === other) return
    meets.set(one, (meets.get(one) ?? new Set()).add(other))
    meets.set(other, (meets.get(other) ?? new Set()).add(one))
  }
  const byPath = new Map<string, string[]>()
  for (const { id, paths } of all) for (const path of paths) byPath.set(path, [...(byPath.get(path) ?? []), id])
  for (const ids of byPath.values()) for (const one of ids) for (const other of ids) meet(one, other)
  const owning = all.filter(({ patterns }) => patterns.length > 0)
  const files = owning.map(({ id, patterns }) => ({ id, status: "open" as const, files: patterns }))
  for (const { task, other } of listOverlaps(files, [])) meet(task, other)
  for (const [path, ids] of byPath)
    for (const { id, patterns } of owning)
      if (patterns.some((pattern) => matchesPattern(path, pattern))) for (const other of ids) meet(id, other)
  return meets
}
