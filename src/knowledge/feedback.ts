import type { TaskId } from "../kernel/ids.ts"
import type { TeamRecord } from "../kernel/record.ts"

/** What whoever runs the team says to those who work for it. */
export interface Feedback {
  readonly number: number
  /** The task it is about; null for all of them. */
  readonly taskId: TaskId | null
  readonly text: string
  readonly by: string
  readonly createdAt: string
}

export function toFeedback({ number, taskId, data, by, createdAt }: TeamRecord): Feedback {
  return { number, taskId, text: typeof data.text === "string" ? data.text : "", by, createdAt }
}
