import { isMet, type TaskStatus } from "../tasks/task.ts"
import { findOverlap, mayMeet, splitPattern } from "./file-pattern.ts"
import { listClaims, type TaskFiles } from "./judge-path.ts"
import { prefixOf } from "./plain-pattern.ts"

/** Two tasks that both own a file that may come to be. */
export interface Overlap {
  readonly task: string
  readonly pattern: string
  readonly other: string
  readonly otherPattern: string
  /** A path that both match. */
  readonly path: string
}

interface Entry {
  readonly task: string
  readonly pattern: string
  readonly prefix: string
}

/** The first overlap of `task` with each of the others. What is joint may be named by several. */
export function findOverlaps(
  task: TaskFiles,
  others: readonly TaskFiles[],
  shared: readonly string[],
  joint: readonly string[] = [],
): Overlap[] {
  const mine = task.files.map((pattern): Entry => ({ task: task.id, pattern, prefix: prefixOf(pattern) }))
  return others.flatMap((other) => {
    const found = meet(mine, other, { shared, joint })
    return found === undefined ? [] : [found]
  })
}

interface Common {
  readonly shared: readonly string[]
  readonly joint: readonly string[]
}

function meet(mine: readonly Entry[], other: TaskFiles, common: Common): Overlap | undefined {
  for (const otherPattern of other.files) {
    for (const { task, pattern, prefix } of mine) {
      if (!mayMeet(prefix, otherPattern)) continue
      const path = findMeeting(pattern, otherPattern, common)
      if (path !== undefined) return { task, pattern, other: other.id, otherPattern, path }
    }
  }
  return undefined
}

/** Every pair of tasks that overlaps. Patterns that begin differently are never compared. */
export function listOverlaps(
  tasks: readonly TaskFiles[],
  shared: readonly string[],
  joint: readonly string[] = [],
): Overlap[] {
  const entries = tasks.flatMap(({ id, files }) =>
    files.map((pattern): Entry => ({ task: id, pattern, prefix: prefixOf(pattern) })),
  )
  entries.sort((a, b) => (a.prefix < b.prefix ? -1 : a.prefix > b.prefix ? 1 : 0))
  const found = new Map<string, Overlap>()
  const open: Entry[] = [] // those whose beginning the present one begins with
  for (const entry of entries) {
    while (open.length > 0 && !entry.prefix.startsWith(open.at(-1)?.prefix ?? "")) open.pop()
    for (const other of open) {
      if (other.task === entry.task) continue
      const pair = [other.task, entry.task].sort().join(" ")
      if (found.has(pair)) continue
      const path = findMeeting(other.pattern, entry.pattern, { shared, joint })
      if (path === undefined) continue
      const { task, pattern } = other
      found.set(pair, { task, pattern, other: entry.task, otherPattern: entry.pattern, path })
    }
    open.push(entry)
  }
  return [...found.values()]
}

/** A path that both own: only patterns that name shared files own any of these. */
function findMeeting(a: string, b: string, { shared, joint }: Common): string | undefined {
  const path = findOverlap(a, b)
  if (path === undefined || shared.length === 0) return path
  if (joint.length > 0) return findAlone(split(a, joint).rest, split(b, joint).rest, shared)
  const [mine, theirs] = [split(a, shared), split(b, shared)]
  for (const one of mine.claims)
    for (const other of theirs.claims) {
      const common = findOverlap(one, other)
      if (common !== undefined) return common
    }
  for (const one of mine.rest)
    for (const other of theirs.rest) {
      const common = findOverlap(one, other)
      if (common !== undefined) return common
    }
  return undefined
}

/** Of two patterns without what is joint: a path that both own. */
function findAlone(mine: readonly string[], theirs: readonly string[], shared: readonly string[]): string | undefined {
  for (const one of mine)
    for (const other of theirs) {
      const common = findMeeting(one, other, { shared, joint: [] })
      if (common !== undefined) return common
    }
  return undefined
}

function split(pattern: string, shared: readonly string[]): { claims: readonly string[]; rest: readonly string[] } {
  const claims = listClaims(pattern, shared)
  if (claims.length === 0) return { claims, rest: [pattern] }
  return { claims, rest: splitPattern(pattern).filter((part) => !claims.includes(part)) }
}

interface Waiting {
  readonly id: string
  readonly status: TaskStatus
  readonly blockedBy: readonly string[]
}

/** Says whether two tasks can run at the same time: neither waits for the other, directly or through others. */
export function makeConcurrency(tasks: readonly Waiting[]): (a: string, b: string) => boolean {
  // What is met keeps nobody waiting any more, whatever it needed itself.
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
