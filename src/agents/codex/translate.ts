import type { Clock } from "../../lib/clock.ts"
import { judgeAnswer } from "../answer.ts"
import { asArray, asCount, asObject, asText, asTextOrNull, type Json, joinTexts, parseLine } from "../json-line.ts"
import type { AgentEventBody, AgentJob, ToolUse, Usage } from "../port.ts"
import type { Outcome, Translator } from "../program.ts"
import { inWorkspace } from "../tool-use.ts"
import { countTurns } from "../turn-count.ts"
import { unknownLine } from "../unknown-line.ts"
import { NO_USAGE, usageEvent, usageSince } from "../usage.ts"
import { watchQuota } from "./codex-quota.ts"
import { classifyCodex, reconnecting, retryInLog } from "./retrying.ts"

/** Codex with `exec --json`: `turn.completed` or `turn.failed` decides. It counts tokens over the thread and no cost. */
export function translateCodex(job: AgentJob, clock: Clock): Translator {
  let session: string | null = null
  let lastText = ""
  let lastError = ""
  let ending: "completed" | "failed" | undefined
  const quota = watchQuota(clock)
  const turns = countTurns()
  const used = new Set<string>()

  function item(event: Json): AgentEventBody[] {
    const entry = asObject(event.item)
    if (entry === undefined) return [{ type: "unknown", line: JSON.stringify(event) }]
    if (entry.type === "error") {
      // A warning for people, such as an unknown model; what ends a turn comes as an event of its own.
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
      if (call === undefined)
        return entry.type === "todo_list" ? [] : [{ type: "unknown", line: JSON.stringify(event) }]
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
      case "turn.completed": {
        ending = "completed"
        const total = usageOf(asObject(event.usage) ?? {})
        return [usageEvent("run", usageSince(total, job.resume?.usage ?? NO_USAGE))]
      }
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

  let blocked = 0
  return {
    line: (text) => turns.see(line(text)),
    /** What a hook denied, and how long it waits, appears nowhere else. */
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
    end(exit, stderr): Outcome {
      const base = { retryAt: null, answer: lastText, structured: null, session, error: "", ...quota.told() }
      if (ending === "completed") return { ...base, ...judgeAnswer(job, lastText) }
      if (session === null && exit.exitCode === 0)
        return { ...base, reason: "protocol", error: stderr || "printed no result" }
      const message = lastError || stderr
      return { ...base, ...classifyCodex(message, clock.now()), error: message || "ended without a result" }
    },
  }
}

function toolOf(item: Json, workspace: string): ToolUse | undefined {
  const id = asText(item.id)
  const tool = (name: string, input: string, files: string[] = []): ToolUse => {
    const use = { type: "tool_use", id, name, files, input } as const
    // It does not tell what it writes, so two changes of one file are never known to be the same.
    return files.length === 0 ? use : { ...use, key: id }
  }
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
      return tool("file_change", summary, files)
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
  return {
    inputTokens: asCount(usage.input_tokens),
    outputTokens: asCount(usage.output_tokens),
    cachedTokens: asCount(usage.cached_input_tokens),
    dollars: null,
  }
}
