import { classifyError } from "../classify-error.ts"
import { asText, type Json } from "../json-line.ts"
import type { AgentJob } from "../port.ts"
import type { Outcome } from "../program.ts"
import { judgeAnswer } from "../translator-parts.ts"
import { METHOD_NOT_FOUND } from "./acp-wire.ts"

export type Judged = Pick<Outcome, "reason" | "error"> & Partial<Outcome>

interface Turn {
  readonly job: AgentJob
  readonly answer: string
  /** Just before the end; "" for none. */
  readonly refusal: string
  /** After it the agent ended as if all were well. */
  readonly failure: string | undefined
  /** By us. */
  readonly isCancelled: boolean
  readonly now: number
}

/** Some agents stop silently where something was not permitted. */
export function judgeEnd(stopReason: unknown, turn: Turn): Judged {
  const { job, answer, refusal, failure, isCancelled, now } = turn
  const notPermitted: Judged = { reason: "permission", error: `it ended when a tool was not permitted: ${refusal}` }
  if (failure !== undefined) return judgeError({ message: failure || "it ended with an error" }, "", now)
  switch (stopReason) {
    case "end_turn":
      return refusal === "" ? judgeAnswer(job, answer) : notPermitted
    case "refusal":
      return { reason: "refused", error: answer || "the model refused" }
    case "max_tokens":
      return { reason: "context-overflow", error: "the answer was cut at its length limit" }
    case "max_turn_requests":
      return { reason: "turn-limit", error: "it made as many requests as it may in a turn" }
    case "cancelled":
      // Codex takes a refusal as a request to stop.
      if (refusal !== "" && !isCancelled) return notPermitted
      return { reason: "cancelled", error: "cancelled" }
    default:
      return { reason: "protocol", error: `ended its turn for an unknown reason: ${JSON.stringify(stopReason)}` }
  }
}

const AUTH_REQUIRED = -32000
const CANCELLED_REQUEST = -32800
/** Codes for a request that the agent did not understand. */
const NOT_UNDERSTOOD: readonly unknown[] = [-32700, -32600, METHOD_NOT_FOUND, -32602]

/** Some agents put the server's status into the code, most only a text, often only in the data. */
export function judgeError({ code, message, data }: Json, method: string, now: number): Judged {
  const details = typeof data === "string" ? data : data == null ? "" : JSON.stringify(data)
  const text = [asText(message), details].filter(Boolean).join(": ")
  const error = method === "" ? text : `${method}: ${text}`
  if (code === AUTH_REQUIRED) return { reason: "auth", error }
  if (code === CANCELLED_REQUEST) return { reason: "cancelled", error }
  const status = typeof code === "number" && code >= 400 && code < 600 ? code : null
  const trouble = classifyError({ message: text, status, now })
  if (trouble.reason === "crashed" && NOT_UNDERSTOOD.includes(code)) return { reason: "protocol", error }
  return { ...trouble, error }
}
