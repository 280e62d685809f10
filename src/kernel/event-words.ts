/**
 * The closed lists of words that events carry. What each word means, and which may follow which, is told by the rooms
 * (`tasks/`, `quality/`), and everybody takes the words from there. They stand here because the kernel defines the events
 * and imports nothing above it. A word more is a new version of the events that carry the list: see `event-versions.ts`.
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
 * Why a worker could not bring a task to an end. `gate`: the work was done and did not pass. `interrupted`: somebody
 * stopped the worker, which says nothing of the task. `lost`: the worker's process died or fell silent. `workspace`: it
 * had no place to work in. `qa`: QA did not pass the work often enough, or had nothing to go by. `agent-failed`: the agent
 * ended well and said that it failed. `left-out`: its program failed elsewhere and is not used for a while. The others are
 * how the run of an agent ended.
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
