import type { FileDiff } from "./diff-lines.ts"

export interface TaskChanges {
  readonly taskId: string
  readonly files: readonly FileDiff[]
  /** Tasks it is based on. */
  readonly knows?: ReadonlySet<string>
}

export interface Conflicts {
  /** Same function or section, as git names it. */
  readonly critical: readonly string[]
  /** Same file. */
  readonly warnings: readonly string[]
}

/** Finds places that several tasks changed without knowing the other change, even if git could merge them. */
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
