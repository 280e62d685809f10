import { AppError } from "../kernel/errors.ts"
import { ROLES, type Role, TASK_STATUSES, type TaskStatus } from "../kernel/event-words.ts"
import type { TaskId, WorkerId } from "../kernel/ids.ts"
import type { Phase } from "../kernel/phase.ts"
import type { Effort } from "./effort.ts"
import type { QaState } from "./qa-state.ts"

export { ROLES, type Role, TASK_STATUSES, type TaskStatus }

/** Every allowed change of a task's status. A status that is not listed behind another cannot follow it. */
export const TASK_TRANSITIONS = {
  open: ["in_progress", "paused", "skipped"],
  in_progress: ["in_review", "resolved", "open", "paused", "failed"], // open again when released or taken over
  in_review: ["resolved", "in_progress", "open", "paused", "failed"],
  paused: ["open", "in_progress", "in_review", "skipped"], // only by a recorded decision
  failed: ["open", "skipped"],
  resolved: ["open"], // a new attempt
  skipped: ["open"],
} as const satisfies Record<TaskStatus, readonly TaskStatus[]>

/** The role of tasks anybody may take, and of workers that take anything. */
export const GENERIC_ROLE: Role = "worker"

export const COMPLEXITIES = ["simple", "standard", "complex"] as const
export type Complexity = (typeof COMPLEXITIES)[number]

/** How a task is to be done, where somebody said so; the rest is chosen when it is claimed. */
export interface Work {
  /** The program that does it; null leaves it to the route. */
  readonly agent: string | null
  readonly model: string | null
  readonly effort: Effort | null
  /** What the script agent runs, one line for the shell after the other. */
  readonly commands: readonly string[]
  /** What it runs instead when a gate sent the work back, or when the merge of the work has to be mended. */
  readonly repair: readonly string[]
  /** The finished task that this one followed from, and how many came before it in that line. */
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

/** What a person or planner says of a task. */
export interface TaskBrief {
  readonly title: string
  readonly description: string
  readonly role: Role
  readonly complexity: Complexity
  /** The tasks that must be met before this one may start. */
  readonly blockedBy: readonly TaskId[]
  /** What must be true at the end, in words. */
  readonly acceptance: readonly string[]
  /** Commands that must exit with 0 at the end. */
  readonly checks: readonly string[]
  /** Globs of the files this task may write. */
  readonly files: readonly string[]
  readonly agentType: string | null
  /** The only worker that may claim it, when set beforehand. */
  readonly assignee: WorkerId | null
  readonly work: Work
  /** The highest of what is ready goes first; 0 where nobody said so. */
  readonly priority?: number
}

export const MAX_PRIORITY = 100

export interface Task extends TaskBrief {
  readonly id: TaskId
  readonly priority: number
  readonly status: TaskStatus
  /** Where a paused task goes back to when it is resumed. */
  readonly pausedFrom: TaskStatus | null
  readonly pauseReason: string | null
  /** Needs that are not met yet. */
  readonly unmet: number
  /** Kahn layer, from 1; null while waves were never calculated. */
  readonly wave: number | null
  readonly attempt: number
  readonly result: string | null
  /** Where it is in the seven phases; null when it does not go through them. */
  readonly phase: Phase | null
  /** How far QA is with it; null when its work needs none. */
  readonly qa: QaState | null
  readonly claimedBy: string | null
  readonly claimedAt: string | null
  /** Goes up with each claim; a write with an older one changes nothing. */
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

/** Somebody has claimed it and is not done with it. */
export function isHeld(status: TaskStatus): boolean {
  return status === "in_progress" || status === "in_review"
}

/** Nobody works on it any more; only a new attempt would change that. */
export function hasEnded(status: TaskStatus): boolean {
  return status === "resolved" || status === "failed" || status === "skipped"
}

/** A need is met when the task it names is done, or decided to be left out. */
export function isMet(status: TaskStatus): boolean {
  return status === "resolved" || status === "skipped"
}

/** Whether a claimant of one role may take a task of another without it being a mismatch. */
export function rolesMatch(taskRole: string, claimantRole: string | null): boolean {
  return (
    claimantRole === null || claimantRole === GENERIC_ROLE || taskRole === GENERIC_ROLE || taskRole === claimantRole
  )
}

const MAX_TITLE = 500
/** Longest text a single field takes; a description may be a document. */
const MAX_TEXT = 1_000_000

/** What is wrong with a title, for whoever gave it. */
export function problemWithTitle(value: string): string | undefined {
  if (value.trim() === "") return "must not be empty"
  if (/[\r\n\0]/.test(value)) return "must be a single line"
  return value.length > MAX_TITLE ? `must be at most ${MAX_TITLE} characters` : undefined
}

export function problemWithText(value: string, maxLength = MAX_TEXT): string | undefined {
  if (value.includes("\0")) return "must not contain a NUL character"
  return value.length > maxLength ? `must be at most ${maxLength} characters` : undefined
}
