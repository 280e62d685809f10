import type { Clock } from "../../lib/clock.ts"
import { classifyError } from "../classify-error.ts"
import { asArray, asCount, asObject, asText, asTextOrNull, type Json, joinTexts, parseLine } from "../json-line.ts"
import type { AgentEventBody, AgentJob, Usage, Waiting } from "../port.ts"
import type { Outcome, Translator } from "../program.ts"
import { judgeNoResult, tokens, toolUse, unknownLine, waitingFor } from "../translator-parts.ts"
import { NO_USAGE, usageEvent, usageSince } from "../usage.ts"
import { watchQuota } from "./claude-quota.ts"
import { watchClosing } from "./closing.ts"
import { claudeFacts } from "./facts.ts"

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
    // Claude Code's own text in the model's name, such as an error of the server; the result repeats it.
    if (message.model === "<synthetic>") return []
    const events: AgentEventBody[] = []
    for (const block of asArray(message.content)) {
      const content = contentEvent(asObject(block), job)
      if (content !== undefined) events.push(closing.asWords(asObject(block), content))
    }
    if (events.length === 0) return asObject(event.message) === undefined ? unknownLine(JSON.stringify(event)) : []
    // A subagent works in its parent's turn.
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
        return [{ ...apiRetry(event, clock.now()), retryAt: quota.resetsAt() }]
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
        // Otherwise the usage of the messages stays.
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
    // A background agent leads to a further turn with its own result. A background command does not.
    isOver: () => result !== undefined && !background.isTurnToCome(),
    hasLeftovers: background.hasCommands,
    end({ exitCode }, stderr): Outcome {
      const now = clock.now()
      const base = { retryAt: null, answer: lastText, structured: null, session, error: "", ...quota.latest() }
      if (result === undefined) return { ...base, ...judgeNoResult({ session, exitCode, message: stderr, now }) }
      const judged = { ...base, ...judge(result, { job, now, lastText }) }
      const answer = judged.reason === "done" ? closing.answer(judged) : judged.answer
      return { ...judged, answer, retryAt: judged.retryAt ?? quota.resetsAt() }
    },
  }
}

/** Agents, after which the conversation continues, and commands such as a server. */
function watchBackground() {
  let agents = 0
  let commands = 0
  let isAnnounced = false
  return {
    change(tasks: readonly unknown[], isAfterResult: boolean) {
      const before = agents
      commands = tasks.filter((task) => asObject(task)?.task_type === "local_bash").length
      agents = tasks.length - commands
      if (isAfterResult && agents < before) isAnnounced = true
    },
    beginTurn() {
      isAnnounced = false
    },
    isTurnToCome: () => agents > 0 || isAnnounced,
    hasCommands: () => commands > 0,
  }
}

/** Claude Code retries by itself, ten times by default and ever more slowly, even where that cannot help. */
function apiRetry(event: Json, now: number): Waiting {
  const status = typeof event.error_status === "number" ? event.error_status : null
  const error = asText(event.error).replaceAll("_", " ")
  const words = [status === null ? "no answer of the server" : `HTTP ${status}`, error === "unknown" ? "" : error]
  const why = words.filter((part) => part !== "").join(", ")
  return waitingFor({ why, status, now, until: now + asCount(event.retry_delay_ms) })
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

/** Results of tools, and our own messages, which come back when the agent has read them. */
function userEvents(event: Json): AgentEventBody[] {
  if (event.isReplay === true) {
    const messageId = asText(event.uuid)
    return messageId === "" ? [] : [{ type: "message_delivered", messageId }]
  }
  return asArray(asObject(event.message)?.content).flatMap((item): AgentEventBody[] => {
    const block = asObject(item)
    if (block?.type !== "tool_result") return []
    const output = typeof block.content === "string" ? block.content : joinTexts(block.content)
    return [{ type: "tool_result", id: asText(block.tool_use_id), ok: block.is_error !== true, output }]
  })
}

function messageUsage(usage: Json): Usage {
  const cached = asCount(usage.cache_read_input_tokens)
  const input = asCount(usage.input_tokens) + asCount(usage.cache_creation_input_tokens) + cached
  return tokens(input, asCount(usage.output_tokens), cached)
}

/** Counted from the start of the session, with other models that helped. */
function sessionUsage(result: Json): Usage {
  const models = Object.values(asObject(result.modelUsage) ?? {}).map((model) => asObject(model) ?? {})
  const sum = (field: string) => models.reduce((total, model) => total + asCount(model[field]), 0)
  const cached = sum("cacheReadInputTokens")
  const input = sum("inputTokens") + sum("cacheCreationInputTokens") + cached
  const output = sum("outputTokens")
  return { ...tokens(input, output, cached), dollars: dollarsOf(result.total_cost_usd, input + output) }
}

/** Tokens without cost belong to a model whose price Claude Code does not know. */
function dollarsOf(cost: unknown, used: number): number | null {
  if (typeof cost !== "number" || !Number.isFinite(cost) || cost < 0) return null
  return cost === 0 && used > 0 ? null : cost
}

function judge(
  result: Json,
  { job, now, lastText }: { job: AgentJob; now: number; lastText: string },
): Partial<Outcome> & Pick<Outcome, "reason"> {
  const answer = asText(result.result) || lastText
  const structured = result.structured_output ?? null
  const error = asArray(result.errors).map(asText).join("\n") || answer
  const base = { answer, structured, error }
  if (result.terminal_reason === "max_turns" || result.subtype === "error_max_turns")
    return { ...base, reason: "turn-limit" }
  if (result.terminal_reason === "budget_exhausted" || result.subtype === "error_max_budget_usd")
    return { ...base, reason: "budget" }
  if (result.is_error === true) {
    const status = typeof result.api_error_status === "number" ? result.api_error_status : null
    return { ...base, ...classifyError({ message: error, status, now }), answer: lastText }
  }
  if (result.stop_reason === "refusal") return { ...base, reason: "refused" }
  if (job.answerSchema !== null && structured === null)
    return { ...base, reason: "protocol", error: "gave no structured answer" }
  return { ...base, reason: "done", error: "" }
}
