import { expect, it } from "bun:test"
import { parseQaAnswer } from "./qa-answer.ts"
import type { QaPlan } from "./qa-plan.ts"

const PLAN = { dimensions: [{ name: "correctness", weight: 100 }] } as unknown as QaPlan
const answer = (score: number, guidance: readonly string[]) => ({
  scores: [{ dimension: "correctness", score, reason: "read it" }],
  guidance,
})

it("F039: takes good scores beside a critical remark for no verdict", () => {
  expect(() => parseQaAnswer(PLAN, answer(100, ["CRITICAL: the key is leaked, do not ship"]))).toThrow(
    /contradicts itself/,
  )
  expect(parseQaAnswer(PLAN, answer(30, ["CRITICAL: the key is leaked"])).guidance).toHaveLength(1)
  expect(parseQaAnswer(PLAN, answer(100, ["Name the critical section"])).guidance).toHaveLength(1)
})
