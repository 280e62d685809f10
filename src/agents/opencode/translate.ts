import type { Clock } from "../../lib/clock.ts"
import { classifyError } from "../classify-error.ts"
import { asCount, asObject, asText, asTextOrNull, type Json, parseLine } from "../json-line.ts"
import type { AgentEventBody, AgentJob, Usage } from "../port.ts"
import type { Outcome, Translator } from "../program.ts"
import {
  appendTail,
  judgeAnswer,
  judgeNoResult,
  tokens as tokensOf,
  toolUse,
  unknownLine,
  waitingFor,
} from "../translator-parts.ts"
import { usageEvent } from "../usage.ts"
import { opencodeFacts } from "./facts.ts"

const WRITING_TOOLS: ReadonlySet<string> = new Set(opencodeFacts.tools.writing)

/**
 * `run --format json` has no last event: a run is done when its last step finished with "stop" and the exit code is
 * 0. A refused permission also ends it with 0, but after a step that wanted to continue.
 */
export function translateOpencode(job: AgentJob, clock: Clock): Translator {
  let session: string | null = null
  let steps = 0
  let answer = ""
  let lastReason = ""
  let failure: Failure | undefined
  let wasRejected = false

  /** Undefined for an unknown line. */
  function eventsOf(event: Json, part: Json): AgentEventBody[] | undefined {
    switch (event.type) {
      case "step_start":
        steps++
        answer = ""
        lastReason = ""
        return []
      case "text":
        answer = appendTail(answer, asText(part.text))
        return [{ type: "text", text: asText(part.text) }]
      case "reasoning":
        return [{ type: "reasoning", text: asText(part.text) }]
      case "tool_use":
        return toolEvents(part)
      case "step_finish":
        lastReason = asText(part.reason)
        return [usageEvent("part", usageOf(part))]
      case "error":
        failure = failureOf(asObject(event.error) ?? {})
        return []
      default:
        return undefined
    }
  }

  function line(text: string): AgentEventBody[] {
    const event = parseLine(text)
    const part = asObject(event?.part)
    const found = asTextOrNull(event?.sessionID)
    const isFirst = session === null && found !== null
    session ??= found
    const events = event && (part !== undefined || event.type === "error") ? eventsOf(event, part ?? {}) : undefined
    if (events === undefined) return unknownLine(text)
    if (isFirst) events.unshift({ type: "started", session, model: job.model, agentVersion: null })
    return events
  }

  function toolEvents(part: Json): AgentEventBody[] {
    const state = asObject(part.state) ?? {}
    const [id, name] = [asText(part.callID), asText(part.tool)]
    const output = asText(state.output) || asText(state.error)
    const ok = state.status === "completed"
    wasRejected ||= !ok && /reject|denied|permission/i.test(output)
    const input = asObject(state.input) ?? {}
    const use = toolUse({ id, name, input, writes: WRITING_TOOLS.has(name), workspace: job.workspace })
    return [use, { type: "tool_result", id, ok, output }]
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
        return {
          ...base,
          ...classifyError({ message: `${name}: ${message}`, status, now }),
          error: message || name,
        }
      }
      if (lastReason === "stop" && exitCode === 0) return { ...base, ...judgeAnswer(job, answer) }
      if (lastReason === "length")
        return { ...base, reason: "context-overflow", error: "the answer was cut at its length limit" }
      if (lastReason === "content-filter") return { ...base, reason: "refused", error: "the answer was filtered" }
      if (wasRejected) return { ...base, reason: "permission", error: "it ended when a tool was not permitted" }
      return { ...base, ...judgeNoResult({ session, exitCode, message: stderr, now }) }
    },
  }
}

/**
 * Log: `message="stream error" ... small=false ... error.error="why"`. It does not show the next try, and may wait
 * as long as the server asked. A small model only makes the title.
 */
function retrying(text: string, now: number): AgentEventBody[] {
  const why = /message="stream error".* small=false .*error\.error="(.*)"/.exec(text)?.[1]
  return why === undefined ? [] : [waitingFor({ why, now, until: null })]
}

interface Failure {
  readonly message: string
  readonly status: number | null
  readonly name: string
}

function failureOf(error: Json): Failure {
  const data = asObject(error.data) ?? {}
  const status = typeof data.statusCode === "number" ? data.statusCode : null
  const retry = asText(asObject(data.responseHeaders)?.["retry-after"])
  const message = asText(data.message) || asText(data.responseBody)
  const parts = [message, retry === "" ? "" : `retry-after: ${retry}`].filter(Boolean)
  return { message: parts.join("; "), status, name: asText(error.name) }
}

function usageOf(part: Json): Usage {
  const tokens = asObject(part.tokens) ?? {}
  const cache = asObject(tokens.cache) ?? {}
  const input = asCount(tokens.input) + asCount(cache.read) + asCount(cache.write)
  const output = asCount(tokens.output) + asCount(tokens.reasoning)
  const dollars = typeof part.cost === "number" ? asCount(part.cost) : null
  return { ...tokensOf(input, output, asCount(cache.read)), dollars }
}
