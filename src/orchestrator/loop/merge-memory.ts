import { attemptName } from "../../delivery/merge-queue/candidate.ts"
import type { LastMerge, WaveReport } from "../../delivery/merge-queue/merge-wave.ts"
import type { Merges } from "../../git/port.ts"
import type { History } from "../../reporting/history.ts"
import type { Task } from "../../tasks/task.ts"

/** Kept from one merge to the next. Attempts are named `task/attempt`. */
export interface MergeMemory {
  /** Merged, given to a fix, or nothing to merge. */
  readonly settled: ReadonlySet<string>
  /** With the task that repairs it first. */
  readonly queued: ReadonlyMap<string, string>
  /** In another repository, with how to bring it here. */
  readonly elsewhere: ReadonlyMap<string, string>
  readonly last: LastMerge | undefined
  readonly mergeAfter: number
  keep(report: MergeReport, begunAt: number): void
  /** Forgets settled attempts whose worker has named another commit since, and work that was brought here. */
  update(tasks: readonly Named[], history: Pick<History, "tasks">): Promise<void>
}

type Named = Pick<Task, "id" | "attempt" | "claimToken">

type MergeReport = Pick<WaveReport, "before" | "after" | "outcomes" | "left" | "repairs" | "looked" | "elsewhere">

/** The next merge waits for this multiple of the last one's duration, but never for long. */
const REST_AFTER_MERGE = 3
const MAX_REST_MS = 250

export function makeMergeMemory(merges: Pick<Merges, "find">, now: () => number): MergeMemory {
  const settled = new Set<string>()
  const looked = new Map<string, string | undefined>()
  const queued = new Map<string, string>()
  const missing = new Map<string, { readonly commit: string; readonly where: string }>()
  let last: LastMerge | undefined
  let mergeAfter = 0
  return {
    settled,
    queued,
    get elsewhere() {
      return new Map([...missing].map(([attempt, { where }]) => [attempt, where]))
    },
    get last() {
      return last
    },
    get mergeAfter() {
      return mergeAfter
    },
    keep(report, begunAt) {
      const endedAt = now()
      mergeAfter = endedAt + Math.min(MAX_REST_MS, REST_AFTER_MERGE * (endedAt - begunAt))
      // If the branch moved meanwhile, earlier merges may be gone from it.
      const before = last?.tip === report.before ? last.merged : []
      last = { tip: report.after, merged: new Set([...before, ...mergedBy(report)]) }
      for (const name of settledBy(report)) {
        settled.add(name)
        looked.set(name, report.looked.get(name))
      }
      for (const { candidate, outcome } of report.outcomes) {
        // Its base commits may come with a repair.
        const behind =
          outcome.kind === "waiting" ? report.repairs[0] : outcome.kind === "queued" ? outcome.behind : undefined
        for (const attempt of [candidate, ...candidate.alsoFor])
          if (behind === undefined) queued.delete(attemptName(attempt))
          else queued.set(attemptName(attempt), behind)
      }
      for (const { taskId, attempt, commit, reason, command } of report.elsewhere)
        missing.set(attemptName({ taskId, attempt }), { commit, where: `${reason}; bring it here with: ${command}` })
    },
    async update(tasks, history) {
      for (const { id, attempt, claimToken } of tasks) {
        const name = attemptName({ taskId: id, attempt })
        const said = settled.has(name) ? history.tasks.get(id)?.committed : undefined
        if (said?.attempt !== attempt || said.token !== claimToken || said.commit === looked.get(name)) continue
        settled.delete(name)
        if (last !== undefined) last = { ...last, merged: new Set([...last.merged].filter((each) => each !== name)) }
      }
      for (const [attempt, { commit }] of missing)
        if ((await merges.find(commit)) !== undefined) missing.delete(attempt)
    },
  }
}

function mergedBy({ outcomes }: MergeReport): string[] {
  const merged = outcomes.filter(({ outcome }) => outcome.kind === "merged" || outcome.kind === "contained")
  return merged.flatMap(({ candidate }) => [candidate, ...candidate.alsoFor]).map(attemptName)
}

function settledBy({ outcomes, left }: MergeReport): string[] {
  const open: readonly string[] = ["waiting", "untested", "asked", "queued"]
  const done = outcomes.filter(({ outcome }) => !open.includes(outcome.kind))
  return [...done.flatMap(({ candidate }) => [candidate, ...candidate.alsoFor]), ...left].map(attemptName)
}
