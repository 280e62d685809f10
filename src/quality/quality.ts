import * as v from "valibot"
import { AppError } from "../kernel/errors.ts"
import { quoteInput, type TaskId } from "../kernel/ids.ts"
import { readRecord, type TeamRecord } from "../kernel/record.ts"
import { validItems } from "../lib/schema.ts"
import { Dimension, QaPlan } from "./qa-plan.ts"
import type { Check, Verdict } from "./verdict.ts"

const Score = v.object({ ...Dimension.entries, score: v.number(), reason: v.string() })
/** `score`: 0 to 100. */
type Score = Readonly<v.InferOutput<typeof Score>>

const text = v.nullish(v.string(), null)

const QualityData = v.object({
  commit: text,
  tree: text,
  /** Null if no worker handed it in. */
  answer: text,
  agent: text,
  plan: v.fallback(v.nullable(QaPlan), null),
  scores: validItems(Score),
  total: v.nullish(v.number(), null),
  /** `review`: no rule decides. */
  result: v.fallback(v.nullable(v.picklist(["pass", "review", "fail"])), null),
  guidance: validItems(v.string()),
  judgedBy: text,
  /** Only commands ran; no agent or person read the work. */
  isByChecks: v.nullish(v.boolean(), false),
  decidedBy: text,
  reason: text,
})

/** A round of QA, from hand-in to decision. */
export interface Quality extends Readonly<v.InferOutput<typeof QualityData>> {
  readonly number: number
  readonly taskId: TaskId | null
  readonly attempt: number | null
  /** In this order; `withdrawn` if the work was handed in again before a decision. */
  readonly status: "submitted" | "planned" | "reported" | "accepted" | "returned" | "withdrawn"
  readonly submittedBy: string
  readonly submittedAt: string
}

export interface Thresholds {
  readonly pass: number
  readonly review: number
}

/** After this many failures of an attempt a person decides. */
export const MAX_QA_FAILURES = 3

export function judgeScores(
  scores: readonly Score[],
  thresholds: Thresholds,
): { readonly total: number; readonly result: NonNullable<Quality["result"]> } {
  const { pass, review } = thresholds
  if (review > pass) {
    throw new AppError(
      "config.bad_value",
      `quality.review (${review}) must not be more than quality.pass (${pass})`,
      {},
      { remedy: { operation: "config set", fields: { key: "KEY", value: "VALUE" }, to: "fix it with" } },
    )
  }
  const total = Math.round(scores.reduce((sum, { score, weight }) => sum + score * weight, 0) / 100)
  return { total, result: total >= pass ? "pass" : total >= review ? "review" : "fail" }
}

/** Whether an agent or a person scored every dimension once, in range. */
export function isVerdict({ plan, scores, total, isByChecks }: Quality): boolean {
  if (plan === null || total === null || isByChecks || scores.length !== plan.dimensions.length) return false
  const isGiven = ({ name }: Dimension) =>
    scores.filter((each) => each.name === name && inRange(each.score)).length === 1
  return plan.dimensions.length > 0 && plan.dimensions.every(isGiven)
}

function inRange(score: number): boolean {
  return Number.isInteger(score) && score >= 0 && score <= 100
}

export interface GivenScore {
  readonly dimension: string
  readonly score: number
  readonly reason: string
}

export function parseScore(text: string): GivenScore {
  const [, dimension, score, reason] = /^([^=]+)=(\d{1,3}):\s*(\S[\s\S]*)$/.exec(text.trim()) ?? []
  if (dimension !== undefined && score !== undefined && reason !== undefined)
    return { dimension: dimension.trim(), score: Number(score), reason: reason.trim() }
  throw new AppError("usage", `score ${quoteInput(text)} is not of the form DIMENSION=NUMBER:REASON`)
}

/** Exactly one score per dimension. */
export function fitScores({ dimensions }: QaPlan, given: readonly GivenScore[]): Score[] {
  const known = dimensions.map(({ name }) => name).join(", ")
  for (const { dimension, score } of given) {
    if (!dimensions.some(({ name }) => name === dimension))
      throw new AppError("input.invalid", `the plan has no dimension ${quoteInput(dimension)}; it has ${known}`)
    if (!inRange(score))
      throw new AppError("input.invalid", `the score of ${dimension} is ${score}; use a whole number from 0 to 100`)
  }
  return dimensions.map((dimension) => {
    const own = given.filter((each) => each.dimension === dimension.name)
    const [only] = own
    if (only !== undefined && own.length === 1) return { ...dimension, score: only.score, reason: only.reason }
    const what = own.length === 0 ? "is not scored" : `is scored ${own.length} times`
    throw new AppError("input.invalid", `${dimension.name} ${what}; score each of ${known} once`)
  })
}

/** What fell short; from the second failure on also what QA checks and said before. */
export function guidanceOf(
  { scores, guidance, total, plan, reason }: Quality,
  { thresholds, failures, earlier }: { thresholds: Thresholds; failures: number; earlier: readonly Quality[] },
): Pick<Verdict, "checks" | "issues"> {
  const checks = scores.map(
    ({ name, score, reason: why }): Check => ({
      name,
      status: score >= thresholds.pass ? "passed" : "failed",
      evidence: `${score} of 100: ${why}`,
    }),
  )
  const short = checks.filter((check) => check.status === "failed").map(({ name, evidence }) => `${name}: ${evidence}`)
  const head = `QA failed it, ${failures} of ${MAX_QA_FAILURES}${total === null ? "" : `: ${total} of 100, and ${thresholds.pass} are needed`}`
  const detail =
    failures < 2
      ? []
      : [
          ...earlier.flatMap((round) => round.guidance.map((each) => `It was said before: ${each}`)),
          ...(plan?.checks ?? []).map((check) => `QA looks at ${check}`),
        ]
  const said = [...(reason === null ? [] : [reason]), ...guidance]
  return { checks, issues: [head, ...(said.length === 0 ? short : said), ...detail] }
}

/** The dimension with the lowest mean, or the given one, and the tasks that fell short. */
export function weakest(
  rounds: readonly Quality[],
  thresholds: Thresholds,
  asked?: string,
): { readonly name: string; readonly mean: number; readonly tasks: readonly TaskId[] } | undefined {
  const all = rounds.flatMap(({ taskId, scores }) => scores.map(({ name, score }) => ({ name, score, taskId })))
  const means = [...Map.groupBy(all, ({ name }) => name)].map(([name, scores]) => {
    const mean = Math.round(scores.reduce((sum, { score }) => sum + score, 0) / scores.length)
    return { name, mean, scores }
  })
  const found =
    asked === undefined ? means.toSorted((a, b) => a.mean - b.mean)[0] : means.find((each) => each.name === asked)
  if (found === undefined) return undefined
  const lacking = found.scores.flatMap(({ score, taskId }) => (taskId !== null && score < 100 ? { score, taskId } : []))
  const short = lacking.filter(({ score }) => score < thresholds.pass)
  const worst = lacking.toSorted((a, b) => a.score - b.score).slice(0, 1)
  const tasks = (short.length > 0 ? short : worst).map(({ taskId }) => taskId)
  return { name: found.name, mean: found.mean, tasks }
}

/** Same files are the same work, also under another commit. */
export function isSameState(
  known: Pick<Quality, "commit" | "tree">,
  { commit, tree }: { readonly commit: string | null; readonly tree: string | null },
): boolean {
  if (known.tree !== null && tree !== null) return known.tree === tree
  return known.commit !== null && known.commit === commit
}

export function toQuality(record: TeamRecord): Quality {
  const { number, taskId, attempt, by: submittedBy, createdAt: submittedAt } = record
  const status = record.status as Quality["status"]
  return { number, taskId, attempt, status, submittedBy, submittedAt, ...readRecord(QualityData, record) }
}

/** `QA 2 (of task 5)` */
export function nameQuality({ number, taskId }: Pick<Quality, "number" | "taskId">): string {
  return `QA ${number} (of task ${taskId})`
}
