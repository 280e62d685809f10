import type { FileDiff } from "./diff-lines.ts"

/** What one task changed. */
export interface TaskChanges {
  readonly taskId: string
  readonly files: readonly FileDiff[]
  /** Tasks whose work it started from, so that it could see what they had changed. */
  readonly knows?: ReadonlySet<string>
}

/** Places that several tasks changed. */
export interface Conflicts {
  /** The same function or section, as git names it. */
  readonly critical: readonly string[]
  /** The same file. */
  readonly warnings: readonly string[]
}

/** Also where git could merge them, two changes of one function were made without knowing of each other. */
export function findConflicts(tasks: readonly TaskChanges[]): Conflicts {
  const places = new Map<string, { headings: Map<string, Set<string>>; tasks: Set<string> }>()
  for (const { taskId, files } of tasks) {
    for (const { path, hunks } of files) {
      const place = places.get(path) ?? { headings: new Map(), tasks: new Set() }
      places.set(path, place)
      place.tasks.add(taskId)
      for (const { heading } of hunks)
        if (heading !== "") place.headings.set(heading, (place.headings.get(heading) ?? new Set()).add(taskId))
    }
  }
  const critical: string[] = []
  const warnings: string[] = []
  const known = new Map(tasks.map(({ taskId, knows }) => [taskId, knows]))
  const knowsOf = (one: string, other: string) => known.get(one)?.has(other) === true
  /** Those that changed it without knowing of one another. */
  const strangers = (ids: ReadonlySet<string>) => {
    const all = [...ids]
    return all.filter((one) => all.some((other) => other !== one && !knowsOf(one, other) && !knowsOf(other, one)))
  }
  for (const [path, { headings, tasks }] of [...places].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const shared = [...headings].flatMap(([heading, ids]) => {
      const by = strangers(ids)
      return by.length > 1 ? [{ heading, by }] : []
    })
    for (const { heading, by } of shared) critical.push(`${path}: ${nameTasks(by)} changed the same part: ${heading}`)
    const by = strangers(tasks)
    if (shared.length === 0 && by.length > 1) warnings.push(`${path}: ${nameTasks(by)} changed the same file`)
  }
  return { critical, warnings }
}

function nameTasks(ids: readonly string[]): string {
  return `tasks ${ids.join(" and ")}`
}
