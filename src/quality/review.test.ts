import { describe, expect, it } from "bun:test"
import { describeFinding } from "./finding.ts"
import { checksOf, parseReview, readReviewText } from "./review.ts"

const isTask = (id: string) => ["3", "4", "fix-3-1"].includes(id)
const finding = (change: object = {}) => ({
  ...{ task: "3", file: "src/a.ts", line: 7, severity: "major", text: "wrong" },
  ...change,
})
const parse = (answer: unknown, earlier: readonly number[] = []) => parseReview(answer, { isTask, earlier })

describe("the answer of a reviewer", () => {
  it("passes, with remarks or without", () => {
    expect(parse({ verdict: "PASS", findings: [] })).toMatchObject({ isPassed: true, findings: [] })
    expect(parse({ verdict: "PASS", findings: [finding({ severity: "minor" })] })).toMatchObject({ isPassed: true })
  })

  it("F037: does not pass with a critical or major finding inside", () => {
    for (const severity of ["critical", "blocker", "major", "high", "dreadful"])
      expect(parse({ verdict: "PASS", findings: [finding({ severity })] })).toMatchObject({ isPassed: false })
  })

  it("fails with findings, by task", () => {
    const review = parse({ verdict: "FAIL", findings: [finding(), finding({ task: null, file: null, text: " all " })] })
    expect(review).toMatchObject({
      isPassed: false,
      findings: [
        { task: "3", file: "src/a.ts", line: 7, severity: "major", text: "wrong" },
        { task: null, file: null, line: null, severity: "major", text: "all" },
      ],
    })
    expect(review.findings.map(describeFinding)).toEqual(["major: task 3, src/a.ts:7: wrong", "major: all"])
  })

  it("knows a task however it is written, and takes an unknown one for the whole", () => {
    const tasks = ["3", " 3 ", "#3", "task 4", "Task #4", "fix-3-1", "99", "", 3]
    const { findings } = parse({ verdict: "FAIL", findings: tasks.map((task) => finding({ task })) })
    expect(findings.map(({ task }) => task)).toEqual(["3", "3", "3", "4", "4", "fix-3-1", null, null, null])
  })

  it("gets by with what is left out or wrong in a finding", () => {
    const odd = [
      ...[finding({ severity: "terrible", file: 7 }), { text: "  " }, null, "text", { text: "bare" }],
      finding({ file: "src/b.ts:9", line: "nine", severity: "LOW" }),
    ]
    expect(parse({ verdict: "FAIL", findings: odd }).findings).toEqual([
      { task: "3", file: null, line: null, severity: "major", text: "wrong" },
      { task: null, file: null, line: null, severity: "major", text: "bare" },
      { task: "3", file: "src/b.ts", line: 9, severity: "minor", text: "wrong" },
    ])
  })

  it("that fails leaves something to fix, whatever it names", () => {
    expect(parse({ verdict: "FAIL", findings: [] }).findings).toMatchObject([{ task: null, severity: "major" }])
    const small = parse({ verdict: "FAIL", findings: [finding({ severity: "low" })] })
    expect(small.findings).toMatchObject([{ severity: "major" }])
  })

  it("F036: that has no verdict is none", () => {
    for (const answer of [null, "PASS", {}, { verdict: "pass", findings: [] }, { verdict: "PASS" }])
      expect(() => parse(answer)).toThrow("no verdict PASS or FAIL")
  })

  it("must say of each earlier finding whether it is fixed", () => {
    const answer = (earlier: unknown) => ({ verdict: "PASS", findings: [], earlier })
    const fixed = { number: 1, status: "fixed" }
    expect(parse(answer([fixed, { number: 2, status: "fixed" }]), [1, 2])).toMatchObject({ isPassed: true })
    expect(parse(answer([fixed, { number: "finding 2", status: "open" }]), [1, 2])).toMatchObject({ isPassed: false })
    for (const earlier of [
      undefined,
      [],
      [fixed],
      [fixed, { number: 2, status: "maybe" }],
      [fixed, { number: 3, status: "fixed" }],
    ])
      expect(() => parse(answer(earlier), [1, 2])).toThrow("does not say whether finding")
    // A word that is said twice in two ways is the worse one.
    expect(parse(answer([{ number: 1, status: "open" }, fixed]), [1]).earlier.get(1)).toBe(false)
  })

  it("that fails because of an earlier finding need not name another", () => {
    const review = parse({ verdict: "FAIL", findings: [], earlier: [{ number: 1, status: "open" }] }, [1])
    expect(review).toMatchObject({ isPassed: false, findings: [] })
  })

  it("becomes checks of the verdict, grouped by task", () => {
    const { findings } = parse({
      verdict: "FAIL",
      findings: [finding(), finding({ task: "4" }), finding({ task: null }), finding({ file: null, text: "also" })],
    })
    expect(checksOf(findings).map(({ name, status, evidence }) => [name, status, evidence])).toEqual([
      ["task 3", "failed", "- major: src/a.ts:7: wrong\n- major: also"],
      ["task 4", "failed", "- major: src/a.ts:7: wrong"],
      ["whole", "failed", "- major: src/a.ts:7: wrong"],
    ])
  })
})

it("F037: goes by the words of a finding where its severity says less", () => {
  const finding = {
    task: null,
    file: null,
    line: null,
    severity: "minor",
    text: "CRITICAL hole, must not be delivered",
  }
  const review = parseReview(
    { verdict: "PASS", findings: [finding], earlier: [] },
    { isTask: () => false, earlier: [] },
  )
  expect(review.findings).toMatchObject([{ severity: "critical" }])
  expect(review.isPassed).toBe(false)
})

describe("F037: a reviewer that answers in words", () => {
  it.each([
    ["Verdict: FAIL\n\n## Critical\n- the key is logged", "critical"],
    ["FINDING critical sub.js:1: the key is logged", "critical"],
    ["CRITICAL: do not ship this", "critical"],
    ["**FAIL** - nothing works", "major"],
  ])("is heard: %j", (answer, severity) => {
    expect(readReviewText(answer)).toMatchObject({ isPassed: false, findings: [{ severity }] })
  })

  it.each(["I looked at it all.", "PASS, nothing critical found", "Verdict: PASS", "The tests no longer fail."])(
    "is no verdict: %j",
    (answer) => {
      expect(readReviewText(answer)).toBeUndefined()
    },
  )
})
