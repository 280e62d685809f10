import { findRule } from "../delivery/shared-files/find-rule.ts"
import { isLockFile } from "../delivery/shared-files/lock-files.ts"
import { matchesPattern } from "../ownership/file-pattern.ts"
import { listOverlaps } from "../ownership/overlaps.ts"
import type { Task } from "../tasks/task.ts"

export interface ExpectedFiles {
  readonly patterns: readonly string[]
  /** Changed paths; without owned files, the paths in its text. */
  readonly paths: readonly string[]
}

/** With a folder, or with an extension. */
const PATH = /(?:[\w@.-]+\/)+[\w@.-]*\w|[\w-][\w.-]*\.[a-z]\w{0,7}(?![\w.])/gi
const MOST_PATHS = 50

/** From the plan, before any work. Files with a merge rule do not count. */
export function expectFiles(task: Pick<Task, "title" | "description" | "files" | "work">): ExpectedFiles {
  // The task may write nothing else.
  if (task.files.length > 0) return { patterns: task.files.filter((file) => !isMergedByRule(file)), paths: [] }
  const text = [task.title, task.description, ...task.work.commands].join("\n")
  const paths = new Set(text.match(PATH)?.map((path) => path.replace(/^\.\//, "")) ?? [])
  return { patterns: [], paths: [...paths].filter((path) => !isMergedByRule(path)).slice(0, MOST_PATHS) }
}

export function isMergedByRule(path: string): boolean {
  return isLockFile(path) || findRule(path) !== undefined
}

export interface RankedWork extends ExpectedFiles {
  readonly id: string
}

/**
 * The rank of a ready task: how many tasks it collides with that run, wait to be merged, or come before it. The
 * task with the fewest collisions always comes next, so that tasks claimed at once collide as little as possible.
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

/** By task: the others that change some of the same files. */
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
