import { AppError } from "../kernel/errors.ts"
import { readClosingBlock } from "../tasks/closing-block.ts"
import { describeFinding, GRAVE_WORDS, isGrave, type NewFinding, readSeverity, SEVERITIES } from "./finding.ts"
import { readPlace, readProse } from "./read-findings.ts"
import type { Check } from "./verdict.ts"

export interface Review {
  /** The reviewer says PASS, and nothing that it says speaks against that. */
  readonly isPassed: boolean
  readonly findings: readonly NewFinding[]
  /** What it says of each finding that it was asked about: whether it is fixed. */
  readonly earlier: ReadonlyMap<number, boolean>
}

/** How a reviewer answers. Every field is required, since some programs allow no others. */
export const REVIEW_SCHEMA = {
  type: "object",
  properties: {
    verdict: { type: "string", enum: ["PASS", "FAIL"] },
    findings: {
      type: "array",
      items: {
        type: "object",
        properties: {
          task: { type: ["string", "null"], description: "id of the task it concerns; null for the whole" },
          file: { type: ["string", "null"], description: "path from the top of the repository" },
          line: { type: ["integer", "null"] },
          severity: { type: "string", enum: [...SEVERITIES] },
          text: { type: "string", description: "what is wrong, why, and what would be right" },
        },
        required: ["task", "file", "line", "severity", "text"],
        additionalProperties: false,
      },
    },
    earlier: {
      type: "array",
      description: "each of the earlier findings; empty when there are none",
      items: {
        type: "object",
        properties: { number: { type: "integer" }, status: { type: "string", enum: ["fixed", "open"] } },
        required: ["number", "status"],
        additionalProperties: false,
      },
    },
  },
  required: ["verdict", "findings", "earlier"],
  additionalProperties: false,
} as const

interface Asked {
  readonly isTask: (id: string) => boolean
  /** The numbers of the earlier findings that the reviewer must say something about. */
  readonly earlier?: readonly number[]
}

/** Reads an answer. It comes from outside, so nothing of its shape is taken for granted; what is no verdict throws. */
export function parseReview(answer: unknown, { isTask, earlier = [] }: Asked): Review {
  const { verdict, findings, earlier: said } = asRecord(answer) ?? {}
  if ((verdict !== "PASS" && verdict !== "FAIL") || !Array.isArray(findings)) {
    throw new AppError("agent.failed", "the answer of the reviewer has no verdict PASS or FAIL with findings")
  }
  const found = findings.flatMap((each) => parseFinding(each, isTask))
  const fixed = parseEarlier(said, earlier)
  const missing = earlier.filter((number) => !fixed.has(number))
  if (missing.length > 0) {
    const message = `the answer of the reviewer does not say whether finding ${missing.join(", ")} is fixed`
    throw new AppError("agent.failed", message)
  }
  const isOpen = earlier.some((number) => fixed.get(number) === false)
  if (verdict === "PASS") return { isPassed: !isOpen && !found.some(isGrave), findings: found, earlier: fixed }
  return { isPassed: false, findings: isOpen ? found : withGrave(found), earlier: fixed }
}

/**
 * What a reviewer says who answers in words and not in the form it was asked for: a FAIL, or something that must be fixed,
 * counts. Undefined for anything else, since nothing in words is a PASS.
 */
export function readReviewText(answer: string): Review | undefined {
  const told = readClosingBlock(answer).findings
  const prose = readProse(answer)
  const found = [...told, ...(told.length === 0 ? prose : [])].map((each) => ({ ...each, task: null }))
  const isFail = /^\W*(?:(?:final )?verdict|result|review)?\W*\bFAIL(?:ED)?\b/im.test(answer)
  if (!isFail && !found.some(isGrave)) return undefined
  return { isPassed: false, findings: withGrave(found), earlier: new Map() }
}

/** FAIL says that something must be fixed first, whatever severity the findings were given. */
function withGrave(found: readonly NewFinding[]): readonly NewFinding[] {
  if (found.some(isGrave)) return found
  if (found.length > 0) return found.map((finding) => ({ ...finding, severity: "major" as const }))
  const text = "the reviewer says FAIL and names no finding: look for what is wrong or missing as a whole"
  return [{ task: null, file: null, line: null, severity: "major", text }]
}

function parseFinding(value: unknown, isTask: (id: string) => boolean): NewFinding[] {
  const { task, file, line, severity: told, text: words } = asRecord(value) ?? {}
  const isGraver = typeof words === "string" && GRAVE_WORDS.test(words)
  const severity = isGraver ? "critical" : readSeverity(typeof told === "string" ? told : "")
  const said = typeof words === "string" ? words.trim() : ""
  // One without words is nothing to work with; a grave one still speaks against a PASS.
  if (said === "" && (typeof told !== "string" || !isGrave({ severity }))) return []
  // Many write it as people do.
  const id = typeof task === "string" ? task.trim().replace(/^(?:task )?#?/i, "") : ""
  const known = typeof task === "string" && isTask(task.trim()) ? task.trim() : id
  const place = readPlace(typeof file === "string" ? file : "")
  const isLine = typeof line === "number" && Number.isInteger(line) && line > 0
  return [
    {
      task: isTask(known) ? known : null,
      file: place.file,
      line: place.file === null ? null : isLine ? line : place.line,
      severity,
      text: said === "" ? "the reviewer gives no words for it" : said,
    },
  ]
}

function parseEarlier(said: unknown, asked: readonly number[]): ReadonlyMap<number, boolean> {
  const known = new Map<number, boolean>()
  for (const each of Array.isArray(said) ? said : []) {
    const { number, status } = asRecord(each) ?? {}
    const named = typeof number === "string" ? Number(number.replace(/^\D+/, "")) : number
    if (typeof named !== "number" || !asked.includes(named)) continue
    if (status !== "fixed" && status !== "open") continue
    // Of two words on the same finding, the worse one counts.
    known.set(named, status === "fixed" && known.get(named) !== false)
  }
  return known
}

const WHOLE = "whole"

/** Findings as checks of a verdict, one for each task they concern. */
export function checksOf(findings: readonly NewFinding[]): Check[] {
  const groups = Map.groupBy(findings, ({ task }) => task)
  return [...groups].map(([task, some]) => ({
    name: task === null ? WHOLE : `task ${task}`,
    status: "failed",
    evidence: some.map((finding) => `- ${describeFinding({ ...finding, task: null })}`).join("\n"),
  }))
}

function asRecord(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined
}
