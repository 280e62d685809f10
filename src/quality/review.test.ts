import { describe, expect, it } from "bun:test"
import { checksOf, describeFinding, findingsOf, parseReview } from "./review.ts"

const isTask = (id: string) => ["3", "4", "fix-3-1"].includes(id)
const finding = (change: object = {}) => ({ task: "3", file: "src/a.ts", severity: "high", text: "wrong", ...change })
const parse = (answer: unknown) => parseReview(answer, isTask)

describe("the answer of a reviewer", () => {
  it("passes, with remarks or without", () => {
    expect(parse({ verdict: "PASS", findings: [] })).toEqual({ isPassed: true, findings: [] })
    expect(parse({ verdict: "PASS", findings: [finding({ severity: "low" })] })).toMatchObject({ isPassed: true })
  })

  it("fails with findings, by task", () => {
    const review = parse({ verdict: "FAIL", findings: [finding(), finding({ task: null, file: null, text: " all " })] })
    expect(review).toEqual({
      isPassed: false,
      findings: [
        { task: "3", file: "src/a.ts", severity: "high", text: "wrong" },
        { task: null, file: null, severity: "high", text: "all" },
      ],
    })
    expect(review.findings.map(describeFinding)).toEqual(["high: task 3, src/a.ts: wrong", "high: all"])
  })

  it("knows a task however it is written, and takes an unknown one for the whole", () => {
    const tasks = ["3", " 3 ", "#3", "task 4", "Task #4", "fix-3-1", "99", "", 3]
    const { findings } = parse({ verdict: "FAIL", findings: tasks.map((task) => finding({ task })) })
    expect(findings.map(({ task }) => task)).toEqual(["3", "3", "3", "4", "4", "fix-3-1", null, null, null])
  })

  it("gets by with what is left out or wrong in a finding", () => {
    const odd = [finding({ severity: "terrible", file: 7 }), { text: "  " }, null, "text", { text: "bare" }]
    expect(parse({ verdict: "FAIL", findings: odd }).findings).toEqual([
      { task: "3", file: null, severity: "medium", text: "wrong" },
      { task: null, file: null, severity: "medium", text: "bare" },
    ])
  })

  it("that fails and names nothing is a finding of its own", () => {
    expect(parse({ verdict: "FAIL", findings: [] }).findings).toMatchObject([{ task: null, severity: "high" }])
  })

  it("that has no verdict is none", () => {
    for (const answer of [null, "PASS", {}, { verdict: "pass", findings: [] }, { verdict: "PASS" }])
      expect(() => parse(answer)).toThrow("no verdict PASS or FAIL")
  })

  it("is known again from the checks of the verdict, grouped by task", () => {
    const { findings } = parse({
      verdict: "FAIL",
      findings: [finding(), finding({ task: "4" }), finding({ task: null }), finding({ file: null, text: "also" })],
    })
    const checks = checksOf(findings)
    expect(checks.map(({ name, status }) => [name, status])).toEqual([
      ["task 3", "failed"],
      ["task 4", "failed"],
      ["whole", "failed"],
    ])
    expect(findingsOf([...checks, { name: "review", status: "failed" }, { name: "whole", status: "passed" }])).toEqual([
      { task: "3", text: "- high: src/a.ts: wrong\n- high: also" },
      { task: "4", text: "- high: src/a.ts: wrong" },
      { task: null, text: "- high: src/a.ts: wrong" },
    ])
  })
})
