import type { TaskId } from "../kernel/ids.ts"

export const EXCEPTION_STATUSES = ["asked", "granted", "denied"] as const
export type ExceptionStatus = (typeof EXCEPTION_STATUSES)[number]

/** A request that a task may write files it does not own. The lead, or in a run the engine, decides. */
export interface Exception {
  /** Counts within the task, from 1. */
  readonly number: number
  readonly taskId: TaskId
  /** The attempt it applies to: the asking one, or the next one if the answer came after the attempt ended. */
  readonly attempt: number
  readonly pattern: string
  /** Why the task needs it. */
  readonly reason: string
  readonly askedBy: string
  readonly askedAt: string
  readonly status: ExceptionStatus
  readonly decidedBy: string | null
  readonly decidedAt: string | null
  /** Why it was granted or denied. */
  readonly decision: string | null
}

export function isGranted({ status, attempt }: Exception, task: { readonly attempt: number }): boolean {
  return status === "granted" && attempt === task.attempt
}
