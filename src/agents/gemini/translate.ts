import type { Clock } from "../../lib/clock.ts"
import { asCount, asObject, asText, asTextOrNull, type Json, parseLine } from "../json-line.ts"
import type { AgentEventBody, AgentJob } from "../port.ts"
import type { Outcome, Translator } from "../program.ts"
import {
  appendTail,
  countTurns,
  judgeAnswer,
  judgeNoResult,
  tokens,
  toolUse,
  unknownLine,
  waitingFor,
} from "../translator-parts.ts"
import { usageEvent } from "../usage.ts"
import { geminiFacts } from "./facts.ts"

const WRITING_TOOLS: ReadonlySet<string> = new Set(geminiFacts.tools.writing)
const AUTH_EXIT_CODE = 41
const TURN_LIMIT_EXIT_CODE = 53
const UNTRUSTED_EXIT_CODE = 55
/** For an error of the server the exit code is its status modulo 256. */
const ERROR_STATUSES = [400, 401, 402, 403, 404, 413, 429, 500, 503]

/** `-o stream-json`: the `result` line decides, and without one the exit code. No cost. */
export function translateGemini(job: AgentJob, clock: Clock): Translator {
  let session: string | null = null
  let result: Json | undefined
  let answer = ""
  let lastError = ""
  let isLoop = false
  const turns = countTurns()

  function line(text: string): AgentEventBody[] {
    const event = parseLine(text)
    switch (event?.type) {
      case "init":
        session = asTextOrNull(event.session_id)
        return [{ type: "started", session, model: asTextOrNull(event.model), agentVersion: null }]
      case "message": {
        if (event.role !== "assistant") return []
        const content = asText(event.content)
        if (event.delta !== true) {
          answer = content
          return [{ type: "text", text: content }]
        }
        // An answer comes in pieces; a tool call in between starts the next one.
        const part = answer === "" ? "first" : "next"
        answer = appendTail(answer, content)
        return [{ type: "text", text: content, part }]
      }
      case "thought":
        return [{ type: "reasoning", text: asText(event.content) }]
      case "tool_use": {
        answer = ""
        const name = asText(event.tool_name)
        const input = asObject(event.parameters) ?? {}
        const writes = WRITING_TOOLS.has(name)
        return [toolUse({ id: asText(event.tool_id), name, input, writes, workspace: job.workspace })]
      }
      case "tool_result": {
        const output = asText(event.output) || asText(asObject(event.error)?.message)
        return [{ type: "tool_result", id: asText(event.tool_id), ok: event.status === "success", output }]
      }
      case "error":
        if (event.severity === "error") lastError = asText(event.message)
        else answer = ""
        isLoop ||= /^Loop detected/i.test(asText(event.message))
        return []
      case "result": {
        result = event
        const stats = asObject(event.stats) ?? {}
        const used = tokens(asCount(stats.input_tokens), asCount(stats.output_tokens), asCount(stats.cached))
        return [usageEvent("run", used)]
      }
      default:
        return unknownLine(text)
    }
  }

  return {
    line: (text) => turns.see(line(text)),
    stderr: (text) => retrying(text, clock.now()),
    turns: turns.count,
    isOver: () => result !== undefined,
    end({ exitCode }, stderr): Outcome {
      const base = { retryAt: null, answer, structured: null, session, error: "" }
      const error = asObject(result?.error)
      const message = asText(error?.message) || lastError || stderr
      // Gemini stops a loop by itself and reports success.
      if (isLoop) return { ...base, reason: "looping", error: "it made the same call again and again: Loop detected" }
      if (result?.status === "success") return { ...base, ...judgeAnswer(job, answer) }
      if (exitCode === TURN_LIMIT_EXIT_CODE || /TurnLimited/i.test(asText(error?.type)))
        return { ...base, reason: "turn-limit", error: message }
      if (exitCode === AUTH_EXIT_CODE || exitCode === UNTRUSTED_EXIT_CODE)
        return { ...base, reason: "auth", error: message }
      const status = ERROR_STATUSES.find((each) => each % 256 === exitCode) ?? null
      return { ...base, ...judgeNoResult({ session, exitCode, message, status, now: clock.now() }) }
    },
  }
}

/**
 * `Attempt 1 failed with status 429. Retrying with backoff... _ApiError: {...}`: the next try follows within
 * seconds. `Attempt 1 failed: ... Retrying after 27000ms...`: as the server asked.
 */
function retrying(text: string, now: number): AgentEventBody[] {
  const [, why = "", how = ""] = /^Attempt \d+ failed(.*?)Retrying (after \d+ms|with backoff)/.exec(text) ?? []
  if (how === "") return []
  const status = Number(/with status (\d{3})/.exec(why)?.[1] ?? 0) || null
  const waitMs = Number(/after (\d+)ms/.exec(how)?.[1] ?? 0)
  return [waitingFor({ why: text, status, now, until: now + waitMs, isProvidersTime: waitMs > 0 })]
}
