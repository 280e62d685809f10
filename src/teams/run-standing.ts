import type { TeamPhase, TeamStatus } from "../kernel/team.ts"
import { hasEnded, isMet, type Task } from "../tasks/task.ts"

/**
 * How a run of a team stands, for whoever brings the next goal or plan. `fresh`: planned, and nobody has begun. `going`: a
 * process leads it, or it has work that a run would go on with. `over`: it came to an end, though not everything is done.
 * `done`: everything is.
 */
export type RunStanding = "fresh" | "going" | "over" | "done"

export interface StandingFacts {
  readonly phase: TeamPhase
  readonly status: TeamStatus
  /** A process leads it now. */
  readonly isLed: boolean
  /** How the last process that led it ended; null when none did. */
  readonly leftBecause: string | null
  readonly tasks: readonly Pick<Task, "status" | "attempt">[]
}

/** How a process that led ends when there is nothing more that it could do. */
const ENDS: readonly string[] = ["done", "stuck", "failed", "cancelled"]
const ENDED: readonly TeamStatus[] = ["completed", "failed", "cancelled"]

export function standingOf({ phase, status, isLed, leftBecause, tasks }: StandingFacts): RunStanding {
  if (isLed) return "going"
  const isDone = tasks.length > 0 && tasks.every((task) => isMet(task.status))
  if (phase === "COMPLETE" || status === "completed") return "done"
  if (ENDED.includes(status)) return "over"
  const isBegun = leftBecause !== null || tasks.some((task) => task.status !== "open" || task.attempt > 1)
  if (!isBegun) return "fresh"
  // Somebody works on it by hand, with no process that leads.
  if (leftBecause === null) return tasks.every((task) => hasEnded(task.status)) ? (isDone ? "done" : "over") : "going"
  if (!ENDS.includes(leftBecause)) return "going"
  if (isDone) return "done"
  // Everything was done then: what is open now was added or reopened since.
  const isGoing = leftBecause === "done" || tasks.some((task) => task.status === "in_progress")
  return isGoing ? "going" : "over"
}
