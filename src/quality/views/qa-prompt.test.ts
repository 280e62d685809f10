import { describe, expect, it } from "bun:test"
import { makeTask } from "../../../test/support/tasks.ts"
import { planQa } from "../qa-plan.ts"
import { composeQaPrompt, type QaFacts } from "./qa-prompt.ts"

const TASK = makeTask({ title: "Search", description: "Find items", acceptance: ["it is fast"], checks: ["npm test"] })
const FACTS: QaFacts = {
  ...{ task: TASK, plan: planQa(TASK, []), answer: "All done.", earlier: ["the empty query fails"] },
  ...{ from: "a".repeat(40), to: "b".repeat(40), diff: "diff --git a/x b/x\n--- a/x\n+++ b/x\n+one\n" },
}

describe("what QA is asked", () => {
  it("is the task, what was said of it, the diff and the plan", () => {
    const text = composeQaPrompt(FACTS, 50_000)
    for (const part of ["Find items", "- it is fast", "All done.", "- the empty query fails", "+one"])
      expect(text).toContain(part)
    expect(text).toContain("- correctness (counts 40 %): does it do what was asked for, in every case")
    expect(text).toContain("at commit bbbbbbbbbbbb;")
    expect(composeQaPrompt({ ...FACTS, diff: "", earlier: [], answer: " " }, 50_000)).toContain("No file was changed.")
  })

  it("keeps to its length, and to the plan whatever else has to give way", () => {
    const diff = Array.from({ length: 5000 }, (_, at) => `+line ${at}`).join("\n")
    const long = { ...FACTS, answer: "x".repeat(50_000), diff: `diff --git a/x b/x\n--- a/x\n+++ b/x\n${diff}\n` }
    const text = composeQaPrompt(long, 20_000)
    expect(text.length).toBeLessThanOrEqual(20_000)
    expect(text).toContain("Find items")
    expect(text).toContain("correctness (counts 40 %)")
    expect(text).toContain("left out here")
  })
})
