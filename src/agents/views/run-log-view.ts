import { cut, manyLines, oneLine, paint, type Screen } from "../../lib/text/table.ts"
import type { RunFact } from "../../reporting/history-facts.ts"
import { shortTime } from "../../reporting/views/status-view.ts"
import type { LogEntry } from "../run-log.ts"
import { renderUsage } from "./agents-view.ts"

export function runHeading(run: RunFact, screen: Screen): string {
  const of = run.task === null ? "" : ` task ${run.task}${run.attempt === null ? "" : `, attempt ${run.attempt}`},`
  const model = run.model === null ? "" : ` (${run.model})`
  const when = shortTime(new Date(run.startedAt).toISOString())
  const text = `=== run ${run.id}:${of} turn ${run.turn}, ${run.agent}${model} for ${run.worker}, ${when}`
  return paint(oneLine(text), "bold", screen.color)
}

function renderEntry(entry: LogEntry, screen: Screen): string {
  const time = entry.at === null ? "        " : new Date(entry.at).toISOString().slice(11, 19)
  const [first = "", ...rest] = linesOf(entry, screen.columns - INDENT.length)
  const body = [`${time}  ${first}`, ...rest.map((line) => (line === "" ? "" : INDENT + line))].join("\n")
  const style = styleOf(entry)
  return style === undefined ? body : paint(body, style, screen.color)
}

const INDENT = " ".repeat("00:00:00  ".length)
const MIN_WIDTH = 30
const MAX_RESULT_LINES = 5

function linesOf(entry: LogEntry, columns: number): string[] {
  const width = Math.max(columns, MIN_WIDTH)
  switch (entry.kind) {
    case "started":
      return [`started${entry.model === null ? "" : ` ${oneLine(entry.model)}`}${sessionOf(entry.session)}`]
    case "text":
      return manyLines(entry.text).trimEnd().split("\n")
    case "reasoning":
      return manyLines(`(thinks) ${entry.text.trim()}`).split("\n")
    case "tool": {
      const files = entry.files.length === 0 ? "" : ` ${entry.files.join(", ")}`
      const input = entry.input === "" ? "" : `: ${entry.input}`
      return [cut(oneLine(`-> ${entry.name}${files}${input}`), width)]
    }
    case "result":
      return resultLines(entry, width)
    case "usage":
      return [`used ${renderUsage(entry.usage) || "nothing"}`]
    case "waiting": {
      const until = entry.until === null ? "" : ` until ${new Date(entry.until).toISOString().slice(11, 19)}`
      return [cut(oneLine(`waits${until}, ${entry.reason}: ${entry.why}`), width)]
    }
    case "message":
      return [`got message ${oneLine(entry.id)}`]
    case "unknown":
      return [cut(oneLine(`? ${entry.text}`), width)]
    case "finished":
      return finishedLines(entry)
    case "left-out":
      return [`[${entry.bytes} bytes left out]`]
    default:
      return entry satisfies never
  }
}

function sessionOf(session: string | null): string {
  return session === null ? "" : `, session ${oneLine(session)}`
}

function resultLines({ ok, output }: { readonly ok: boolean; readonly output: string }, width: number): string[] {
  const lines = (manyLines(output).trimEnd() || "(nothing printed)").split("\n")
  const shown = lines.slice(0, MAX_RESULT_LINES).map((line) => cut(line, width - 3))
  const more = lines.length - shown.length
  const [first = "", ...rest] = shown
  const head = `<- ${ok ? "" : "failed: "}${first}`
  return [cut(head, width), ...rest.map((line) => `   ${line}`), ...(more > 0 ? [`   (${more} more lines)`] : [])]
}

function finishedLines(entry: Extract<LogEntry, { kind: "finished" }>): string[] {
  const error = entry.error === "" ? "" : `: ${oneLine(entry.error)}`
  const head = `ended after ${sayDuration(entry.durationMs)}: ${entry.reason}${error}`
  const files = entry.files.length === 0 ? [] : [`wrote ${entry.files.map(oneLine).join(", ")}`]
  const used = renderUsage(entry.usage)
  return [head, ...(used === "" ? [] : [`used ${used}`]), ...files]
}

function styleOf(entry: LogEntry): "dim" | "green" | "red" | "cyan" | undefined {
  if (entry.kind === "tool") return "cyan"
  if (entry.kind === "finished") return entry.reason === "done" ? "green" : "red"
  if (entry.kind === "result") return entry.ok ? "dim" : "red"
  return entry.kind === "text" ? undefined : "dim"
}

function sayDuration(ms: number): string {
  if (ms < 1000) return `${ms} ms`
  const seconds = Math.round(ms / 1000)
  return seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

type LogPiece =
  | { readonly type: "run"; readonly run: RunFact }
  | { readonly type: "entry"; readonly entry: LogEntry }
  | { readonly type: "cut-off"; readonly isEmpty: boolean }
  | { readonly type: "line"; readonly line: string }

export function renderItem(piece: LogPiece, screen: Screen): string {
  switch (piece.type) {
    case "run":
      return runHeading(piece.run, screen)
    case "entry":
      return renderEntry(piece.entry, screen)
    case "cut-off":
      return INDENT + (piece.isEmpty ? "nothing of it is recorded here" : "cut off: its end was not recorded")
    case "line":
      return manyLines(Bun.stripANSI(piece.line))
    default:
      return piece satisfies never
  }
}
