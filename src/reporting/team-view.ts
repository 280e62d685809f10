import type { Event } from "../kernel/events.ts"
import type { Team } from "../kernel/team.ts"
import type { Question } from "../requests/question.ts"
import type { Task } from "../tasks/task.ts"
import type { Worker } from "../workers/worker.ts"
import type { History } from "./history.ts"
import type { Stats, WaveSummary } from "./status.ts"

/** A team at one moment as whoever watches it sees it. */
export interface TeamView {
  readonly team: Team & { readonly pauseReason: string | null }
  /** All of them, in the order in which they were made. */
  readonly tasks: ReadonlyMap<string, Task>
  readonly stats: Stats
  readonly waves: readonly WaveSummary[]
  readonly currentWave: number
  /** Those that have not ended. */
  readonly workers: readonly Omit<Worker, "tasksCompleted">[]
  readonly history: History
  /** What waits for a person. */
  readonly questions: readonly Question[]
  /** Who leads it, and until when without a sign of life; null when nobody does. */
  readonly lead: { readonly holder: string; readonly leaseUntil: number } | null
  /** What happened since the look before, or for the first look what happened last. */
  readonly events: readonly Event[]
  /** The store's clock. */
  readonly now: number
}

/** How it ended, as far as it did: what the one who led it said last, or for a team without one that all is done. */
export function endOf({ team, history, lead }: TeamView): string | null {
  if (lead !== null) return null
  // Verified by hand, and then followed by the next run: nobody led it, and still it is done.
  const isDone = team.phase === "COMPLETE"
  if (history.endedAt !== null) return history.endReason === "closed" && isDone ? "done" : history.endReason
  if (team.status === "cancelled" || team.status === "failed") return team.status
  return isDone ? "done" : null
}

/** When work began; null before. */
export function beganAt({ history }: Pick<TeamView, "history">): number | null {
  if (history.startedAt !== null) return history.startedAt
  let first: number | null = null
  for (const { startedAt } of history.tasks.values())
    if (startedAt !== null && (first === null || startedAt < first)) first = startedAt
  return first
}
