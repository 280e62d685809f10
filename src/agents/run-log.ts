import type { History } from "../reporting/history.ts"
import type { RunFact } from "../reporting/history-facts.ts"

/** One thing that happened in a run of an agent, as its recording tells. */
export type LogEntry = { readonly at: number | null } & LogBody

type LogBody =
  | { readonly kind: "started"; readonly model: string | null; readonly session: string | null }
  | { readonly kind: "text" | "reasoning"; readonly text: string }
  | { readonly kind: "tool"; readonly name: string; readonly files: readonly string[]; readonly input: string }
  | { readonly kind: "result"; readonly ok: boolean; readonly output: string }
  | { readonly kind: "usage"; readonly usage: LoggedUsage }
  /** Its provider does not answer, and it tries again by itself. */
  | { readonly kind: "waiting"; readonly reason: string; readonly until: number | null; readonly why: string }
  | { readonly kind: "message"; readonly id: string }
  /** A line that nobody understood. */
  | { readonly kind: "unknown"; readonly text: string }
  | {
      readonly kind: "finished"
      readonly reason: string
      readonly error: string
      readonly durationMs: number
      readonly usage: LoggedUsage
      readonly files: readonly string[]
    }
  /** The beginning of a long recording is not kept. */
  | { readonly kind: "left-out"; readonly bytes: number }

export interface LoggedUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedTokens: number
  readonly dollars: number | null
  readonly dollarsAreEstimated: boolean
}

/** Undefined for a line that is no event: cut off by a crash, or of a version that knows more than we do. */
export function parseLogLine(line: string): LogEntry | undefined {
  let event: unknown
  try {
    event = JSON.parse(line)
  } catch {
    return undefined
  }
  const from = fieldsOf(event)
  const body = parseBody(from)
  return body && { at: typeof from.at === "number" ? from.at : null, ...body }
}

function parseBody(from: Fields): LogBody | undefined {
  switch (from.type) {
    case "started":
      return { kind: "started", model: orNull(from.model), session: orNull(from.session) }
    case "text":
    case "reasoning":
      return { kind: from.type, text: textOf(from.text) }
    case "tool_use":
      return { kind: "tool", name: textOf(from.name), files: textsOf(from.files), input: textOf(from.input) }
    case "tool_result":
      return { kind: "result", ok: from.ok === true, output: textOf(from.output) }
    case "usage":
      return { kind: "usage", usage: usageOf(from) }
    case "waiting":
      return { kind: "waiting", reason: textOf(from.reason), until: timeOf(from), why: textOf(from.why) }
    case "message_delivered":
      return { kind: "message", id: textOf(from.messageId) }
    case "unknown":
      return { kind: "unknown", text: textOf(from.line) }
    case "finished":
      return finishedOf(fieldsOf(from.result))
    case "teamwork.left_out":
      return { kind: "left-out", bytes: numberOf(from.bytes) }
    default:
      return undefined
  }
}

/** When its provider may be asked again, or else when the program tries it. */
function timeOf({ retryAt, until }: Fields): number | null {
  return typeof retryAt === "number" ? retryAt : typeof until === "number" ? until : null
}

function finishedOf(result: Fields): LogBody {
  return {
    kind: "finished",
    reason: textOf(result.reason),
    error: textOf(result.error),
    durationMs: numberOf(result.durationMs),
    usage: usageOf(fieldsOf(result.usage)),
    files: textsOf(result.filesTouched),
  }
}

function usageOf(from: Fields): LoggedUsage {
  return {
    inputTokens: numberOf(from.inputTokens),
    outputTokens: numberOf(from.outputTokens),
    cachedTokens: numberOf(from.cachedTokens),
    dollars: typeof from.dollars === "number" ? from.dollars : null,
    dollarsAreEstimated: from.dollarsAreEstimated === true,
  }
}

type Fields = Readonly<Record<string, unknown>>

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {}
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}

function orNull(value: unknown): string | null {
  return typeof value === "string" ? value : null
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : []
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0
}

/** Whether nothing more comes of a run: it ended, or its worker did, or another run of its task began. */
export function isOver(history: History, run: RunFact): boolean {
  if (run.endedAt !== null) return true
  const worker = history.workers.get(run.worker)
  if (worker?.exitedAt != null && worker.exitedAt >= run.startedAt) return true
  if (worker?.startedAt != null && worker.startedAt > run.startedAt) return true
  const ofTask = [...history.runs.values()].filter((each) => run.task !== null && each.task === run.task)
  return ofTask.length > 0 && ofTask.at(-1) !== run
}
