import type { TaskId, WorkerId } from "../kernel/ids.ts"
import type { Role } from "../tasks/task.ts"

export const WORKER_AVAILABILITIES = [
  "spawning",
  "idle",
  "working",
  "paused",
  "quarantined",
  "dead",
  "stopped",
] as const
export type WorkerAvailability = (typeof WORKER_AVAILABILITIES)[number]

export const UNAVAILABLE = ["paused", "quarantined", "stopped"] as const satisfies readonly WorkerAvailability[]

export interface Worker {
  readonly id: WorkerId
  /** Set by the set-up, or by the first claim with a role. */
  readonly role: Role | null
  readonly sessionId: string | null
  readonly pane: string | null
  readonly worktree: string | null
  readonly branch: string | null
  /** `idle` and `working` follow from the worker's claims. */
  readonly status: WorkerAvailability
  readonly currentTask: TaskId | null
  readonly tasksCompleted: readonly TaskId[]
  readonly lastHeartbeat: string
  readonly createdAt: string
}
