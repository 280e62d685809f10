import type { TaskId } from "./ids.ts"

/** What a team writes down besides its tasks, messages and verdicts. */
export const RECORD_KINDS = [
  ...(["approval", "escalation", "feedback", "quality", "finding"] as const),
  ...(["wisdom", "exploration", "discussion", "artifact", "skill"] as const),
  // A task that another system had finished before the team was imported. Only an import writes it.
  "imported",
] as const
export type RecordKind = (typeof RECORD_KINDS)[number]

/**
 * One entry of a kind: what all kinds share is how they are numbered, found, changed and kept. What is in the data, and
 * which status follows which, says the file of the kind, such as `approval.ts`.
 */
export interface TeamRecord {
  readonly kind: RecordKind
  /** Counts within team and kind, from 1. */
  readonly number: number
  /** The task that it is about, if it is about one. */
  readonly taskId: TaskId | null
  readonly attempt: number | null
  readonly status: string
  readonly data: Readonly<Record<string, unknown>>
  readonly by: string
  readonly createdAt: string
  readonly updatedAt: string
}
