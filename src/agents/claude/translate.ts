import type { Clock } from "../../lib/clock.ts"
import { classifyError } from "../classify-error.ts"
import { asArray, asCount, asObject, asText, asTextOrNull, type Json, joinTexts, parseLine } from "../json-line.ts"
import type { AgentEventBody, AgentJob, Usage } from "../port.ts"
import type { Outcome, Translator } from "../program.ts"
import { toolUse } from "../tool-use.ts"
import { unknownLine } from "../unknown-line.ts"
import { NO_USAGE, usageEvent, usageSince } from "../usage.ts"
import { watchBackground } from "./background.ts"
import { watchQuota } from "./claude-quota.ts"
import { watchClosing } from "./closing.ts"
import { claudeFacts } from "./facts.ts"
import { retryOfClaude } from "./retrying.ts"

const NOT_NEEDED: ReadonlySet<unknown> = new Set(["stream_event", "tool_progress", "auth_status", "command_lifecycle"])
const WRITING_TOOLS: ReadonlySet<string> = new Set(claudeFacts.tools.writing)

/**
 * Claude Code with `--output-format stream-json`. The last `result` line decides: a run with background agents has
 * several, the exit code is 0 when it was interrupted, and the subtype is `success` for an error of the server.
 */
export function translateClaude(job: AgentJob, clock: Clock): Translator {
  let session: string | null = null
  let result: Json | undefined
  let lastText = ""
  const closing = watchClosing(job)
  const quota = watchQuota()
  const background = watchBackground()
  const messageIds = new Set<string>()

  function assistant(event: Json): AgentEventBody[] {
    const message = asObject(event.message) ?? {}
    // Claude Code's own words in the model's name, such as an error of the server, which the result tells again.
    if (message.model === "<synthetic>") return []
    const events: AgentEventBody[] = []
    for (const block of asArray(message.content)) {
      const told = contentEvent(asObject(block), job)
      if (told !== undefined) events.push(closing.asWords(asObject(block), told))
    }
    if (events.length === 0) return unknownIf(asObject(event.message) === undefined, event)
    // What a subagent does counts in its parent's turn.
    if (event.parent_tool_use_id == null) {
      result = undefined
      background.beginTurn()
      for (const said of events) {
        closing.see(said)
        if (said.type === "text") lastText = said.text
      }
      const isNew = !messageIds.has(asText(message.id))
      messageIds.add(asText(message.id))
      if (isNew) events.push(usageEvent("part", messageUsage(asObject(message.usage) ?? {})))
    }
    return events
  }

  function system(event: Json): AgentEventBody[] {
    switch (event.subtype) {
      case "init":
        return [started(event)]
      case "api_retry":
        return [retryOfClaude(event, { now: clock.now(), resetsAt: quota.resetsAt() })]
      case "background_tasks_changed":
        background.change(asArray(event.tasks), result !== undefined)
        return []
      default:
        return []
    }
  }

  function line(text: string): AgentEventBody[] {
    const event = parseLine(text)
    session = asTextOrNull(event?.session_id) ?? session
    switch (event?.type) {
      case "system":
        return system(event)
      case "assistant":
        return assistant(event)
      case "user":
        return userEvents(event).filter(closing.isOfTheWork)
      case "result":
        result = event
        closing.seeResult(event)
        background.beginTurn()
        // Without a word of usage, what the messages told stays.
        if (asObject(event.modelUsage) === undefined && event.total_cost_usd === undefined) return []
        return [usageEvent("run", usageSince(sessionUsage(event), job.resume?.usage ?? NO_USAGE))]
      case "rate_limit_event":
        quota.see(asObject(event.rate_limit_info) ?? {})
        return []
      default:
        return NOT_NEEDED.has(event?.type) ? [] : unknownLine(text)
    }
  }

  return {
    line,
    turns: () => messageIds.size,
    // A background agent brings a further turn, with a result of its own. A background command brings nothing.
    isOver: () => result !== undefined && !background.isTurnToCome(),
    hasLeftovers: background.hasCommands,
    end(exit, stderr): Outcome {
      const base = { retryAt: null, answer: lastText, structured: null, session, error: "", ...quota.told() }
      if (result !== undefined) {
        const judged = { ...base, ...judge(result, { job, now: clock.now(), lastText }) }
        const outcome = judged.reason === "done" ? { ...judged, answer: closing.answer(judged) } : judged
        return { ...outcome, retryAt: outcome.retryAt ?? quota.resetsAt() }
      }
      if (exit.exitCode === 0 && session === null)
        return { ...base, reason: "protocol", error: stderr || "printed no result" }
      const error = stderr.trim() === "" ? "ended without a result" : stderr
      return { ...base, ...classifyError({ message: stderr, now: clock.now() }), error }
    },
  }
}

function started(event: Json): AgentEventBody {
  return {
    type: "started",
    session: asTextOrNull(event.session_id),
    model: asTextOrNull(event.model),
    agentVersion: asTextOrNull(event.claude_code_version),
  }
}

function contentEvent(block: Json | undefined, { workspace }: AgentJob): AgentEventBody | undefined {
  switch (block?.type) {
    case "text":
      return { type: "text", text: asText(block.text) }
    case "thinking":
      return { type: "reasoning", text: asText(block.thinking) }
    case "tool_use": {
      const name = asText(block.name)
      const input = asObject(block.input) ?? {}
      return toolUse({ id: asText(block.id), name, input, writes: WRITING_TOOLS.has(name), workspace })
    }
    default:
      return undefined
  }
}

/** Results of tools; and what we sent ourselves, which comes back when the agent has taken it in. */
function userEvents(event: Json): AgentEventBody[] {
  if (event.isReplay === true) {
    const messageId = asText(event.uuid)
    return messageId === "" ? [] : [{ type: "message_delivered", messageId }]
  }
  const message = asObject(event.message)
  return asArray(message?.content).flatMap((item): AgentEventBody[] => {
    const block = asObject(item)
    if (block?.type !== "tool_result") return []
    const output = typeof block.content === "string" ? block.content : joinTexts(block.content)
    return [{ type: "tool_result", id: asText(block.tool_use_id), ok: block.is_error !== true, output }]
  })
}

function unknownIf(isStrange: boolean, event: Json): AgentEventBody[] {
  return isStrange ? [{ type: "unknown", line: JSON.stringify(event) }] : []
}

function messageUsage(usage: Json): Usage {
  const cachedTokens = asCount(usage.cache_read_input_tokens)
  const inputTokens = asCount(usage.input_tokens) + asCount(usage.cache_creation_input_tokens) + cachedTokens
  return { inputTokens, outputTokens: asCount(usage.output_tokens), cachedTokens, dollars: null }
}

/** Counted from the beginning of the session on, other models that helped included. */
function sessionUsage(result: Json): Usage {
  const models = Object.values(asObject(result.modelUsage) ?? {}).map((model) => asObject(model) ?? {})
  const sum = (field: string) => models.reduce((total, model) => total + asCount(model[field]), 0)
  const cachedTokens = sum("cacheReadInputTokens")
  const inputTokens = sum("inputTokens") + sum("cacheCreationInputTokens") + cachedTokens
  const outputTokens = sum("outputTokens")
  const dollars = costOf(result.total_cost_usd, inputTokens + outputTokens)
  return { inputTokens, outputTokens, cachedTokens, dollars }
}

/** Tokens that cost nothing are tokens of a model whose price it does not know. */
function costOf(told: unknown, tokens: number): number | null {
  if (typeof told !== "number" || !Number.isFinite(told) || told < 0) return null
  return told === 0 && tokens > 0 ? null : told
}

function judge(
  result: Json,
  { job, now, lastText }: { job: AgentJob; now: number; lastText: string },
): Partial<Outcome> & Pick<Outcome, "reason"> {
  const answer = asText(result.result) || lastText
  const structured = result.structured_output ?? null
  const errors = asArray(result.errors).map(asText).join("\n")
  const told = { answer, structured, error: errors || answer }
  if (result.terminal_reason === "max_turns" || result.subtype === "error_max_turns")
    return { ...told, reason: "turn-limit" }
  if (result.terminal_reason === "budget_exhausted" || result.subtype === "error_max_budget_usd")
    return { ...told, reason: "budget" }
  if (result.is_error === true) {
    const status = typeof result.api_error_status === "number" ? result.api_error_status : null
    return { ...told, ...classifyError({ message: told.error, status, now }), answer: lastText }
  }
  if (result.stop_reason === "refusal") return { ...told, reason: "refused" }
  if (job.answerSchema !== null && structured === null)
    return { ...told, reason: "protocol", error: "gave no structured answer" }
  return { ...told, reason: "done", error: "" }
}
