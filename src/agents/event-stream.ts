import type { Clock } from "../lib/clock.ts"
import type { Mask } from "../lib/mask-secrets.ts"
import { maskedEnd, maskedStart } from "./masked-clip.ts"
import type { AgentEvent, AgentEventBody, AgentResult, RunOptions, Usage } from "./port.ts"
import { addUsage, NO_USAGE } from "./usage.ts"

/** Events get their time and their masks here, and the promises about their order are kept here. */
export interface EventStream {
  emit(body: AgentEventBody): void | Promise<void>
  /** Another object whenever it has changed. */
  usage(): Usage
  /** The one that the agent says it uses, or else the one it was given. */
  model(): string | null
  filesTouched(): readonly string[]
}

const MAX_INPUT = 500
const MAX_OUTPUT = 4000
const MAX_UNKNOWN = 2000
const MAX_ERROR = 4000

interface Parts {
  readonly clock: Clock
  readonly mask: Mask
  readonly model: string | null
  readonly onEvent: RunOptions["onEvent"]
}

export function makeEventStream({ clock, mask, model, onEvent }: Parts): EventStream {
  let hasStarted = false
  let told: string | null = null
  let usage = NO_USAGE
  /** By the tool that writes them; a tool that was refused has written nothing. */
  const files = new Map<string, readonly string[]>()
  const send = (body: AgentEventBody) => onEvent?.(makeEvent(clock.now(), body, mask))
  return {
    emit(body) {
      if (body.type === "started") {
        // Some agents introduce themselves again with every turn.
        if (hasStarted) return
        hasStarted = true
        told = body.model
      } else if (!hasStarted && body.type !== "unknown" && body.type !== "finished") {
        hasStarted = true
        const first = send({ type: "started", session: null, model, agentVersion: null })
        if (first instanceof Promise) return first.then(() => this.emit(body))
      }
      if (body.type === "usage") usage = addUsage(body.isTotal ? NO_USAGE : usage, body)
      if (body.type === "tool_use" && body.files.length > 0) files.set(body.id, body.files)
      if (body.type === "tool_result" && !body.ok) files.delete(body.id)
      return send(body)
    },
    usage: () => usage,
    model: () => told ?? model,
    filesTouched: () => [...new Set([...files.values()].flat().map(mask))],
  }
}

/** Field by field where events are many: to spread an object costs more than all else here. */
function makeEvent(at: number, body: AgentEventBody, mask: Mask): AgentEvent {
  switch (body.type) {
    case "text":
      return { at, type: "text", text: mask(body.text) }
    case "reasoning":
      return { at, type: "reasoning", text: mask(body.text) }
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
    case "message_delivered":
    case "finished": // its result was masked when it was made
      return { at, ...body }
  }
}

function maskAll(texts: readonly string[], mask: Mask): readonly string[] {
  return texts.length === 0 ? texts : texts.map(mask)
}

/** What the result carries is masked as well, whatever its shape. */
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
