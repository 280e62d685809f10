import type { Clock } from "../../lib/clock.ts"
import { judgeAnswer, MAX_ANSWER } from "../answer.ts"
import { appendTail } from "../append-tail.ts"
import { classifyError } from "../classify-error.ts"
import { asCount, asObject, asText, asTextOrNull, type Json, parseLine } from "../json-line.ts"
import type { AgentEventBody, AgentJob, Usage } from "../port.ts"
import type { Outcome, Translator } from "../program.ts"
import { toolUse } from "../tool-use.ts"
import { unknownLine } from "../unknown-line.ts"
import { usageEvent } from "../usage.ts"
import { waitingFor } from "../waiting.ts"
import { opencodeFacts } from "./facts.ts"

const WRITING_TOOLS: ReadonlySet<string> = new Set(opencodeFacts.tools.writing)

/**
 * OpenCode with `run --format json`. It has no last event: a run is done when its last step finished with "stop" and
 * it then ended with 0. A refused permission ends it too, with 0, but after a step that wanted to go on.
 */
export function translateOpencode(job: AgentJob, clock: Clock): Translator {
  let session: string | null = null
  let steps = 0
  let answer = ""
  let lastReason = ""
  let failure: { message: string; status: number | null; name: string } | undefined
  let wasRejected = false

  function line(text: string): AgentEventBody[] {
    const event = parseLine(text)
    const part = asObject(event?.part)
    const found = asTextOrNull(event?.sessionID)
    const events: AgentEventBody[] = []
    if (session === null && found !== null) events.push(started(found))
    session ??= found
    switch (part === undefined && event?.type !== "error" ? "" : event?.type) {
      case "step_start":
        steps++
        answer = ""
        lastReason = ""
        return events
      case "text":
        answer = appendTail(answer, asText(part?.text), MAX_ANSWER)
        events.push({ type: "text", text: asText(part?.text) })
        return events
      case "reasoning":
        events.push({ type: "reasoning", text: asText(part?.text) })
        return events
      case "tool_use": {
        const [use, result] = toolEvents(part ?? {})
        if (result.type === "tool_result" && !result.ok && /reject|denied|permission/i.test(result.output))
          wasRejected = true
        events.push(use, result)
        return events
      }
      case "step_finish":
        lastReason = asText(part?.reason)
        events.push(usageEvent("part", usageOf(part ?? {})))
        return events
      case "error":
        failure = failureOf(asObject(event?.error) ?? {})
        return events
      default:
        return unknownLine(text)
    }
  }

  const started = (id: string): AgentEventBody => ({
    type: "started",
    session: id,
    model: job.model,
    agentVersion: null,
  })

  function toolEvents(part: Json): [AgentEventBody, AgentEventBody] {
    const state = asObject(part.state) ?? {}
    const [id, name] = [asText(part.callID), asText(part.tool)]
    const input = asObject(state.input) ?? {}
    const output = asText(state.output) || asText(state.error)
    return [
      toolUse({ id, name, input, writes: WRITING_TOOLS.has(name), workspace: job.workspace }),
      { type: "tool_result", id, ok: state.status === "completed", output },
    ]
  }

  return {
    line,
    stderr: (text) => retrying(text, clock.now()),
    turns: () => steps,
    isOver: () => lastReason === "stop" || failure !== undefined,
    end({ exitCode }, stderr): Outcome {
      const base = { retryAt: null, answer, structured: null, session, error: "" }
      const now = clock.now()
      if (failure !== undefined) {
        const { message, status, name } = failure
        const trouble = classifyError({ message: `${name}: ${message}`, status, now })
        return { ...base, ...trouble, error: message || name }
      }
      if (lastReason === "stop" && exitCode === 0) return { ...base, ...judgeAnswer(job, answer) }
      if (lastReason === "length")
        return { ...base, reason: "context-overflow", error: "the answer was cut at its length limit" }
      if (lastReason === "content-filter") return { ...base, reason: "refused", error: "the answer was filtered" }
      if (wasRejected) return { ...base, reason: "permission", error: "it ended when a tool was not permitted" }
      if (session === null && exitCode === 0)
        return { ...base, reason: "protocol", error: stderr || "printed no result" }
      return { ...base, ...classifyError({ message: stderr, now }), error: stderr || "ended in the middle" }
    },
  }
}

/**
 * In its log: `message="stream error" ... small=false ... error.error="why"`. It does not say when it tries again, and
 * may wait as long as the server told it. A small model makes only the title.
 */
function retrying(text: string, now: number): AgentEventBody[] {
  const why = /message="stream error".* small=false .*error\.error="(.*)"/.exec(text)?.[1]
  return why === undefined ? [] : [waitingFor({ why, now, until: null })]
}

function failureOf(error: Json): { message: string; status: number | null; name: string } {
  const data = asObject(error.data) ?? {}
  const status = typeof data.statusCode === "number" ? data.statusCode : null
  const retry = asText(asObject(data.responseHeaders)?.["retry-after"])
  const body = asText(data.responseBody)
  const message = [asText(data.message) || body, retry === "" ? "" : `retry-after: ${retry}`].filter(Boolean).join("; ")
  return { message, status, name: asText(error.name) }
}

function usageOf(part: Json): Usage {
  const tokens = asObject(part.tokens) ?? {}
  const cache = asObject(tokens.cache) ?? {}
  return {
    inputTokens: asCount(tokens.input) + asCount(cache.read) + asCount(cache.write),
    outputTokens: asCount(tokens.output) + asCount(tokens.reasoning),
    cachedTokens: asCount(cache.read),
    dollars: typeof part.cost === "number" ? asCount(part.cost) : null,
  }
}
