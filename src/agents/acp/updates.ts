import { asObject, asText, type Json } from "../json-line.ts"
import type { AgentEventBody, AgentJob } from "../port.ts"
import { appendTail } from "../translator-parts.ts"
import type { makeTools } from "./acp-tools.ts"
import { countUsage } from "./count-usage.ts"

const PAST = new Set<unknown>([
  "user_message_chunk",
  "agent_message_chunk",
  "agent_thought_chunk",
  "tool_call",
  "tool_call_update",
])

export function makeUpdates(job: AgentJob, tools: ReturnType<typeof makeTools>) {
  const usage = countUsage(job)
  /** Comes in pieces. */
  let answer = ""
  let messageId: unknown
  let isAnswerOver = false
  /** Set while the agent did nothing since. */
  let refusal = ""
  /** Set when the agent cannot reach its model; "" before it explains why. */
  let failure: string | undefined
  let replayed = 0
  function message(update: Json): AgentEventBody[] {
    const text = asText(asObject(update.content)?.text)
    if (text === "") return []
    if (failure !== undefined) {
      failure = appendTail(failure, text)
      return []
    }
    if (isAnswerOver || update.messageId !== messageId) answer = ""
    isAnswerOver = false
    refusal = ""
    messageId = update.messageId
    const part = answer === "" ? "first" : "next"
    answer = appendTail(answer, text)
    return [{ type: "text", text, part }]
  }

  function tool(update: Json): AgentEventBody[] {
    isAnswerOver = true
    const events = tools.see(update)
    if (events.some(({ type }) => type === "tool_use")) refusal = ""
    return events
  }

  /** Codex reports an error by the state of its thread and a message, and then ends as if it were done. */
  function session(update: Json): AgentEventBody[] {
    const status = asObject(asObject(asObject(update._meta)?.codex)?.threadStatus)?.type
    if (status === "systemError") failure ??= ""
    // It retries.
    if (status === "active") failure = undefined
    return []
  }

  return {
    answer: () => answer,
    state: () => ({ answer, refusal, failure: failure?.trim() }),
    noteRefusal(what: string): void {
      refusal = what
    },
    beginTurn(): void {
      isAnswerOver = true
      refusal = ""
      failure = undefined
      usage.beginTurn()
    },
    /** Undefined for an unknown update. */
    see(update: Json): AgentEventBody[] | undefined {
      switch (update.sessionUpdate) {
        case "agent_message_chunk":
          return message(update)
        case "agent_thought_chunk": {
          const text = asText(asObject(update.content)?.text)
          return text === "" ? [] : [{ type: "reasoning", text, part: "next" }]
        }
        case "tool_call":
        case "tool_call_update":
          return tool(update)
        case "usage_update":
          return usage.see(update)
        case "user_message_chunk":
        case "plan":
        case "available_commands_update":
        case "current_mode_update":
        case "config_option_update":
          return []
        case "session_info_update":
          return session(update)
        default:
          return undefined
      }
    },
    /** Updates before our prompt are the past; only the cost of the session counts. */
    replay(update: Json): AgentEventBody[] {
      if (update.sessionUpdate === "usage_update") usage.takeCost(update)
      else if (PAST.has(update.sessionUpdate)) replayed++
      return []
    },
    replayed: () => replayed,
    endTurn: usage.endTurn,
  }
}
