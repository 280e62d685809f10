import * as v from "valibot"
import type { TaskId } from "../kernel/ids.ts"
import { readRecord, type TeamRecord } from "../kernel/record.ts"
import type { Remedy } from "../kernel/remedy.ts"
import { oneLine } from "../lib/text/table.ts"

/** `critical`: must not be delivered. `major`: must be fixed first. `minor`: only reported. */
export const SEVERITIES = ["critical", "major", "minor"] as const
export type Severity = (typeof SEVERITIES)[number]

/** A reviewer who writes this wants the work held, whatever severity or score stands beside it. */
export const GRAVE_WORDS = /\bCRITICAL\b|\b(?:do not|don't|must not) (?:ship|deliver|be (?:shipped|delivered))\b/

export const FINDING_STATUSES = ["open", "fixed", "waived"] as const

const text = v.fallback(v.nullable(v.string()), null)
const taskId = v.fallback(v.nullable(v.custom<TaskId>((value) => typeof value === "string")), null)

const FindingData = v.object({
  severity: v.fallback(v.pipe(v.string(), v.transform(readSeverity)), "major"),
  /** `review`: a review of all the work. `task`: the answer to a task. `person`: a verdict that a person recorded. */
  source: v.fallback(v.picklist(["review", "task", "person"]), "review"),
  file: text,
  line: v.fallback(v.nullable(v.number()), null),
  text: v.fallback(v.string(), ""),
  /** The commit it was found on. */
  commit: text,
  /** The agent program of `by`. */
  agent: text,
  /** The task whose answer reported it. */
  reportedIn: taskId,
  /** The task that fixes it now; null when none was made since the last review. */
  fixTask: taskId,
  /** Fix tasks since a person was last asked. */
  rounds: v.fallback(v.number(), 0),
  /** A person decided to fix it once more. */
  isRetry: v.fallback(v.boolean(), false),
  fixedIn: text,
  fixedBy: text,
  waivedBy: text,
  reason: text,
})

/** What a review found. A later review makes it `fixed` and names the commit. Only a person makes it `waived`. */
export interface Finding extends Readonly<v.InferOutput<typeof FindingData>> {
  readonly number: number
  readonly taskId: TaskId | null
  readonly status: (typeof FINDING_STATUSES)[number]
  readonly by: string
  readonly createdAt: string
  readonly updatedAt: string
}

/** What a reviewer reports. */
export interface NewFinding extends Pick<Finding, "severity" | "file" | "line" | "text"> {
  /** Null: about the work as a whole. */
  readonly task: string | null
}

export function toFinding(record: TeamRecord): Finding {
  const { number, taskId, by, createdAt, updatedAt } = record
  const status = FINDING_STATUSES.find((each) => each === record.status) ?? "open"
  return { number, taskId, by, createdAt, updatedAt, status, ...readRecord(FindingData, record) }
}

const SEVERITY_WORDS: Readonly<Record<Severity, string>> = {
  critical: "critical blocker blocking fatal severe p0",
  major: "major high important p1",
  minor: "minor medium moderate low nit trivial info suggestion p2 p3",
}

export function findSeverity(word: string): Severity | undefined {
  const wanted = word.trim().toLowerCase()
  return SEVERITIES.find((severity) => SEVERITY_WORDS[severity].split(" ").includes(wanted))
}

/** Maps a reviewer's word. An unknown word becomes `major`, so that the finding is not lost. */
export function readSeverity(word: string): Severity {
  return findSeverity(word) ?? "major"
}

/** It must be fixed or waived before the work is delivered. */
export function mustBeFixed({ severity }: Pick<Finding, "severity">): boolean {
  return severity !== "minor"
}

export function sortBySeverity<F extends Pick<Finding, "severity">>(findings: readonly F[]): F[] {
  return findings.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity))
}

export function higher(a: Severity, b: Severity): Severity {
  return SEVERITIES.indexOf(a) <= SEVERITIES.indexOf(b) ? a : b
}

type Placed = Pick<NewFinding, "task" | "file" | "line" | "text">

/** Lines move when something above them changes. */
const NEAR_LINES = 3
const ALIKE = 0.5

/** The same place, or similar words about the same file. */
export function isSameFinding(known: Placed, later: Placed): boolean {
  if (known.file === null || later.file === null) {
    const isSameTask = known.task === later.task || known.file !== later.file
    return isSameTask && likeness(known.text, later.text) >= ALIKE
  }
  if (known.file !== later.file) return false
  if (known.line !== null && later.line !== null && Math.abs(known.line - later.line) <= NEAR_LINES) return true
  return likeness(known.text, later.text) >= ALIKE
}

/** The share of common words, from 0 to 1. */
function likeness(a: string, b: string): number {
  const wordsOf = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu))
  const [first, second] = [wordsOf(a), wordsOf(b)]
  const all = first.union(second).size
  return all === 0 ? 1 : first.intersection(second).size / all
}

/** `src/a.ts:12` */
export function placeOf({ file, line }: Pick<Finding, "file" | "line">): string | null {
  return file === null ? null : `${file}${line === null ? "" : `:${line}`}`
}

/** `critical: task 2, src/a.ts:12: it deletes the wrong row` */
export function describeFinding(finding: NewFinding): string {
  const place = placeOf(finding)
  const parts = [...(finding.task === null ? [] : [`task ${finding.task}`]), ...(place === null ? [] : [place])]
  return `${finding.severity}: ${parts.length === 0 ? "" : `${parts.join(", ")}: `}${finding.text}`
}

const MAX_SHOWN = 200

/** `finding 3 (critical, src/a.ts:12): it deletes the wrong row` */
export function nameFinding(finding: Pick<Finding, "number" | "severity" | "file" | "line" | "text">): string {
  const place = placeOf(finding)
  const text = oneLine(finding.text)
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 1)}…` : text
  return `finding ${finding.number} (${finding.severity}${place === null ? "" : `, ${place}`}): ${shown}`
}

export function countFindings(findings: readonly Pick<Finding, "severity">[]): string {
  const counts = SEVERITIES.flatMap((severity) => {
    const count = findings.filter((each) => each.severity === severity).length
    return count === 0 ? [] : [`${count} ${severity}`]
  })
  return counts.join(", ") || "none"
}

export function waysToWaive(number: number): readonly Remedy[] {
  return [
    { operation: "findings show", fields: { number }, to: "see" },
    { operation: "findings waive", fields: { number, reason: "WHY" }, to: "accept it with" },
  ]
}
