import type { TaskId } from "../kernel/ids.ts"

export const EXCEPTION_STATUSES = ["asked", "granted", "denied"] as const
export type ExceptionStatus = (typeof EXCEPTION_STATUSES)[number]

/** Asks for files that the task does not own. The lead decides, in a run the engine. */
export interface Exception {
  /** Within the task, from 1. */
  readonly number: number
  readonly taskId: TaskId
  /** The asking attempt, or the next one if the answer came too late. */
  readonly attempt: number
  readonly pattern: string
  readonly reason: string
  readonly askedBy: string
  readonly askedAt: string
  readonly status: ExceptionStatus
  readonly decidedBy: string | null
  readonly decidedAt: string | null
  /** Reason for granting or denying. */
  readonly decision: string | null
}

export function isGranted({ status, attempt }: Exception, task: { readonly attempt: number }): boolean {
  return status === "granted" && attempt === task.attempt
}
