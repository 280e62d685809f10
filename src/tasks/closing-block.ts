// The end of an agent's answer: how the task went, and what others should know. The form is documented in
// docs/agents.md. Agents write it as lines of text, or as JSON where their program holds them to a schema; both are read
// here and nowhere else. A failure anywhere wins over success: a marker of failure never ends in a resolved task.

import type { WisdomKind } from "../knowledge/wisdom.ts"
import { findSeverity, type Severity } from "../quality/finding.ts"
import { TRIGGERS, type Trigger } from "../requests/escalation.ts"
import { asTold, type Told, takeTolds } from "./closing-json.ts"
import { type MarkedLine, type Marker, readMarkers } from "./closing-lines.ts"

/** The first one wins where an answer says several. */
const OUTCOMES = ["escalate", "failed", "nothing-to-do", "done"] as const
export type Outcome = (typeof OUTCOMES)[number]

export interface ToldFinding {
  readonly severity: Severity
  /** Null where it is about no file in particular. */
  readonly file: string | null
  readonly line: number | null
  readonly text: string
}

export interface ClosingBlock {
  readonly outcome: Outcome
  /** Why it failed, is escalated, or needs no change. Empty where the agent gave no reason. */
  readonly reason: string
  /** Set for `escalate` only. */
  readonly trigger: Trigger | null
  /** What others should know, from LEARNED, DECIDED and ISSUE. */
  readonly notes: readonly { readonly kind: WisdomKind; readonly text: string }[]
  /** The capability that the task needs and the agent lacks. */
  readonly gap: string | null
  readonly findings: readonly ToldFinding[]
}

/** Reads the text, and the structured answer where there is one. */
export function readClosingBlock(answer: string, structured: unknown = null): ClosingBlock {
  const told = asTold(structured)
  const { tolds, rest } = takeTolds(answer, isOurs)
  const all = told === undefined ? tolds : [told, ...tolds]
  const loose = told === undefined && typeof structured === "string" ? readMarkers(structured) : []
  const lines = [...all.flatMap(linesOf), ...all.flatMap(summaryOf), ...loose, ...readMarkers(rest)]
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

/** Whether a message in the middle of a run says, in the form that the prompt asks for, that the task failed or waits. */
export function saysFailure(message: string): boolean {
  const { tolds, rest } = takeTolds(message, isOurs)
  return tolds.flatMap(linesOf).some(isFailure) || readMarkers(rest).some((line) => line.isExact && isFailure(line))
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

/** An agent that names no trigger we know wants a decision all the same. */
const UNNAMED: Trigger = "requirement_unclear"
const MAX_REASON = 1000
const MAX_GAP = 200
/** An agent that has more to say writes a document. */
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

function findingsOf(lines: readonly MarkedLine[]): ToldFinding[] {
  const found = new Map<string, ToldFinding>()
  for (const { word, text } of lines) {
    if (word !== "FINDING" || text === "") continue
    const finding = readFinding(text)
    found.set(JSON.stringify(finding), finding)
  }
  return [...found.values()].slice(0, MAX_FINDINGS)
}

const PLACE =
  /^[`"'*]*(?:(?<none>-)|(?<file>[^\s`"':]*[./][^\s`"':]*)(?::(?<line>\d+)(?:[-:,]\d+)*)?)[`"'*]*\s*[:–—-]\s*(?<text>.*)$/u

/** `critical src/a.ts:12: the key is logged`, after the word FINDING. */
function readFinding(line: string): ToldFinding {
  const [, word = "", after = ""] = /^[\s([*_`]*(\p{L}+)[\s)\]*_`:,-]*(.*)$/u.exec(line) ?? []
  const severity = findSeverity(word)
  // A word of another scale may stand before the file.
  const place = PLACE.exec(after) ?? PLACE.exec(line)
  const rest = severity === undefined ? line : after
  const { file, line: number, text } = place?.groups ?? {}
  return {
    // A severity that nobody knows must not pass unseen.
    severity: severity ?? "major",
    file: file ?? null,
    line: number === undefined ? null : Number(number),
    text: clip(text?.trim() || rest, MAX_FINDING),
  }
}

/** `budget: it is spent`, after the word ESCALATE. */
function readTrigger(line: string): { readonly trigger: Trigger | null; readonly text: string } {
  const [, word = "", rest = ""] =
    /^[\s([*_`"']*([\p{L}_ -]+?)[\s)\]*_`"']*(?::|\s[–—-]+\s|$)\s*(.*)$/u.exec(line) ?? []
  const name = word
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_")
  const trigger = TRIGGERS.find((each) => each === name)
  if (trigger !== undefined) return { trigger, text: rest.replace(/^[\s*_`]+/, "") }
  // The word that stands for a trigger in the prompt, or one of the agent's own making.
  return { trigger: null, text: /^[a-z]+(?:_[a-z]+)*$|^TRIGGER$/.test(word) && rest !== "" ? rest : line }
}

/** For programs that hold an agent to a schema. What the fields mean is said in the prompt, as lines. */
export const CLOSING_SCHEMA = {
  type: "object",
  description: "The end of your answer: its summary, and the lines you were told of as fields.",
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

/** A structured answer as an agent without a schema would have written it. Empty where it is not ours. */
export function closingText(structured: unknown): string {
  const told = asTold(structured)
  if (told === undefined) return ""
  const summary = typeof told.summary === "string" ? told.summary.trim() : ""
  const lines = linesOf(told)
    .filter(({ word }) => word !== "DONE")
    .map(({ word, text }) => `${word}${word === "ESCALATE" || word === "FINDING" ? "" : ":"} ${text}`.trimEnd())
    .filter((line) => !summary.includes(line))
  return [summary, lines.join("\n")].filter((part) => part !== "").join("\n\n")
}

const WORD_OF: Readonly<Record<string, MarkedLine["word"]>> = {
  done: "DONE",
  success: "DONE",
  failed: "FAILED",
  failure: "FAILED",
  escalate: "ESCALATE",
  escalated: "ESCALATE",
  nothing_to_do: "NOTHING TO DO",
}

const wordOf = ({ outcome }: Told): MarkedLine["word"] | undefined =>
  WORD_OF[
    outcome
      .trim()
      .toLowerCase()
      .replaceAll(/[\s-]+/g, "_")
  ]

/** An object between sentences may be an example of anything that has an outcome. */
const isOurs = (told: Told) => wordOf(told) !== undefined || typeof told.summary === "string"

const summaryOf = ({ summary }: Told): Marker[] => (typeof summary === "string" ? readMarkers(summary) : [])

/** A failure that is told in a field for something else, such as the reason of an outcome that is done. */
function failuresIn({ summary: _, ...fields }: Told): Marker[] {
  return Object.values(fields)
    .flat(3)
    .flatMap((value) => (typeof value === "string" ? readMarkers(value).filter(isFailure) : []))
}

/** As the lines that would say the same. An outcome that is not known is no success. */
function linesOf(told: Told): MarkedLine[] {
  const word = wordOf(told) ?? "FAILED"
  const text = (value: unknown) => (typeof value === "string" ? value.trim() : "")
  const texts = (value: unknown) => (Array.isArray(value) ? value.map(text).filter((each) => each !== "") : [])
  const reason = text(told.reason) || (word === "DONE" ? "" : text(told.summary))
  const outcome = { word, text: word === "ESCALATE" ? `${text(told.trigger) || UNNAMED}: ${reason}` : reason }
  const many = (marker: MarkedLine["word"], value: unknown) =>
    texts(value).map((each) => ({ word: marker, text: each }))
  return [
    outcome,
    ...many("LEARNED", told.learned),
    ...many("DECIDED", told.decided),
    ...many("ISSUE", told.issues),
    ...many("CAPABILITY GAP", [told.capability_gap]),
    ...many("FINDING", told.findings),
    ...(isFailure(outcome) ? [] : failuresIn(told)),
  ]
}

function clip(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`
}
