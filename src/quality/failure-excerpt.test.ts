import { expect, it } from "bun:test"
import { excerptFailure, explain, failureForEvent, warningsForEvent } from "./failure-excerpt.ts"
import type { Check } from "./verdict.ts"

const noise = Array.from({ length: 100 }, (_, index) => `ok ${index}`)
const check: Check = {
  ...{ name: "tests_pass", status: "failed", command: "npm test" },
  evidence: [
    "npm test exited with 1",
    ...noise.slice(0, 10),
    "\u001b[31m✗ adds\u001b[0m",
    "  expected 3, got 4",
    ...noise,
  ].join("\n"),
}

it("F012: says what failed and shows the lines around the first failing test, without colours", () => {
  const firstFailure = { test: "adds", file: "a.test.ts", line: 5, message: "expected 3, got 4" }
  const excerpt = excerptFailure({
    status: "failed",
    checks: [{ ...check, firstFailure }],
    issues: ["error: npm test exited with 1"],
  })
  expect(excerpt?.what).toBe("npm test exited with 1; first failure: adds (a.test.ts:5): expected 3, got 4")
  expect(excerpt?.lines).toContain("  expected 3, got 4")
  expect(excerpt?.lines).toContain("✗ adds")
})

it("shows the last lines where no test is named", () => {
  const excerpt = excerptFailure({ status: "failed", checks: [check], issues: [] })
  expect(excerpt?.lines.at(-1)).toBe("ok 99")
  expect(excerpt?.lines.length).toBeLessThanOrEqual(15)
  expect(explain({ what: "a", lines: ["b"] })).toBe("a\n    b")
})

it("prefers errors to warnings where nothing ran, and says nothing of what passed", () => {
  const failed = { name: "changes_present", status: "failed" } as const
  const issues = ["warning: hm", "error: nothing was committed"]
  expect(excerptFailure({ status: "failed", checks: [failed], issues })).toEqual({
    what: "nothing was committed",
    lines: [],
  })
  expect(failureForEvent({ status: "passed", checks: [], issues: [] })).toEqual({})
  expect(failureForEvent({ status: "failed", checks: [failed], issues })).toEqual({
    failure: ["nothing was committed"],
  })
})

it("tells the warnings of a final verdict that passed, a few of them", () => {
  const issues = ["warning: npm run test now runs another script", ...Array(6).fill("warning: lint was not run")]
  const passed = { scope: "final", status: "passed", issues } as const
  expect(warningsForEvent(passed).warnings?.[0]).toBe("npm run test now runs another script")
  expect(warningsForEvent(passed).warnings?.at(-1)).toBe("and 2 more; see: teamwork report")
  expect(warningsForEvent({ ...passed, issues: [] })).toEqual({})
  expect(warningsForEvent({ ...passed, scope: "wave" })).toEqual({})
})
