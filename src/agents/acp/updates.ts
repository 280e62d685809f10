import { MAX_ANSWER } from "../answer.ts"
import { appendTail } from "../append-tail.ts"
import { asCount, asObject, asText, type Json } from "../json-line.ts"
import type { AgentEventBody, AgentJob, Usage } from "../port.ts"
import { NO_USAGE } from "../usage.ts"
import type { makeTools } from "./tools.ts"

/** What `session/update` tells while the agent works, as events. */
export function makeUpdates(job: AgentJob, tools: ReturnType<typeof makeTools>) {
  /** The last message of the agent, which comes in pieces. */
  let answer = ""
  let messageId: unknown
  let isAnswerOver = false
  /** The session's, as it was last told; some agents count it on when a session is resumed, some begin anew. */
  let dollars = job.resume?.usage.dollars ?? 0
  let contextTokens = 0

  function message(update: Json): AgentEventBody[] {
    const text = asText(asObject(update.content)?.text)
    if (text === "") return []
    if (isAnswerOver || update.messageId !== messageId) answer = ""
    isAnswerOver = false
    messageId = update.messageId
    answer = appendTail(answer, text, MAX_ANSWER)
    return [{ type: "text", text }]
  }

  function usage(update: Json): AgentEventBody[] {
    contextTokens = asCount(update.used)
    const cost = asObject(update.cost)
    if (cost?.currency !== "USD") return []
    const total = asCount(cost.amount)
    const spent = total < dollars ? total : total - dollars
    dollars = total
    return [{ type: "usage", isTotal: false, ...NO_USAGE, dollars: spent }]
  }

  function tool(update: Json): AgentEventBody[] {
    isAnswerOver = true
    return tools.see(update)
  }

  return {
    answer: () => answer,
    beginTurn(): void {
      isAnswerOver = true
      contextTokens = 0
    },
    /** Undefined when we do not know it. */
    see(update: Json): AgentEventBody[] | undefined {
      switch (update.sessionUpdate) {
        case "agent_message_chunk":
          return message(update)
        case "agent_thought_chunk": {
          const text = asText(asObject(update.content)?.text)
          return text === "" ? [] : [{ type: "reasoning", text }]
        }
        case "tool_call":
        case "tool_call_update":
          return tool(update)
        case "usage_update":
          return usage(update)
        case "user_message_chunk":
        case "plan":
        case "available_commands_update":
        case "current_mode_update":
        case "config_option_update":
        case "session_info_update":
          return []
        default:
          return undefined
      }
    },
    /** What comes before our prompt is the past, but for what the session has cost so far. */
    replay(update: Json): AgentEventBody[] {
      if (update.sessionUpdate === "usage_update") usage(update)
      return []
    },
    endTurn(result: Json): AgentEventBody[] {
      const used = turnUsage(result) ?? (contextTokens > 0 ? { ...NO_USAGE, inputTokens: contextTokens } : undefined)
      return used === undefined ? [] : [{ type: "usage", isTotal: false, ...used }]
    },
  }
}

/**
 * What one turn used: not part of the protocol yet, but told by most. Of those that do not, the size of the context is
 * known, and the turn has read at least that.
 */
function turnUsage(result: Json): Usage | undefined {
  const usage = asObject(result.usage)
  if (usage !== undefined) {
    const cachedTokens = asCount(usage.cachedReadTokens)
    return {
      inputTokens: asCount(usage.inputTokens) + asCount(usage.cachedWriteTokens) + cachedTokens,
      outputTokens: asCount(usage.outputTokens) + asCount(usage.thoughtTokens),
      cachedTokens,
      dollars: null,
    }
  }
  const byGemini = asObject(asObject(asObject(result._meta)?.quota)?.token_count)
  if (byGemini === undefined) return undefined
  const [inputTokens, outputTokens] = [asCount(byGemini.input_tokens), asCount(byGemini.output_tokens)]
  return { inputTokens, outputTokens, cachedTokens: 0, dollars: null }
}
