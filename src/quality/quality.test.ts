import { describe, expect, it } from "bun:test"
import { parseTaskId } from "../kernel/ids.ts"
import { lifecycleOf, QA_STATES } from "../tasks/qa-state.ts"
import { TASK_STATUSES } from "../tasks/task.ts"
import { parseQaAnswer, qaSchema } from "./qa-answer.ts"
import type { QaPlan } from "./qa-plan.ts"
import { fitScores, guidanceOf, judgeScores, parseScore, type Quality, toQuality, weakest } from "./quality.ts"

const PLAN: QaPlan = {
  type: "code",
  dimensions: [
    { name: "correctness", weight: 70 },
    { name: "tests", weight: 30 },
  ],
  checks: ["the edges"],
}
const THRESHOLDS = { pass: 80, review: 60 }
const given = (correctness: number, tests: number) => [
  { dimension: "correctness", score: correctness, reason: "seen" },
  { dimension: "tests", score: tests, reason: "counted" },
]

function round(correctness: number, tests: number, more: Partial<Quality> = {}): Quality {
  const scores = fitScores(PLAN, given(correctness, tests))
  return {
    ...{ number: 1, taskId: parseTaskId("1"), attempt: 1, status: "reported", commit: null, tree: null, plan: PLAN },
    ...{ submittedBy: "w1", scores, ...judgeScores(scores, THRESHOLDS), guidance: [], judgedBy: "qa" },
    ...{ isByChecks: false, answer: null, agent: null, decidedBy: null, reason: null, submittedAt: "" },
    ...more,
  }
}

describe("a score", () => {
  it("is weighed, and passes from 80, is left to the lead from 60, and fails below", () => {
    const cases: [number, number, number, string][] = [
      [100, 100, 100, "pass"],
      [80, 80, 80, "pass"],
      [80, 78, 79, "review"],
      [60, 60, 60, "review"],
      [60, 57, 59, "fail"],
      [0, 100, 30, "fail"],
    ]
    for (const [correctness, tests, total, result] of cases)
      expect(judgeScores(fitScores(PLAN, given(correctness, tests)), THRESHOLDS)).toEqual({ total, result } as never)
    expect(() => judgeScores([], { pass: 50, review: 60 })).toThrow("quality.review (60) must not be more than")
  })

  it("is read from a text with its reason", () => {
    expect(parseScore("tests=85: none for the empty list: add one")).toEqual({
      ...{ dimension: "tests", score: 85, reason: "none for the empty list: add one" },
    })
    for (const text of ["tests", "tests=85", "tests=85:", "tests=many: x", "=85: x"])
      expect(() => parseScore(text)).toThrow("DIMENSION=NUMBER:REASON")
  })

  it("is taken from an agent only when it fits the plan", () => {
    expect(qaSchema(PLAN).properties.scores).toMatchObject({
      items: { additionalProperties: false, properties: { dimension: { enum: ["correctness", "tests"] } } },
    })
    expect(parseQaAnswer(PLAN, { scores: given(90, 80), guidance: ["x", " ", 3] })).toEqual({
      ...{ scores: given(90, 80), guidance: ["x"] },
    })
    for (const answer of [null, {}, { scores: [] }, { scores: given(90, 800) }, { scores: [...given(1, 1), null] }])
      expect(() => parseQaAnswer(PLAN, answer)).toThrow(/the answer of QA/)
  })

  it("comes back from a record, whatever else that holds", () => {
    const record = { kind: "quality", number: 3, taskId: parseTaskId("1"), attempt: 1, status: "reported" } as const
    const data = { scores: [{ name: "tests", weight: 100, score: 5, reason: "few" }, "x", { name: "a" }], plan: 7 }
    const made = toQuality({ ...record, data, by: "w1", createdAt: "", updatedAt: "" })
    expect(made).toMatchObject({ number: 3, scores: [{ name: "tests", score: 5 }], plan: null, total: null })
  })
})

describe("what the one who did it is told", () => {
  it("is what fell short the first time, and from the second on all there is to say", () => {
    const first = round(90, 40, { guidance: ["test the edges"] })
    const told = guidanceOf(first, { thresholds: THRESHOLDS, failures: 1, earlier: [] })
    expect(told.issues).toEqual(["QA failed it, 1 of 3: 75 of 100, and 80 are needed", "test the edges"])
    expect(told.checks).toEqual([
      { name: "correctness", status: "passed", evidence: "90 of 100: seen" },
      { name: "tests", status: "failed", evidence: "40 of 100: counted" },
    ])
    const again = guidanceOf(round(90, 40), { thresholds: THRESHOLDS, failures: 2, earlier: [first] })
    expect(again.issues.slice(1)).toEqual([
      "tests: 40 of 100: counted",
      "It was said before: test the edges",
      "QA looks at the edges",
    ])
  })
})

describe("the weakest side", () => {
  it("is the one of the lowest mean, with the tasks that fell short in it, or else the lowest of them", () => {
    const rounds = [round(90, 70), round(80, 90, { taskId: parseTaskId("2") })]
    expect(weakest(rounds, THRESHOLDS)).toMatchObject({ name: "tests", mean: 80, tasks: ["1"] })
    expect(weakest(rounds, THRESHOLDS, "correctness")).toMatchObject({ mean: 85, tasks: ["2"] })
    expect(weakest(rounds, THRESHOLDS, "beauty")).toBeUndefined()
    expect(weakest([], THRESHOLDS)).toBeUndefined()
    expect(weakest([round(100, 100)], THRESHOLDS)).toMatchObject({ mean: 100, tasks: [] })
  })
})

describe("the words of a project manager", () => {
  it("tell where whoever does the work and QA stand", () => {
    const words = QA_STATES.map((qa) => Object.values(lifecycleOf({ status: "in_progress", qa }) ?? {}).join(" "))
    expect(words).toEqual([
      "RUNNING ",
      "PENDING_VERIFICATION RUNNING",
      "UNDER_VERIFICATION QA_PLANNING",
      "UNDER_VERIFICATION QA_VALIDATING",
      "VERIFIED QA_COMPLETED",
      "RETURNED_FOR_FIX QA_COMPLETED",
    ])
    expect(lifecycleOf({ status: "paused", qa: "failed" })).toEqual({ executor: "PAUSED", qa: "QA_COMPLETED" })
    for (const status of TASK_STATUSES) expect(lifecycleOf({ status, qa: null })).toBeUndefined()
    expect(lifecycleOf({ status: "open", qa: "needed" })).toBeUndefined()
  })
})
