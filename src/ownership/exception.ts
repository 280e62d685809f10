import type { TaskId } from "../kernel/ids.ts"

export const EXCEPTION_STATUSES = ["asked", "granted", "denied"] as const
export type ExceptionStatus = (typeof EXCEPTION_STATUSES)[number]

/** That one attempt at a task may write files which the task does not own: asked of the lead, and decided. */
export interface Exception {
  /** Counts within the task, from 1. */
  readonly number: number
  readonly taskId: TaskId
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

/** It holds for the attempt that it was asked for. */
export function isGranted({ status, attempt }: Exception, task: { readonly attempt: number }): boolean {
  return status === "granted" && attempt === task.attempt
}
