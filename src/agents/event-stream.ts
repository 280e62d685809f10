import type { Clock } from "../lib/clock.ts"
import { maskParts } from "../lib/text/mask-parts.ts"
import type { Mask, Secrets } from "../lib/text/mask-secrets.ts"
import { maskedEnd, maskedStart } from "../lib/text/masked-clip.ts"
import type { AgentEvent, AgentEventBody, AgentResult, RunOptions, Speech, Usage } from "./port.ts"
import { addUsage, NO_USAGE } from "./usage.ts"

/**
 * Adds times to events, masks them and keeps their order. A text whose end may be the start of a secret waits for
 * the next text, and so do usage and unknown lines.
 */
export interface EventStream {
  /** `onShown` gets the masked text just before `onEvent`. */
  emit(body: AgentEventBody, onShown?: (shown: string) => void): void | Promise<void>
  /** Runs an action in its place among the events. */
  inOrder(action: () => void): void | Promise<void>
  /** A new object after each change. */
  usage(): Usage
  model(): string | null
  filesTouched(): readonly string[]
}

const MAX_INPUT = 500
const MAX_OUTPUT = 4000
const MAX_UNKNOWN = 2000
const MAX_ERROR = 4000

interface Parts {
  readonly clock: Clock
  readonly secrets: Secrets
  readonly model: string | null
  readonly onEvent: RunOptions["onEvent"]
}

export function makeEventStream({ clock, secrets, model, onEvent }: Parts): EventStream {
  const { mask } = secrets
  const held = maskParts(secrets)
  let speaking: "text" | "reasoning" | undefined
  let hasStarted = false
  let reported: string | null = null
  let usage = NO_USAGE
  /** By tool call; a refused call wrote nothing. */
  const files = new Map<string, readonly string[]>()

  function emit(body: AgentEventBody, onShown?: (shown: string) => void): void | Promise<void> {
    if (body.type === "started") {
      // Some agents repeat it every turn.
      if (hasStarted) return
      hasStarted = true
      reported = body.model
    } else if (!hasStarted && body.type !== "unknown" && body.type !== "finished") {
      hasStarted = true
      const first = send({ type: "started", session: null, model, agentVersion: null })
      if (first instanceof Promise) return first.then(() => emit(body, onShown))
    }
    if (body.type === "usage") usage = addUsage(body.isTotal ? NO_USAGE : usage, body)
    if (body.type === "tool_use" && body.files.length > 0) files.set(body.id, body.files.map(mask))
    if (body.type === "tool_result" && !body.ok) files.delete(body.id)
    return send(body, onShown)
  }

  function send(body: AgentEventBody, onShown?: (shown: string) => void): void | Promise<void> {
    const at = clock.now()
    if (body.type === "usage" || body.type === "unknown")
      return held.push("", () => onEvent?.(makeEvent(at, body, mask)))
    const kind = body.type === "text" || body.type === "reasoning" ? body.type : undefined
    const before = kind === undefined || kind !== speaking ? held.end() : undefined
    if (before instanceof Promise) return before.then(() => sendNext(body, at, onShown))
    return sendNext(body, at, onShown)
  }

  function sendNext(body: AgentEventBody, at: number, onShown?: (shown: string) => void): void | Promise<void> {
    const isSpeech = body.type === "text" || body.type === "reasoning"
    speaking = isSpeech ? body.type : undefined
    if (!isSpeech) return onEvent?.(makeEvent(at, body, mask))
    return held.push(body.text, (text) => {
      onShown?.(text)
      // The whole text was the rest of a secret.
      return text === "" && body.text !== "" ? undefined : onEvent?.(makeSpeech(at, body, text))
    })
  }

  return {
    emit,
    inOrder: (action) => held.push("", action),
    usage: () => usage,
    model: () => reported ?? model,
    filesTouched: () => [...new Set([...files.values()].flat())],
  }
}

function makeSpeech(at: number, { type, part }: Speech, text: string): AgentEvent {
  return part === undefined ? { at, type, text } : { at, type, text, part }
}

/** Field by field: spreading an object costs more than everything else here. */
function makeEvent(at: number, body: AgentEventBody, mask: Mask): AgentEvent {
  switch (body.type) {
    case "tool_use": {
      const { type, id, name, files, input } = body
      return { at, type, id, name: mask(name), files: maskAll(files, mask), input: maskedStart(mask, input, MAX_INPUT) }
    }
    case "tool_result": {
      const { type, id, ok, output } = body
      return { at, type, id, ok, output: maskedEnd(mask, output, MAX_OUTPUT) }
    }
    case "usage": {
      const { type, isTotal, inputTokens, outputTokens, cachedTokens, dollars } = body
      return { at, type, isTotal, inputTokens, outputTokens, cachedTokens, dollars }
    }
    case "unknown":
      return { at, type: "unknown", line: maskedStart(mask, body.line, MAX_UNKNOWN) }
    case "started": {
      const { type, session, model, agentVersion } = body
      return { at, type, session, model, agentVersion }
    }
    case "waiting": {
      const { type, reason, until, retryAt, why } = body
      return { at, type, reason, until, retryAt, why: maskedStart(mask, why, MAX_INPUT) }
    }
    case "text": // masked with what follows
    case "reasoning":
    case "message_delivered":
    case "finished": // its result was masked when it was made
      return { at, ...body }
  }
}

function maskAll(texts: readonly string[], mask: Mask): readonly string[] {
  return texts.length === 0 ? texts : texts.map(mask)
}

export function maskResult(result: AgentResult, mask: Mask): AgentResult {
  return {
    ...result,
    answer: mask(result.answer),
    structured: maskValue(result.structured, mask),
    error: maskedEnd(mask, result.error, MAX_ERROR),
  }
}

function maskValue(value: unknown, mask: Mask): unknown {
  if (typeof value === "string") return mask(value)
  if (Array.isArray(value)) return value.map((item) => maskValue(item, mask))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [mask(key), maskValue(item, mask)]))
}
