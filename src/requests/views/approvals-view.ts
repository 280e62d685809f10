import { manyLines, oneLine } from "../../lib/text/table.ts"
import { type Approval, nameApproval } from "../approval.ts"

/** In full: people should approve only what they have read. */
export function renderApprovals(approvals: readonly Approval[]): string {
  if (approvals.length === 0) return "Nothing waits for an approval."
  return approvals.map(renderApproval).join("\n\n")
}

function renderApproval(approval: Approval): string {
  const { number, status, askedBy, askedAt, question } = approval
  const head = `${oneLine(nameApproval(approval))}, asked by ${oneLine(askedBy)} at ${askedAt}`
  const body = manyLines(question).replaceAll(/^/gm, "    ")
  const foot =
    status === "pending"
      ? `To decide: teamwork approve ${number}, or: teamwork reject ${number} --reason WHY`
      : decisionLine(approval)
  return [head, body, foot].join("\n")
}

/** `approved by person: approval 3 (plan of task 2)` */
export function decisionLine(approval: Approval): string {
  const { status, decidedBy, reason } = approval
  const by = decidedBy === null ? "" : ` by ${oneLine(decidedBy)}`
  const why = reason === null ? "" : `: ${oneLine(reason)}`
  return `${status[0]?.toUpperCase()}${status.slice(1)}${by}: ${oneLine(nameApproval(approval))}${why}`
}

export function askedLine(approval: Approval): string {
  return `Asked: ${oneLine(nameApproval(approval))}; decide with: teamwork approve ${approval.number}`
}
