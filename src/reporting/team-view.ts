import type { Event } from "../kernel/events.ts"
import type { Team } from "../kernel/team.ts"
import type { Task } from "../tasks/task.ts"
import type { Worker } from "../workers/worker.ts"
import type { History } from "./history.ts"
import type { Progress } from "./status.ts"

/** A team at one moment: what the live view shows and the report is made of. */
export interface TeamView extends Progress {
  readonly team: Team & { readonly pauseReason: string | null }
  /** In the order of their creation. */
  readonly tasks: ReadonlyMap<string, Task>
  readonly workers: readonly Omit<Worker, "tasksCompleted">[]
  readonly history: History
  /** The process that leads it; null when none does. */
  readonly lead: { readonly holder: string; readonly leaseUntil: number } | null
  /** The events since the look before; in the first look, the newest few. */
  readonly events: readonly Event[]
  /** The store's clock. */
  readonly now: number
}

/** How the run ended; null while it goes on. */
export function endOf({ team, history, lead }: TeamView): string | null {
  if (lead !== null) return null
  // A run that was verified by hand had no leader, and is done all the same.
  const isDone = team.phase === "COMPLETE"
  if (history.endedAt !== null) return history.endReason === "closed" && isDone ? "done" : history.endReason
  if (team.status === "cancelled" || team.status === "failed") return team.status
  return isDone ? "done" : null
}

export function beganAt({ history }: Pick<TeamView, "history">): number | null {
  if (history.startedAt !== null) return history.startedAt
  let first: number | null = null
  for (const { startedAt } of history.tasks.values())
    if (startedAt !== null && (first === null || startedAt < first)) first = startedAt
  return first
}
