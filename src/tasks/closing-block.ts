// The end of an agent's answer: the outcome and notes for others (docs/agents.md). Agents write lines, or JSON if their
// program has a schema; only this file reads both. A failure anywhere wins: it never ends in a resolved task.

import type { WisdomKind } from "../knowledge/wisdom.ts"
import { findSeverity, type Severity } from "../quality/finding.ts"
import { TRIGGERS, type Trigger } from "../requests/escalation.ts"
import { type Closing, parseClosing, snakeCase, takeClosings } from "./closing-json.ts"
import { type MarkedLine, type Marker, readMarkers } from "./closing-lines.ts"

/** The first of this list wins. */
const OUTCOMES = ["escalate", "failed", "nothing-to-do", "done"] as const
export type Outcome = (typeof OUTCOMES)[number]

export interface ReportedFinding {
  readonly severity: Severity
  /** Null if it is about no single file. */
  readonly file: string | null
  readonly line: number | null
  readonly text: string
}

export interface ClosingBlock {
  readonly outcome: Outcome
  /** Why it failed, is escalated or needs no change. May be empty. */
  readonly reason: string
  /** Only for `escalate`. */
  readonly trigger: Trigger | null
  /** From LEARNED, DECIDED and ISSUE. */
  readonly notes: readonly { readonly kind: WisdomKind; readonly text: string }[]
  /** The missing capability. */
  readonly gap: string | null
  readonly findings: readonly ReportedFinding[]
}

export function readClosingBlock(answer: string, structured: unknown = null): ClosingBlock {
  const given = parseClosing(structured)
  const { closings, rest } = takeClosings(answer, isOurs)
  const all = given === undefined ? closings : [given, ...closings]
  const loose = given === undefined && typeof structured === "string" ? readMarkers(structured) : []
  const summaries = all.flatMap(({ summary = "" }) => readMarkers(summary))
  const lines = [...all.flatMap(linesOf), ...summaries, ...loose, ...readMarkers(rest)]
  const outcome = OUTCOMES.find((each) => lines.some(({ word }) => OUTCOME_OF[word] === each)) ?? "done"
  const decisive = lines.filter(({ word }) => OUTCOME_OF[word] === outcome)
  const asked = outcome === "escalate" ? decisive.map(({ text }) => readTrigger(text)) : []
  const reasons = outcome === "escalate" ? asked.map(({ text }) => text) : decisive.map(({ text }) => text)
  return {
    outcome,
    reason: outcome === "done" ? "" : joinReasons(outcome === "nothing-to-do" ? reasons.slice(-1) : reasons),
    trigger: outcome === "escalate" ? (asked.find(({ trigger }) => trigger !== null)?.trigger ?? UNNAMED) : null,
    notes: notesOf(lines),
    gap:
      clip(lines.findLast(({ word, text }) => word === "CAPABILITY GAP" && text !== "")?.text ?? "", MAX_GAP) || null,
    findings: findingsOf(lines),
  }
}

/** In the middle of a run, in the form of the prompt. */
export function reportsFailure(message: string): boolean {
  const { closings, rest } = takeClosings(message, isOurs)
  return closings.flatMap(linesOf).some(isFailure) || readMarkers(rest).some((line) => line.isExact && isFailure(line))
}

const isFailure = ({ word }: MarkedLine) => word === "FAILED" || word === "ESCALATE"

const OUTCOME_OF: Readonly<Partial<Record<MarkedLine["word"], Outcome>>> = {
  FAILED: "failed",
  ESCALATE: "escalate",
  "NOTHING TO DO": "nothing-to-do",
  DONE: "done",
}

const KIND_OF: Readonly<Partial<Record<MarkedLine["word"], WisdomKind>>> = {
  LEARNED: "learning",
  DECIDED: "decision",
  ISSUE: "issue",
}

/** If the agent names no known trigger. */
const UNNAMED: Trigger = "requirement_unclear"
const MAX_REASON = 1000
const MAX_GAP = 200
/** For more, an agent writes a document. */
const MAX_NOTES = 5
const MAX_NOTE = 600
const MAX_FINDINGS = 100
const MAX_FINDING = 2000

function joinReasons(reasons: readonly string[]): string {
  return clip([...new Set(reasons.filter((reason) => reason !== ""))].join("; "), MAX_REASON)
}

function notesOf(lines: readonly MarkedLine[]): ClosingBlock["notes"] {
  const notes = new Map<string, { kind: WisdomKind; text: string }>()
  for (const { word, text } of lines) {
    const kind = KIND_OF[word]
    if (kind !== undefined && text !== "") notes.set(`${kind} ${text}`, { kind, text: clip(text, MAX_NOTE) })
  }
  return [...notes.values()].slice(0, MAX_NOTES)
}

function findingsOf(lines: readonly MarkedLine[]): ReportedFinding[] {
  const found = new Map<string, ReportedFinding>()
  for (const { word, text } of lines) {
    if (word !== "FINDING" || text === "") continue
    const finding = readFinding(text)
    found.set(JSON.stringify(finding), finding)
  }
  return [...found.values()].slice(0, MAX_FINDINGS)
}

const PLACE =
  /^[`"'*]*(?:(?<none>-)|(?<file>[^\s`"':]*[./][^\s`"':]*)(?::(?<line>\d+)(?:[-:,]\d+)*)?)[`"'*]*\s*[:–—-]\s*(?<text>.*)$/u

/** After FINDING: `critical src/a.ts:12: the key is logged`. */
function readFinding(line: string): ReportedFinding {
  const [, word = "", after = ""] = /^[\s([*_`]*(\p{L}+)[\s)\]*_`:,-]*(.*)$/u.exec(line) ?? []
  const severity = findSeverity(word)
  // A word of another scale may come before the file.
  const place = PLACE.exec(after) ?? PLACE.exec(line)
  const rest = severity === undefined ? line : after
  const { file, line: number, text } = place?.groups ?? {}
  return {
    // An unknown severity must not go unnoticed.
    severity: severity ?? "major",
    file: file ?? null,
    line: number === undefined ? null : Number(number),
    text: clip(text?.trim() || rest, MAX_FINDING),
  }
}

/** After ESCALATE: `budget: it is spent`. */
function readTrigger(line: string): { readonly trigger: Trigger | null; readonly text: string } {
  const [, word = "", rest = ""] =
    /^[\s([*_`"']*([\p{L}_ -]+?)[\s)\]*_`"']*(?::|\s[–—-]+\s|$)\s*(.*)$/u.exec(line) ?? []
  const name = snakeCase(word.trim().toLowerCase())
  const trigger = TRIGGERS.find((each) => each === name)
  if (trigger !== undefined) return { trigger, text: rest.replace(/^[\s*_`]+/, "") }
  // The placeholder of the prompt, or an invented trigger.
  return { trigger: null, text: /^[a-z]+(?:_[a-z]+)*$|^TRIGGER$/.test(word) && rest !== "" ? rest : line }
}

/** The prompt explains the fields, as lines. */
export const CLOSING_SCHEMA = {
  type: "object",
  description: "The end of your answer: its summary, and the closing lines as fields.",
  required: ["outcome", "summary"],
  properties: {
    outcome: { enum: ["done", "failed", "escalate", "nothing_to_do"] },
    summary: { type: "string" },
    reason: { type: "string" },
    trigger: { type: "string" },
    learned: { type: "array", items: { type: "string" } },
    decided: { type: "array", items: { type: "string" } },
    issues: { type: "array", items: { type: "string" } },
    findings: { type: "array", items: { type: "string" } },
    capability_gap: { type: "string" },
  },
} as const

/** Empty if it is not a closing block. */
export function closingText(structured: unknown): string {
  const closing = parseClosing(structured)
  if (closing === undefined) return ""
  const { summary = "" } = closing
  const lines = linesOf(closing)
    .filter(({ word }) => word !== "DONE")
    .map(({ word, text }) => `${word}${word === "ESCALATE" || word === "FINDING" ? "" : ":"} ${text}`.trimEnd())
    .filter((line) => !summary.includes(line))
  return [summary, lines.join("\n")].filter((part) => part !== "").join("\n\n")
}

const WORD_OF: ReadonlyMap<string, MarkedLine["word"]> = new Map([
  ["done", "DONE"],
  ["success", "DONE"],
  ["failed", "FAILED"],
  ["failure", "FAILED"],
  ["escalate", "ESCALATE"],
  ["escalated", "ESCALATE"],
  ["nothing_to_do", "NOTHING TO DO"],
])

/** An object between sentences may be an example of anything with an outcome. */
const isOurs = ({ outcome, summary }: Closing) => WORD_OF.has(outcome) || summary !== undefined

/** An unknown outcome is no success, nor is a failure in another field. */
function linesOf(closing: Closing): MarkedLine[] {
  const { summary = "", learned, decided, issues, findings, capability_gap, trigger } = closing
  const word = WORD_OF.get(closing.outcome) ?? "FAILED"
  const reason = closing.reason || (word === "DONE" ? "" : summary)
  const outcome = { word, text: word === "ESCALATE" ? `${trigger || UNNAMED}: ${reason}` : reason }
  const many = (marker: MarkedLine["word"], list: readonly string[]) =>
    list.filter((each) => each !== "").map((each) => ({ word: marker, text: each }))
  return [
    outcome,
    ...many("LEARNED", learned),
    ...many("DECIDED", decided),
    ...many("ISSUE", issues),
    ...many("CAPABILITY GAP", [capability_gap]),
    ...many("FINDING", findings),
    ...(isFailure(outcome) ? [] : failuresIn(closing)),
  ]
}

function failuresIn({ raw: { summary: _, ...fields } }: Closing): Marker[] {
  return Object.values(fields)
    .flat(3)
    .flatMap((value) => (typeof value === "string" ? readMarkers(value).filter(isFailure) : []))
}

function clip(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`
}
