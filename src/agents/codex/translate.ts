import type { Clock } from "../../lib/clock.ts"
import { asArray, asCount, asObject, asText, asTextOrNull, type Json, joinTexts, parseLine } from "../json-line.ts"
import type { AgentEventBody, AgentJob, ToolUse, Usage, Waiting } from "../port.ts"
import type { Outcome, Translator } from "../program.ts"
import {
  countTurns,
  inWorkspace,
  judgeAnswer,
  judgeNoResult,
  tokens,
  unknownLine,
  waitingFor,
} from "../translator-parts.ts"
import { NO_USAGE, usageEvent, usageSince } from "../usage.ts"
import { watchQuota } from "./codex-quota.ts"

/** `exec --json`: `turn.completed` or `turn.failed` decides. Codex counts tokens over the thread and no cost. */
export function translateCodex(job: AgentJob, clock: Clock): Translator {
  let session: string | null = null
  let lastText = ""
  let lastError = ""
  let ending: "completed" | "failed" | undefined
  let blocked = 0
  const quota = watchQuota(clock)
  const turns = countTurns()
  const used = new Set<string>()

  function item(event: Json): AgentEventBody[] {
    const entry = asObject(event.item)
    if (entry === undefined) return unknownLine(JSON.stringify(event))
    if (entry.type === "error") {
      // A warning, such as an unknown model. An error that ends the turn has its own event.
      lastError = asText(entry.message)
      return []
    }
    if (entry.type === "agent_message" || entry.type === "reasoning") {
      if (event.type !== "item.completed") return []
      const text = asText(entry.text)
      if (entry.type === "agent_message") lastText = text
      return [{ type: entry.type === "agent_message" ? "text" : "reasoning", text }]
    }
    const id = asText(entry.id)
    const events: AgentEventBody[] = []
    if (!used.has(id)) {
      const call = toolOf(entry, job.workspace)
      if (call === undefined) return entry.type === "todo_list" ? [] : unknownLine(JSON.stringify(event))
      used.add(id)
      events.push(call)
    }
    if (event.type === "item.completed") events.push(resultOf(entry, id))
    return events
  }

  function line(text: string): AgentEventBody[] {
    const event = quota.see(parseLine(text))
    switch (event?.type) {
      case "item.completed":
      case "item.started":
      case "item.updated":
        return item(event)
      case "thread.started":
        session = asTextOrNull(event.thread_id)
        return [{ type: "started", session, model: job.model, agentVersion: null }]
      case "turn.started":
        ending = undefined
        return []
      case "turn.completed":
        ending = "completed"
        return [usageEvent("run", usageSince(usageOf(asObject(event.usage) ?? {}), job.resume?.usage ?? NO_USAGE))]
      case "turn.failed":
        ending = "failed"
        lastError = asText(asObject(event.error)?.message) || lastError
        return []
      case "error":
        lastError = asText(event.message)
        return reconnecting(lastError, clock.now())
      default:
        return unknownLine(text)
    }
  }

  return {
    line: (text) => turns.see(line(text)),
    /** Only the log shows what a hook denied, and how long Codex waits. */
    stderr(text) {
      const waiting = retryInLog(text, clock.now())
      if (waiting !== undefined) return [waiting]
      const why = /tools::router: error=(.* blocked by PreToolUse hook: .*)/.exec(text)?.[1]
      if (why === undefined) return []
      const id = `blocked-${++blocked}`
      return turns.see([
        { type: "tool_use", id, name: "tool", files: [], input: why },
        { type: "tool_result", id, ok: false, output: why },
      ])
    },
    turns: turns.count,
    isOver: () => ending !== undefined,
    end({ exitCode }, stderr): Outcome {
      const base = { retryAt: null, answer: lastText, structured: null, session, error: "", ...quota.latest() }
      if (ending === "completed") return { ...base, ...judgeAnswer(job, lastText) }
      const message = lastError || stderr
      return { ...base, ...judgeNoResult({ session, exitCode, message, status: statusIn(message), now: clock.now() }) }
    },
  }
}

/** Part of Codex's message. */
function statusIn(message: string): number | null {
  return Number(/\b(?:status|HTTP)\D{0,10}(\d{3})\b/i.exec(message)?.[1] ?? 0) || null
}

/** Output: `Reconnecting... 2/5 (why)`. The next try follows within seconds, unless it waits for the network. */
function reconnecting(message: string, now: number): Waiting[] {
  if (!message.startsWith("Reconnecting...")) return []
  const until = /waiting for network/i.test(message) ? null : now
  return [waitingFor({ why: message, status: statusIn(message), now, until })]
}

/** Log: `retrying sampling request (1/5 in 299.9s)... sampling_error=why`. Codex waits as long as the server asked. */
function retryInLog(text: string, now: number): Waiting | undefined {
  const [, amount = "", unit = "", why = ""] =
    /retrying .*? in ([\d.]+)(ms|s)\)\.\.\. .*sampling_error=(.*)/.exec(Bun.stripANSI(text)) ?? []
  if (amount === "") return undefined
  const until = now + Math.ceil(Number(amount) * (unit === "ms" ? 1 : 1000))
  return waitingFor({ why, status: statusIn(why), now, until, isProvidersTime: true })
}

function toolOf(item: Json, workspace: string): ToolUse | undefined {
  const id = asText(item.id)
  const tool = (name: string, input: string): ToolUse => ({ type: "tool_use", id, name, files: [], input })
  switch (item.type) {
    case "command_execution":
      return tool("command", asText(item.command))
    case "file_change": {
      const files: string[] = []
      let summary = ""
      for (const change of asArray(item.changes)) {
        const { path, kind } = asObject(change) ?? {}
        if (asText(path) === "") continue
        files.push(inWorkspace(asText(path), workspace))
        summary += `${summary === "" ? "" : ", "}${asText(kind)} ${asText(path)}`
      }
      // Codex does not report what it writes, so two changes of one file never count as the same.
      return { ...tool("file_change", summary), files, ...(files.length > 0 && { key: id }) }
    }
    case "mcp_tool_call":
      return tool(`mcp__${asText(item.server)}__${asText(item.tool)}`, JSON.stringify(item.arguments ?? null))
    case "web_search":
      return tool("web_search", asText(item.query))
    default:
      return undefined
  }
}

function resultOf(item: Json, id: string): AgentEventBody {
  const error = asText(asObject(item.error)?.message)
  const output = asText(item.aggregated_output) || error || joinTexts(asObject(item.result)?.content)
  const ok = item.status !== "failed" && item.status !== "declined" && error === ""
  return { type: "tool_result", id, ok: ok && (item.exit_code == null || item.exit_code === 0), output }
}

function usageOf(usage: Json): Usage {
  return tokens(asCount(usage.input_tokens), asCount(usage.output_tokens), asCount(usage.cached_input_tokens))
}
