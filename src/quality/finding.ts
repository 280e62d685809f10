import type { TaskId } from "../kernel/ids.ts"
import type { TeamRecord } from "../kernel/record.ts"
import type { Remedy } from "../kernel/remedy.ts"
import { oneLine } from "../lib/text/table.ts"

/** `critical`: must not be delivered. `major`: must be fixed first. `minor`: only reported. */
export const SEVERITIES = ["critical", "major", "minor"] as const
export type Severity = (typeof SEVERITIES)[number]

/** Words of somebody who wants the work held, whatever severity or score stands beside them. */
export const GRAVE_WORDS = /\bCRITICAL\b|\b(?:do not|don't|must not) (?:ship|deliver|be (?:shipped|delivered))\b/

export const FINDING_STATUSES = ["open", "fixed", "waived"] as const
export type FindingStatus = (typeof FINDING_STATUSES)[number]

/** `review`: the review of the whole work. `task`: the answer to a task. `person`: a verdict that a person recorded. */
export const FINDING_SOURCES = ["review", "task", "person"] as const
export type FindingSource = (typeof FINDING_SOURCES)[number]

/** What a reviewer reports. */
export interface NewFinding {
  readonly severity: Severity
  /** The task it is about; null for the work as a whole. */
  readonly task: string | null
  readonly file: string | null
  readonly line: number | null
  readonly text: string
}

/**
 * What a review found, from the report to the end. Only a later review that names the commit makes it `fixed`, and only
 * a person makes it `waived`.
 */
export interface Finding extends Omit<NewFinding, "task"> {
  readonly number: number
  readonly taskId: TaskId | null
  readonly status: FindingStatus
  readonly source: FindingSource
  /** The task in whose answer it stood. */
  readonly reportedIn: TaskId | null
  /** The commit it was found on, where that is known. */
  readonly commit: string | null
  /** The worker or reviewer, and its agent program. */
  readonly by: string
  readonly agent: string | null
  /** The task that fixes it now; null when none was made since the last review. */
  readonly fixTask: TaskId | null
  /** How many fix tasks there were since a person was last asked. */
  readonly rounds: number
  /** A person was asked and said: fix it again. */
  readonly isRetry: boolean
  readonly fixedIn: string | null
  readonly fixedBy: string | null
  readonly waivedBy: string | null
  readonly reason: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

export function toFinding({ number, taskId, status, data, by, createdAt, updatedAt }: TeamRecord): Finding {
  const text = (key: string) => (typeof data[key] === "string" ? data[key] : null)
  return {
    ...{ number, taskId, by, createdAt, updatedAt },
    status: FINDING_STATUSES.find((each) => each === status) ?? "open",
    severity: readSeverity(text("severity") ?? ""),
    source: FINDING_SOURCES.find((each) => each === data.source) ?? "review",
    ...{ file: text("file"), text: text("text") ?? "", commit: text("commit"), agent: text("agent") },
    line: typeof data.line === "number" ? data.line : null,
    reportedIn: text("reportedIn") as TaskId | null,
    fixTask: text("fixTask") as TaskId | null,
    rounds: typeof data.rounds === "number" ? data.rounds : 0,
    isRetry: data.isRetry === true,
    ...{ fixedIn: text("fixedIn"), fixedBy: text("fixedBy"), waivedBy: text("waivedBy"), reason: text("reason") },
  }
}

const WORDS: Readonly<Record<string, Severity>> = {
  ...{ critical: "critical", blocker: "critical", blocking: "critical", fatal: "critical", severe: "critical" },
  ...{ p0: "critical", major: "major", high: "major", important: "major", p1: "major" },
  ...{ medium: "minor", moderate: "minor", low: "minor", minor: "minor", nit: "minor", trivial: "minor" },
  ...{ info: "minor", suggestion: "minor", p2: "minor", p3: "minor" },
}

export function findSeverity(word: string): Severity | undefined {
  return WORDS[word.trim().toLowerCase()]
}

/** Maps a reviewer's word. An unknown one is `major`, so that nothing is lost. */
export function readSeverity(word: string): Severity {
  return findSeverity(word) ?? "major"
}

/** Those that must be fixed or waived before the work is delivered by itself. */
export function isGrave({ severity }: Pick<Finding, "severity">): boolean {
  return severity !== "minor"
}

/** The gravest first, and otherwise as they were found. */
export function byGravity<F extends Pick<Finding, "severity">>(findings: readonly F[]): F[] {
  return findings.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity))
}

export function higher(a: Severity, b: Severity): Severity {
  return SEVERITIES.indexOf(a) <= SEVERITIES.indexOf(b) ? a : b
}

type Placed = Pick<NewFinding, "task" | "file" | "line" | "text">

/** Lines move a little when something above them changes. */
const NEAR_LINES = 3
const ALIKE = 0.5

/** Whether a later report is about something that is known: the same place, or the same words about the same file. */
export function isSameFinding(known: Placed, later: Placed): boolean {
  if (known.file === null || later.file === null) {
    const isSameTask = known.task === later.task || known.file !== later.file
    return isSameTask && likeness(known.text, later.text) >= ALIKE
  }
  if (known.file !== later.file) return false
  if (known.line !== null && later.line !== null && Math.abs(known.line - later.line) <= NEAR_LINES) return true
  return likeness(known.text, later.text) >= ALIKE
}

/** The share of words that two texts have in common, from 0 to 1. */
function likeness(a: string, b: string): number {
  const [first, second] = [wordsOf(a), wordsOf(b)]
  const common = first.intersection(second).size
  const all = first.union(second).size
  return all === 0 ? 1 : common / all
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
}

/** `src/a.ts:12`, or null where it has no place. */
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

/** `finding 3 (critical, src/a.ts:12): it deletes the wrong row`, in one line. */
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

/** What a person may type about a finding that holds something. */
export function waysToWaive(number: number): readonly Remedy[] {
  return [
    { operation: "findings show", fields: { number }, to: "see" },
    { operation: "findings waive", fields: { number, reason: "WHY" }, to: "accept it with" },
  ]
}
