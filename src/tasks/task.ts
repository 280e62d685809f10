import { AppError } from "../kernel/errors.ts"
import { ROLES, type Role, TASK_STATUSES, type TaskStatus } from "../kernel/event-words.ts"
import type { TaskId, WorkerId } from "../kernel/ids.ts"
import type { Phase } from "../kernel/phase.ts"
import type { Effort } from "./effort.ts"
import type { QaState } from "./qa-state.ts"

export { ROLES, type Role, TASK_STATUSES, type TaskStatus }

export const TASK_TRANSITIONS = {
  open: ["in_progress", "paused", "skipped"],
  in_progress: ["in_review", "resolved", "open", "paused", "failed"], // open again when released or taken over
  in_review: ["resolved", "in_progress", "open", "paused", "failed"],
  paused: ["open", "in_progress", "in_review", "skipped"], // only by a recorded decision
  failed: ["open", "skipped"],
  resolved: ["open"], // a new attempt
  skipped: ["open"],
} as const satisfies Record<TaskStatus, readonly TaskStatus[]>

/** Tasks of this role are for any worker; workers of this role take any task. */
export const GENERIC_ROLE: Role = "worker"

export const COMPLEXITIES = ["simple", "standard", "complex"] as const
export type Complexity = (typeof COMPLEXITIES)[number]

/** Null is chosen at the claim. */
export interface Work {
  /** Null: the route decides. */
  readonly agent: string | null
  readonly model: string | null
  readonly effort: Effort | null
  /** Lines of the script agent. */
  readonly commands: readonly string[]
  /** Runs instead after a gate refused the work, or to repair its merge. */
  readonly repair: readonly string[]
  /** The task it follows, and how many follow-ups come before it. */
  readonly cascadeOf: TaskId | null
  readonly cascadeDepth: number
}

export const NO_WORK: Work = Object.freeze({
  agent: null,
  model: null,
  effort: null,
  commands: [],
  repair: [],
  cascadeOf: null,
  cascadeDepth: 0,
})

export function workOf(given: {
  readonly agent?: string
  readonly model?: string
  readonly effort?: Effort
  readonly run: readonly string[]
  readonly repair: readonly string[]
}): Work {
  const { agent = null, model = null, effort = null, run, repair } = given
  return { ...NO_WORK, agent, model, effort, commands: run, repair }
}

export interface TaskBrief {
  readonly title: string
  readonly description: string
  readonly role: Role
  readonly complexity: Complexity
  /** Must be met before it may start. */
  readonly blockedBy: readonly TaskId[]
  readonly acceptance: readonly string[]
  /** Commands that must exit with 0 at the end. */
  readonly checks: readonly string[]
  /** Patterns of files it may write. */
  readonly files: readonly string[]
  readonly agentType: string | null
  readonly assignee: WorkerId | null
  readonly work: Work
  /** The highest goes first; 0 by default. */
  readonly priority?: number
}

export const MAX_PRIORITY = 100

export interface Task extends TaskBrief {
  readonly id: TaskId
  readonly priority: number
  readonly status: TaskStatus
  /** The status to return to. */
  readonly pausedFrom: TaskStatus | null
  readonly pauseReason: string | null
  readonly unmet: number
  /** From 1; null before waves exist. */
  readonly wave: number | null
  readonly attempt: number
  readonly result: string | null
  /** Null without phases. */
  readonly phase: Phase | null
  /** Null without QA. */
  readonly qa: QaState | null
  readonly claimedBy: string | null
  readonly claimedAt: string | null
  /** Goes up with each claim; writes with an older one are refused. */
  readonly claimToken: number
  readonly leaseUntil: string | null
  readonly workerId: WorkerId | null
  /** Goes up with each change, for the audit trail. */
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
  readonly completedAt: string | null
}

export function canMove(from: TaskStatus, to: TaskStatus): boolean {
  return (TASK_TRANSITIONS[from] as readonly TaskStatus[]).includes(to)
}

export function assertMove(task: Pick<Task, "id" | "status">, to: TaskStatus): void {
  if (canMove(task.status, to)) return
  const allowed = TASK_TRANSITIONS[task.status].join(", ")
  throw new AppError(
    "task.transition",
    `task ${task.id} is ${task.status} and can only become ${allowed}`,
    { taskId: task.id, from: task.status, to },
    {
      remedy:
        task.status === "open"
          ? { operation: "task claim", fields: { id: task.id, owner: "NAME" }, to: "claim it first with" }
          : [],
    },
  )
}

/** Claimed and not done. */
export function isHeld(status: TaskStatus): boolean {
  return status === "in_progress" || status === "in_review"
}

/** Only a new attempt changes it. */
export function hasEnded(status: TaskStatus): boolean {
  return status === "resolved" || status === "failed" || status === "skipped"
}

/** Done or skipped. */
export function isMet(status: TaskStatus): boolean {
  return status === "resolved" || status === "skipped"
}

export function rolesMatch(taskRole: string, claimantRole: string | null): boolean {
  return (
    claimantRole === null || claimantRole === GENERIC_ROLE || taskRole === GENERIC_ROLE || taskRole === claimantRole
  )
}

const MAX_TITLE = 500
/** A description may be a document. */
const MAX_TEXT = 1_000_000

export function problemWithTitle(value: string): string | undefined {
  if (value.trim() === "") return "must not be empty"
  if (/[\r\n\0]/.test(value)) return "must be a single line"
  return value.length > MAX_TITLE ? `must be at most ${MAX_TITLE} characters` : undefined
}

export function problemWithText(value: string, maxLength = MAX_TEXT): string | undefined {
  if (value.includes("\0")) return "must not contain a NUL character"
  return value.length > maxLength ? `must be at most ${maxLength} characters` : undefined
}
