/**
 * The closed lists of words in events. Their meaning and transitions are in the rooms (`tasks/`, `quality/`), which export
 * them. They are here because the kernel defines the events and imports nothing above it. Adding a word needs a new
 * version of the events that use the list: see `event-versions.ts`.
 */
export const TASK_STATUSES = ["open", "in_progress", "in_review", "paused", "resolved", "failed", "skipped"] as const
export type TaskStatus = (typeof TASK_STATUSES)[number]

export const ROLES = ["frontend", "backend", "devops", "test", "docs", "security", "review", "worker"] as const
export type Role = (typeof ROLES)[number]

/** As version 1 of `task.setback` knew them. */
export const FIRST_SETBACKS = [
  ...(["gate", "interrupted", "lost", "workspace", "refused", "crashed", "protocol", "timed-out"] as const),
  ...(["turn-limit", "rate-limited", "context-overflow", "auth", "not-found", "budget", "qa"] as const),
] as const

/**
 * Why a worker could not finish a task. `gate`: the work did not pass. `interrupted`: the worker was stopped, through no
 * fault of the task. `lost`: the worker's process died or stopped responding. `workspace`: there was no workspace. `qa`:
 * QA rejected the work too often, or could not judge it. `agent-failed`: the agent reported failure. `left-out`: its
 * program failed elsewhere and is not used for a while. The others are how the run of an agent ended.
 */
export const SETBACKS = [
  ...FIRST_SETBACKS,
  ...(["overloaded", "unreachable", "unknown-model", "permission", "hung", "looping", "agent-failed"] as const),
  "left-out",
] as const
export type SetbackKind = (typeof SETBACKS)[number]

export const WAVE_STATUSES = ["planning", "in_progress", "completed", "verified", "failed"] as const
export type WaveStatus = (typeof WAVE_STATUSES)[number]

export const VERDICT_SCOPES = ["task", "qa", "wave", "final", "cross-agent"] as const
export type VerdictScope = (typeof VERDICT_SCOPES)[number]

export const VERDICT_STATUSES = ["passed", "failed", "skipped"] as const
export type VerdictStatus = (typeof VERDICT_STATUSES)[number]
