import type { TeamPhase, TeamStatus } from "../kernel/team.ts"
import { hasEnded, isMet, type Task } from "../tasks/task.ts"

/**
 * The state of a run, which decides where the next goal or plan goes. `fresh`: no work has begun. `going`: a process leads
 * it, or it has work to continue. `over`: it ended, and some tasks are not done. `done`: all tasks are done.
 */
export type RunStanding = "fresh" | "going" | "over" | "done"

export interface StandingFacts {
  readonly phase: TeamPhase
  readonly status: TeamStatus
  /** A process leads it now. */
  readonly isLed: boolean
  /** Why the last leader left; null when there was none. */
  readonly leftBecause: string | null
  readonly tasks: readonly Pick<Task, "status" | "attempt">[]
}

/** Reasons of a leader that had nothing more to do. */
const ENDS: readonly string[] = ["done", "stuck", "failed", "cancelled"]
const ENDED: readonly TeamStatus[] = ["completed", "failed", "cancelled"]

export function standingOf({ phase, status, isLed, leftBecause, tasks }: StandingFacts): RunStanding {
  if (isLed) return "going"
  const isDone = tasks.length > 0 && tasks.every((task) => isMet(task.status))
  if (phase === "COMPLETE" || status === "completed") return "done"
  if (ENDED.includes(status)) return "over"
  const isBegun = leftBecause !== null || tasks.some((task) => task.status !== "open" || task.attempt > 1)
  if (!isBegun) return "fresh"
  // Work by hand, without a leader.
  if (leftBecause === null) return tasks.every((task) => hasEnded(task.status)) ? (isDone ? "done" : "over") : "going"
  if (!ENDS.includes(leftBecause)) return "going"
  if (isDone) return "done"
  // After "done", open tasks were added or reopened later.
  const isGoing = leftBecause === "done" || tasks.some((task) => task.status === "in_progress")
  return isGoing ? "going" : "over"
}
