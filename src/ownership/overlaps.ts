import { isMet, type TaskStatus } from "../tasks/task.ts"
import { findOverlap, splitPattern } from "./file-pattern.ts"
import { listSharedParts, type TaskFiles } from "./judge-path.ts"
import { prefixOf } from "./plain-pattern.ts"

export interface Overlap {
  readonly task: string
  readonly pattern: string
  readonly other: string
  readonly otherPattern: string
  /** Example that both match; need not exist. */
  readonly path: string
}

interface Entry {
  readonly task: string
  readonly pattern: string
  readonly prefix: string
}

function entriesOf({ id, files }: TaskFiles): Entry[] {
  return files.map((pattern) => ({ task: id, pattern, prefix: prefixOf(pattern) }))
}

/** The first with each other task. Several tasks may own `joint` files. */
export function findOverlaps(
  task: TaskFiles,
  others: readonly TaskFiles[],
  shared: readonly string[],
  joint: readonly string[] = [],
): Overlap[] {
  const mine = entriesOf(task)
  return others.flatMap((other) => {
    for (const theirs of entriesOf(other))
      for (const entry of mine) {
        if (!entry.prefix.startsWith(theirs.prefix) && !theirs.prefix.startsWith(entry.prefix)) continue
        const found = compare(entry, theirs, { shared, joint })
        if (found !== undefined) return [found]
      }
    return []
  })
}

/** The first of each pair. Sorting by prefix avoids comparing patterns that start differently. */
export function listOverlaps(
  tasks: readonly TaskFiles[],
  shared: readonly string[],
  joint: readonly string[] = [],
): Overlap[] {
  const entries = tasks.flatMap(entriesOf)
  entries.sort((a, b) => (a.prefix < b.prefix ? -1 : a.prefix > b.prefix ? 1 : 0))
  const found = new Map<string, Overlap>()
  const open: Entry[] = [] // those whose prefix the current entry starts with
  for (const entry of entries) {
    while (open.length > 0 && !entry.prefix.startsWith(open.at(-1)?.prefix ?? "")) open.pop()
    for (const other of open) {
      const pair = [other.task, entry.task].sort().join(" ")
      if (other.task === entry.task || found.has(pair)) continue
      const overlap = compare(other, entry, { shared, joint })
      if (overlap !== undefined) found.set(pair, overlap)
    }
    open.push(entry)
  }
  return [...found.values()]
}

interface CommonFiles {
  readonly shared: readonly string[]
  readonly joint: readonly string[]
}

function compare(one: Entry, other: Entry, common: CommonFiles): Overlap | undefined {
  const path = findOwnedByBoth(one.pattern, other.pattern, common)
  if (path === undefined) return undefined
  return { task: one.task, pattern: one.pattern, other: other.task, otherPattern: other.pattern, path }
}

/** Only a pattern that names shared files owns any of them. */
function findOwnedByBoth(a: string, b: string, { shared, joint }: CommonFiles): string | undefined {
  const path = findOverlap(a, b)
  if (path === undefined || shared.length === 0) return path
  if (joint.length > 0) {
    const find = (one: string, other: string) => findOwnedByBoth(one, other, { shared, joint: [] })
    return findFirst(split(a, joint).rest, split(b, joint).rest, find)
  }
  const [mine, theirs] = [split(a, shared), split(b, shared)]
  return findFirst(mine.claims, theirs.claims, findOverlap) ?? findFirst(mine.rest, theirs.rest, findOverlap)
}

function findFirst(
  mine: readonly string[],
  theirs: readonly string[],
  find: (one: string, other: string) => string | undefined,
): string | undefined {
  for (const one of mine)
    for (const other of theirs) {
      const path = find(one, other)
      if (path !== undefined) return path
    }
  return undefined
}

function split(pattern: string, shared: readonly string[]): { claims: readonly string[]; rest: readonly string[] } {
  const claims = listSharedParts(pattern, shared)
  if (claims.length === 0) return { claims, rest: [pattern] }
  return { claims, rest: splitPattern(pattern).filter((part) => !claims.includes(part)) }
}

interface Waiting {
  readonly id: string
  readonly status: TaskStatus
  readonly blockedBy: readonly string[]
}

/** Two tasks can run at the same time if neither needs the other, directly or through others. */
export function makeConcurrency(tasks: readonly Waiting[]): (a: string, b: string) => boolean {
  // A task with a result blocks nothing.
  const waiting = new Map(tasks.filter((task) => !isMet(task.status)).map((task) => [task.id, task.blockedBy]))
  const known = new Map<string, Set<string>>()
  const needsOf = (id: string): Set<string> => {
    const before = known.get(id)
    if (before !== undefined) return before
    const needs = new Set<string>()
    const left = [id]
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      for (const need of waiting.get(next) ?? []) {
        if (needs.has(need) || !waiting.has(need)) continue
        needs.add(need)
        left.push(need)
      }
    }
    known.set(id, needs)
    return needs
  }
  return (a, b) => !needsOf(a).has(b) && !needsOf(b).has(a)
}
