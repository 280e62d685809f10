import { findJson } from "./json-line.ts"
import type { AgentJob } from "./port.ts"
import type { Outcome } from "./program.ts"

/** Of an answer that comes in pieces and does not end, about so many characters are kept. */
export const MAX_ANSWER = 1_000_000

/** A run that ended well, unless it was asked for a structured answer and gave none. */
export function judgeAnswer(
  { answerSchema }: AgentJob,
  answer: string,
): Pick<Outcome, "reason" | "structured" | "error"> {
  if (answerSchema === null) return { reason: "done", structured: null, error: "" }
  const structured = findJson(answer)
  if (structured === null) return { reason: "protocol", structured, error: "gave no structured answer" }
  return { reason: "done", structured, error: "" }
}

/** For agents that cannot be held to a schema: the prompt asks. */
export function askForJson({ prompt, answerSchema }: AgentJob): string {
  if (answerSchema === null) return prompt
  const schema = JSON.stringify(answerSchema)
  return `${prompt}\n\nYour last message must be one JSON value that fits this JSON schema, and nothing else:\n${schema}`
}
