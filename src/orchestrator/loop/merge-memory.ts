import { attemptName } from "../../delivery/merge-queue/candidate.ts"
import type { LastMerge, WaveReport } from "../../delivery/merge-queue/merge-wave.ts"
import type { History } from "../../reporting/history.ts"
import type { Task } from "../../tasks/task.ts"

/** What one merge leaves for the next: what is on the branch already, and when it should begin. */
export interface MergeMemory {
  /** Attempts that need no further merge: merged, given to a fix, or nothing to merge. */
  readonly settled: ReadonlySet<string>
  /** Attempts that are merged only after a repair, with the task that is repaired. */
  readonly queued: ReadonlyMap<string, string>
  readonly last: LastMerge | undefined
  readonly mergeAfter: number
  keep(report: MergeReport, begunAt: number): void
  /** Forgets what is settled of attempts whose worker has named another commit than the one that was looked at. */
  heed(tasks: readonly Named[], history: Pick<History, "tasks">): void
}

type Named = Pick<Task, "id" | "attempt" | "claimToken">

type MergeReport = Pick<WaveReport, "before" | "after" | "outcomes" | "left" | "repairs" | "looked">

/** After a merge the next one waits for as many times its own duration, but never for long. */
const REST_AFTER_MERGE = 3
const MAX_REST_MS = 250

export function makeMergeMemory(now: () => number): MergeMemory {
  const settled = new Set<string>()
  const looked = new Map<string, string | undefined>()
  const queued = new Map<string, string>()
  let last: LastMerge | undefined
  let mergeAfter = 0
  return {
    settled,
    queued,
    get last() {
      return last
    },
    get mergeAfter() {
      return mergeAfter
    },
    keep(report, begunAt) {
      const endedAt = now()
      mergeAfter = endedAt + Math.min(MAX_REST_MS, REST_AFTER_MERGE * (endedAt - begunAt))
      // Somebody who moved the branch may have taken away what was merged before.
      const before = last?.tip === report.before ? last.merged : []
      last = { tip: report.after, merged: new Set([...before, ...mergedBy(report)]) }
      for (const name of settledBy(report)) {
        settled.add(name)
        looked.set(name, report.looked.get(name))
      }
      for (const { candidate, outcome } of report.outcomes) {
        // The commits that it was begun on may come with a repair.
        const behind =
          outcome.kind === "waiting" ? report.repairs[0] : outcome.kind === "queued" ? outcome.behind : undefined
        for (const attempt of [candidate, ...candidate.alsoFor])
          if (behind === undefined) queued.delete(attemptName(attempt))
          else queued.set(attemptName(attempt), behind)
      }
    },
    heed(tasks, history) {
      for (const { id, attempt, claimToken } of tasks) {
        const name = attemptName({ taskId: id, attempt })
        const said = settled.has(name) ? history.tasks.get(id)?.committed : undefined
        if (said?.attempt !== attempt || said.token !== claimToken || said.commit === looked.get(name)) continue
        settled.delete(name)
        if (last !== undefined) last = { ...last, merged: new Set([...last.merged].filter((each) => each !== name)) }
      }
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
