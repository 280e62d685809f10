import type { TeamPhase, TeamStatus } from "../kernel/team.ts"
import { hasEnded, isMet, type Task } from "../tasks/task.ts"

/**
 * Decides where the next goal or plan goes. `fresh`: no work has begun. `going`: a process leads it, or it has work
 * to continue. `over`: it ended, and some tasks are not done. `done`: all tasks are done.
 */
export type RunStanding = "fresh" | "going" | "over" | "done"

export interface StandingFacts {
  readonly phase: TeamPhase
  readonly status: TeamStatus
  readonly isLed: boolean
  /** Null when there was no leader. */
  readonly leftBecause: string | null
  readonly tasks: readonly Pick<Task, "status" | "attempt">[]
}

const ENDS: readonly string[] = ["done", "stuck", "failed", "cancelled"]
const ENDED: readonly TeamStatus[] = ["completed", "failed", "cancelled"]

export function standingOf({ phase, status, isLed, leftBecause, tasks }: StandingFacts): RunStanding {
  if (isLed) return "going"
  const isDone = tasks.length > 0 && tasks.every((task) => isMet(task.status))
  if (phase === "COMPLETE" || status === "completed") return "done"
  if (ENDED.includes(status)) return "over"
  const isBegun = leftBecause !== null || tasks.some((task) => task.status !== "open" || task.attempt > 1)
  if (!isBegun) return "fresh"
  if (leftBecause === null) return tasks.every((task) => hasEnded(task.status)) ? (isDone ? "done" : "over") : "going"
  if (!ENDS.includes(leftBecause)) return "going"
  if (isDone) return "done"
  // Tasks were added or reopened after "done".
  const isGoing = leftBecause === "done" || tasks.some((task) => task.status === "in_progress")
  return isGoing ? "going" : "over"
}
