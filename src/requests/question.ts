import type { TaskId } from "../kernel/ids.ts"
import type { TeamRecord } from "../kernel/record.ts"
import { nameApproval, toApproval } from "./approval.ts"
import { nameEscalation, toEscalation, wayToDecide } from "./escalation.ts"

export interface Question {
  readonly kind: "approval" | "escalation"
  readonly number: number
  readonly taskId: TaskId | null
  readonly what: string
  readonly command: string
  readonly isTold: boolean
}

export const WAITING = { approval: "pending", escalation: "open" } as const satisfies Record<Question["kind"], string>

export function listQuestions(records: readonly TeamRecord[]): Question[] {
  const waiting = (kind: Question["kind"]) =>
    records.filter((each) => each.kind === kind && each.status === WAITING[kind])
  return [...waiting("escalation"), ...waiting("approval")].map(toQuestion)
}

export function toQuestion(record: TeamRecord): Question {
  const { number, taskId, data } = record
  const isTold = typeof data.toldAt === "string"
  if (record.kind === "escalation") {
    const raised = toEscalation(record)
    const what = `${nameEscalation(raised)}: ${raised.summary}`
    return { kind: "escalation", number, taskId, what, command: wayToDecide(raised), isTold }
  }
  const asked = toApproval(record)
  const hint = asked.scope === "shared-file" ? `: ${asked.question}` : ""
  const what = `${nameApproval(asked)}${hint}`
  return { kind: "approval", number, taskId, what, command: `teamwork approve ${number}`, isTold }
}
