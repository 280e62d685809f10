import type { TaskId } from "../kernel/ids.ts"

export const EXCEPTION_STATUSES = ["asked", "granted", "denied"] as const
export type ExceptionStatus = (typeof EXCEPTION_STATUSES)[number]

/** That a task may write files which it does not own: asked of the lead, or of the engine, and decided. */
export interface Exception {
  /** Counts within the task, from 1. */
  readonly number: number
  readonly taskId: TaskId
  /** The one that it holds for: that it was asked in, or the next where the answer came later. */
  readonly attempt: number
  readonly pattern: string
  /** Why it is asked for. */
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
