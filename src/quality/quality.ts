import { AppError } from "../kernel/errors.ts"
import { quoteInput, type TaskId } from "../kernel/ids.ts"
import type { TeamRecord } from "../kernel/record.ts"
import { type Dimension, QA_TYPES, type QaPlan, type QaType } from "./qa-plan.ts"
import type { Check, Verdict } from "./verdict.ts"

/**
 * One round of QA, from the hand-in to the decision: `submitted`, `planned` once its plan was made, `reported` when QA
 * has given its scores, then `accepted` or `returned`. `withdrawn`: it was handed in again before that.
 */
export const QUALITY_STATUSES = ["submitted", "planned", "reported", "accepted", "returned", "withdrawn"] as const
export type QualityStatus = (typeof QUALITY_STATUSES)[number]

/** `review`: neither good nor bad enough for a rule to decide. */
export type QualityResult = "pass" | "review" | "fail"

export interface Score extends Dimension {
  /** 0 to 100. */
  readonly score: number
  readonly reason: string
}

export interface Quality {
  readonly number: number
  readonly taskId: TaskId | null
  readonly attempt: number | null
  readonly status: QualityStatus
  /** What was handed in, where whoever did so said it. */
  readonly commit: string | null
  readonly tree: string | null
  /** What the agent that did it says of it, and which program that is; null where no worker handed it in. */
  readonly answer: string | null
  readonly agent: string | null
  readonly submittedBy: string
  readonly plan: QaPlan | null
  readonly scores: readonly Score[]
  readonly total: number | null
  readonly result: QualityResult | null
  /** What has to be mended. */
  readonly guidance: readonly string[]
  readonly judgedBy: string | null
  /** Commands ran and nobody has read the work: its scores say nothing of one side of it. */
  readonly isByChecks: boolean
  readonly decidedBy: string | null
  readonly reason: string | null
  readonly submittedAt: string
}

export interface Thresholds {
  readonly pass: number
  readonly review: number
}

/** After so many failures of one attempt a person decides. */
export const MAX_QA_FAILURES = 3

/** The weighted total, rounded, and what it amounts to. */
export function judgeScores(
  scores: readonly Score[],
  thresholds: Thresholds,
): { readonly total: number; readonly result: QualityResult } {
  const { pass, review } = thresholds
  if (review > pass) {
    throw new AppError(
      "config.bad_value",
      `quality.review (${review}) must not be more than quality.pass (${pass})`,
      {},
      { remedy: { operation: "config set", fields: { key: "KEY", value: "VALUE" }, to: "mend it with" } },
    )
  }
  const total = Math.round(scores.reduce((sum, { score, weight }) => sum + score * weight, 0) / 100)
  return { total, result: total >= pass ? "pass" : total >= review ? "review" : "fail" }
}

/** Whether somebody read the work and scored each side of the plan once, in range. */
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

/** `correctness=85: the empty list is refused` */
export function parseScore(text: string): GivenScore {
  const [, dimension, score, reason] = /^([^=]+)=(\d{1,3}):\s*(\S[\s\S]*)$/.exec(text.trim()) ?? []
  if (dimension !== undefined && score !== undefined && reason !== undefined)
    return { dimension: dimension.trim(), score: Number(score), reason: reason.trim() }
  throw new AppError("usage", `score ${quoteInput(text)} is not of the form DIMENSION=NUMBER:REASON`)
}

/** Each dimension of the plan scored once, and nothing else. */
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

/**
 * What the one who did the work is told. The first time it is what fell short; from the second on all that QA saw, and
 * what it said before, since that was not enough.
 */
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

/** The dimension with the lowest mean over what was judged, and the tasks that fell short in it. */
export function weakest(
  rounds: readonly Quality[],
  thresholds: Thresholds,
  asked?: string,
): { readonly name: string; readonly mean: number; readonly tasks: readonly TaskId[] } | undefined {
  const byName = new Map<string, { sum: number; count: number; tasks: { id: TaskId; score: number }[] }>()
  for (const { taskId, scores } of rounds) {
    for (const { name, score } of scores) {
      const known = byName.get(name) ?? { sum: 0, count: 0, tasks: [] }
      known.sum += score
      known.count += 1
      if (taskId !== null && score < 100) known.tasks.push({ id: taskId, score })
      byName.set(name, known)
    }
  }
  const means = [...byName].map(([name, { sum, count, tasks }]) => ({ name, mean: Math.round(sum / count), tasks }))
  const found =
    asked === undefined ? means.toSorted((a, b) => a.mean - b.mean)[0] : means.find((each) => each.name === asked)
  if (found === undefined) return undefined
  const short = found.tasks.filter(({ score }) => score < thresholds.pass)
  const worst = found.tasks.toSorted((a, b) => a.score - b.score).slice(0, 1)
  return { ...found, tasks: (short.length > 0 ? short : worst).map(({ id }) => id) }
}

/** The same files are the same work, whatever their commit is called. */
export function isSameState(
  known: Pick<Quality, "commit" | "tree">,
  { commit, tree }: { readonly commit: string | null; readonly tree: string | null },
): boolean {
  if (known.tree !== null && tree !== null) return known.tree === tree
  return known.commit !== null && known.commit === commit
}

export function toQuality({ number, taskId, attempt, status, data, by, createdAt }: TeamRecord): Quality {
  const text = (key: string) => (typeof data[key] === "string" ? data[key] : null)
  return {
    ...{ number, taskId, attempt },
    status: status as QualityStatus,
    commit: text("commit"),
    tree: text("tree"),
    answer: text("answer"),
    agent: text("agent"),
    submittedBy: by,
    plan: toPlan(data.plan),
    scores: listOf(data.scores).flatMap(toScore),
    total: typeof data.total === "number" ? data.total : null,
    result: text("result") as QualityResult | null,
    guidance: listOf(data.guidance).filter((each) => typeof each === "string"),
    judgedBy: text("judgedBy"),
    isByChecks: data.isByChecks === true,
    decidedBy: text("decidedBy"),
    reason: text("reason"),
    submittedAt: createdAt,
  }
}

function toPlan(value: unknown): QaPlan | null {
  if (typeof value !== "object" || value === null) return null
  const { type, dimensions, checks } = asRecord(value)
  return {
    type: QA_TYPES.find((each) => each === type) ?? ("code" satisfies QaType),
    dimensions: listOf(dimensions).flatMap(toDimension),
    checks: listOf(checks).filter((each) => typeof each === "string"),
  }
}

function toDimension(value: unknown): Dimension[] {
  const { name, weight } = asRecord(value)
  return typeof name === "string" && typeof weight === "number" ? [{ name, weight }] : []
}

function toScore(value: unknown): Score[] {
  const { score, reason } = asRecord(value)
  if (typeof score !== "number" || typeof reason !== "string") return []
  return toDimension(value).map((dimension) => ({ ...dimension, score, reason }))
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** `QA 2 (of task 5)` */
export function nameQuality({ number, taskId }: Pick<Quality, "number" | "taskId">): string {
  return `QA ${number} (of task ${taskId})`
}
