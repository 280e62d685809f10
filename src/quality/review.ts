import * as v from "valibot"
import { AppError } from "../kernel/errors.ts"
import { validItems } from "../lib/schema.ts"
import { jsonSchemaOf } from "../lib/to-json-schema.ts"
import { readClosingBlock } from "../tasks/closing-block.ts"
import { describeFinding, GRAVE_WORDS, mustBeFixed, type NewFinding, readSeverity, SEVERITIES } from "./finding.ts"
import { readPlace, readProse } from "./read-findings.ts"
import type { Check } from "./verdict.ts"

export interface Review {
  /** PASS, and nothing contradicts it. */
  readonly isPassed: boolean
  readonly findings: readonly NewFinding[]
  /** By number: is the earlier finding fixed? */
  readonly earlier: ReadonlyMap<number, boolean>
}

/** Every field is required: some programs allow no optional fields. */
export function reviewSchema() {
  return jsonSchemaOf({
    verdict: v.picklist(["PASS", "FAIL"]),
    findings: v.array(
      v.strictObject({
        task: v.pipe(v.nullable(v.string()), v.description("id of the task it concerns; null for the whole")),
        file: v.pipe(v.nullable(v.string()), v.description("path from the top of the repository")),
        line: v.nullable(v.pipe(v.number(), v.integer())),
        severity: v.picklist(SEVERITIES),
        text: v.pipe(v.string(), v.description("what is wrong, why, and what would be right")),
      }),
    ),
    earlier: v.pipe(
      v.array(v.strictObject({ number: v.pipe(v.number(), v.integer()), status: v.picklist(["fixed", "open"]) })),
      v.description("each of the earlier findings; empty when there are none"),
    ),
  })
}

const FoundAnswer = v.object({
  task: v.fallback(v.string(), ""),
  file: v.fallback(v.string(), ""),
  line: v.fallback(v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1))), null),
  severity: v.fallback(v.nullable(v.string()), null),
  text: v.pipe(v.fallback(v.string(), ""), v.trim()),
})

const EarlierAnswer = v.object({
  /** Some write `finding 3`. */
  number: v.union([
    v.number(),
    v.pipe(
      v.string(),
      v.transform((text) => Number(text.replace(/^\D+/, ""))),
    ),
  ]),
  status: v.picklist(["fixed", "open"]),
})

/** Accepts more than the JSON Schema, since not every program keeps to it. */
const ReviewAnswer = v.object({
  verdict: v.picklist(["PASS", "FAIL"]),
  findings: v.pipe(v.array(v.unknown()), validItems(FoundAnswer)),
  earlier: validItems(EarlierAnswer),
})
type ReviewAnswer = v.InferOutput<typeof ReviewAnswer>

interface Asked {
  readonly isTask: (id: string) => boolean
  /** Earlier findings that the reviewer must answer for. */
  readonly earlier?: readonly number[]
}

/** Throws `agent.failed` if the answer is no verdict. */
export function parseReview(answer: unknown, { isTask, earlier = [] }: Asked): Review {
  const read = v.safeParse(ReviewAnswer, answer)
  if (!read.success)
    throw new AppError("agent.failed", "the answer of the reviewer has no verdict PASS or FAIL with findings")
  const { verdict } = read.output
  const found = read.output.findings.flatMap((each) => parseFinding(each, isTask))
  const fixed = parseEarlier(read.output.earlier, earlier)
  const missing = earlier.filter((number) => !fixed.has(number))
  if (missing.length > 0) {
    const message = `the answer of the reviewer does not say whether finding ${missing.join(", ")} is fixed`
    throw new AppError("agent.failed", message)
  }
  const isOpen = earlier.some((number) => fixed.get(number) === false)
  if (verdict === "PASS") return { isPassed: !isOpen && !found.some(mustBeFixed), findings: found, earlier: fixed }
  return { isPassed: false, findings: isOpen ? found : withGrave(found), earlier: fixed }
}

/** In prose only a FAIL or a grave finding counts, never a PASS. */
export function readReviewText(answer: string): Review | undefined {
  const told = readClosingBlock(answer).findings
  const prose = readProse(answer)
  const found = [...told, ...(told.length === 0 ? prose : [])].map((each) => ({ ...each, task: null }))
  const isFail = /^\W*(?:(?:final )?verdict|result|review)?\W*\bFAIL(?:ED)?\b/im.test(answer)
  if (!isFail && !found.some(mustBeFixed)) return undefined
  return { isPassed: false, findings: withGrave(found), earlier: new Map() }
}

/** After a FAIL at least one finding must be grave. */
function withGrave(found: readonly NewFinding[]): readonly NewFinding[] {
  if (found.some(mustBeFixed)) return found
  if (found.length > 0) return found.map((finding) => ({ ...finding, severity: "major" as const }))
  const text = "the reviewer says FAIL and names no finding: look for what is wrong or missing as a whole"
  return [{ task: null, file: null, line: null, severity: "major", text }]
}

function parseFinding(found: ReviewAnswer["findings"][number], isTask: (id: string) => boolean): NewFinding[] {
  const { task, file, line, severity: word, text } = found
  const severity = GRAVE_WORDS.test(text) ? "critical" : readSeverity(word ?? "")
  // Without words there is nothing to fix, but a grave finding still contradicts a PASS.
  if (text === "" && (word === null || !mustBeFixed({ severity }))) return []
  // Some write `task #3`.
  const id = [task.trim(), task.trim().replace(/^(?:task )?#?/i, "")].find(isTask) ?? null
  const place = readPlace(file)
  return [
    {
      task: id,
      file: place.file,
      line: place.file === null ? null : (line ?? place.line),
      severity,
      text: text === "" ? "the reviewer gives no words for it" : text,
    },
  ]
}

function parseEarlier(said: ReviewAnswer["earlier"], asked: readonly number[]): ReadonlyMap<number, boolean> {
  const known = new Map<number, boolean>()
  // If a finding is named twice, the worse answer counts.
  for (const { number, status } of said)
    if (asked.includes(number)) known.set(number, status === "fixed" && known.get(number) !== false)
  return known
}

/** One check per task. */
export function checksOf(findings: readonly NewFinding[]): Check[] {
  const groups = Map.groupBy(findings, ({ task }) => task)
  return [...groups].map(([task, some]) => ({
    name: task === null ? "whole" : `task ${task}`,
    status: "failed",
    evidence: some.map((finding) => `- ${describeFinding({ ...finding, task: null })}`).join("\n"),
  }))
}
