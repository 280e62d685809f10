// The rules for complexity against the labelled issues; what the figures must reach is in bench/complexity/README.md.
import { expect, it } from "bun:test"
import { readIssues, SETS, scoreIssues } from "../../bench/complexity/score.ts"

const LEAST_AGREEMENT = 0.7
const LEAST_ISSUES = { labelled: 200, "held-out": 100 } as const

it.each(SETS)("F040: the tier follows what the task is, on the %s issues", (set) => {
  const issues = readIssues(set)
  expect(issues.length).toBeGreaterThanOrEqual(LEAST_ISSUES[set])
  const { agreement, complexOnSmallest } = scoreIssues(issues)
  expect(complexOnSmallest).toBe(0)
  expect(agreement).toBeGreaterThanOrEqual(LEAST_AGREEMENT)
})

it("F040: no issue is in both sets", () => {
  const titles = new Set(readIssues("labelled").map(({ title }) => title))
  expect(readIssues("held-out").filter(({ title }) => titles.has(title))).toEqual([])
})
