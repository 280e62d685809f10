import { attemptName } from "../../delivery/merge-queue/candidate.ts"
import type { LastMerge, WaveReport } from "../../delivery/merge-queue/merge-wave.ts"

/** What one merge leaves for the next: what is on the branch already, and when it should begin. */
export interface MergeMemory {
  /** Attempts that need no further merge: merged, given to a fix, or nothing to merge. */
  readonly settled: ReadonlySet<string>
  /** Attempts that are merged only after a repair, with the task that is repaired. */
  readonly queued: ReadonlyMap<string, string>
  readonly last: LastMerge | undefined
  readonly mergeAfter: number
  keep(report: MergeReport, begunAt: number): void
}

type MergeReport = Pick<WaveReport, "before" | "after" | "outcomes" | "left" | "repairs">

/** After a merge the next one waits for as many times its own duration, but never for long. */
const REST_AFTER_MERGE = 3
const MAX_REST_MS = 250

export function makeMergeMemory(now: () => number): MergeMemory {
  const settled = new Set<string>()
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
      for (const name of settledBy(report)) settled.add(name)
      for (const { candidate, outcome } of report.outcomes) {
        // The commits that it was begun on may come with a repair.
        const behind =
          outcome.kind === "waiting" ? report.repairs[0] : outcome.kind === "queued" ? outcome.behind : undefined
        for (const attempt of [candidate, ...candidate.alsoFor])
          if (behind === undefined) queued.delete(attemptName(attempt))
          else queued.set(attemptName(attempt), behind)
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
