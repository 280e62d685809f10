import * as v from "valibot"
import type { History } from "../reporting/history.ts"
import type { RunFact } from "../reporting/history-facts.ts"

const text = v.fallback(v.string(), "")
const textOrNull = v.fallback(v.nullable(v.string()), null)
const number = v.fallback(v.number(), 0)
const numberOrNull = v.fallback(v.nullable(v.number()), null)
const isTrue = v.fallback(v.boolean(), false)
const texts = v.fallback(
  v.pipe(
    v.array(v.unknown()),
    v.transform((items): readonly string[] => items.filter((item) => typeof item === "string")),
  ),
  [],
)

const usage = v.object({
  inputTokens: number,
  outputTokens: number,
  cachedTokens: number,
  dollars: numberOrNull,
  dollarsAreEstimated: isTrue,
})
type LoggedUsage = v.InferOutput<typeof usage>
const NO_USAGE: LoggedUsage = v.parse(usage, {})

const line = <const Type extends string, Entries extends v.ObjectEntries>(type: Type, entries: Entries) =>
  v.object({ ...entries, type: v.literal(type), at: numberOrNull })

const logLine = v.variant("type", [
  v.pipe(
    line("started", { model: textOrNull, session: textOrNull }),
    v.transform(({ type: kind, ...rest }) => ({ kind, ...rest })),
  ),
  v.pipe(
    line("text", { text }),
    v.transform(({ type: kind, ...rest }) => ({ kind, ...rest })),
  ),
  v.pipe(
    line("reasoning", { text }),
    v.transform(({ type: kind, ...rest }) => ({ kind, ...rest })),
  ),
  v.pipe(
    line("tool_use", { name: text, files: texts, input: text }),
    v.transform(({ type: _, ...rest }) => ({ kind: "tool" as const, ...rest })),
  ),
  v.pipe(
    line("tool_result", { ok: isTrue, output: text }),
    v.transform(({ type: _, ...rest }) => ({ kind: "result" as const, ...rest })),
  ),
  v.pipe(
    line("usage", usage.entries),
    v.transform(({ type: kind, at, ...used }) => ({ kind, at, usage: used })),
  ),
  v.pipe(
    line("waiting", { reason: text, until: numberOrNull, retryAt: numberOrNull, why: text }),
    // When the provider may be asked again, else when the program retries.
    v.transform(({ type: kind, at, reason, until, retryAt, why }) => ({
      kind,
      at,
      reason,
      until: retryAt ?? until,
      why,
    })),
  ),
  v.pipe(
    line("message_delivered", { messageId: text }),
    v.transform(({ at, messageId: id }) => ({ kind: "message" as const, at, id })),
  ),
  v.pipe(
    line("unknown", { line: text }),
    v.transform(({ type: kind, at, line }) => ({ kind, at, text: line })),
  ),
  v.pipe(
    line("finished", {
      result: v.object({
        reason: text,
        error: text,
        durationMs: number,
        usage: v.fallback(usage, NO_USAGE),
        filesTouched: texts,
      }),
    }),
    v.transform(({ type: kind, at, result: { filesTouched: files, ...result } }) => ({ kind, at, ...result, files })),
  ),
  // A long recording loses its beginning.
  v.pipe(
    line("teamwork.left_out", { bytes: number }),
    v.transform(({ at, bytes }) => ({ kind: "left-out" as const, at, bytes })),
  ),
])

export type LogEntry = Readonly<v.InferOutput<typeof logLine>>

/** Undefined for a line that is no event: cut off by a crash, or from a later version. */
export function parseLogLine(text: string): LogEntry | undefined {
  try {
    const { success, output } = v.safeParse(logLine, JSON.parse(text))
    return success ? output : undefined
  } catch {
    return undefined
  }
}

/** By itself, with its worker, or because another run of its task began. */
export function isOver(history: History, run: RunFact): boolean {
  if (run.endedAt !== null) return true
  const worker = history.workers.get(run.worker)
  if (worker?.exitedAt != null && worker.exitedAt >= run.startedAt) return true
  if (worker?.startedAt != null && worker.startedAt > run.startedAt) return true
  const ofTask = [...history.runs.values()].filter((each) => run.task !== null && each.task === run.task)
  return ofTask.length > 0 && ofTask.at(-1) !== run
}
