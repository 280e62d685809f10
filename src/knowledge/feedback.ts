import * as v from "valibot"
import { readRecord, type TeamRecord } from "../kernel/record.ts"

const FeedbackData = v.object({ text: v.fallback(v.string(), "") })

/** From a person to the workers of a task, or without a task to all workers. */
export type Feedback = Readonly<v.InferOutput<typeof FeedbackData>> &
  Pick<TeamRecord, "number" | "taskId" | "by" | "createdAt">

export function toFeedback(record: TeamRecord): Feedback {
  const { number, taskId, by, createdAt } = record
  return { number, taskId, by, createdAt, ...readRecord(FeedbackData, record) }
}
