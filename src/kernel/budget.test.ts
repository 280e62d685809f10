import { describe, expect, it } from "bun:test"
import { chooseBudget, NO_BUDGET, parseBudget, problemWithBudget, sayBudget } from "./budget.ts"

describe("parseBudget", () => {
  it.each([
    ["5usd", 0, 5],
    ["5 USD", 0, 5],
    ["$5", 0, 5],
    ["5$", 0, 5],
    ["0.50usd", 0, 0.5],
    ["2 dollars", 0, 2],
    ["200k", 200_000, 0],
    ["1.5M", 1_500_000, 0],
    ["200k tokens", 200_000, 0],
    ["90000 tokens", 90_000, 0],
    ["5usd,200k", 200_000, 5],
    ["200k + $5", 200_000, 5],
    ["none", 0, 0],
  ])("reads %s", (text, tokens, dollars) => {
    expect(parseBudget(text)).toEqual({ tokens, dollars })
  })

  it.each([
    ["5", /no unit; write 5usd for dollars, or 5k/],
    ["", /must be 5usd, 200k/],
    ["-5usd", /must be/],
    ["5eur", /must be/],
    ["1e9usd", /must be/],
    ["NaN usd", /must be/],
    ["Infinityusd", /must be/],
    ["0usd", /is nothing; write none/],
    ["0k", /is nothing/],
    ["0.001usd", /is nothing/],
    [`${"9".repeat(400)}usd`, /too large/],
    ["5usd,3usd", /dollars twice/],
    ["5k,3k", /tokens twice/],
    ["5usd,", /must be/],
  ])("refuses %s", (text, problem) => {
    expect(problemWithBudget(text)).toMatch(problem)
  })
})

it("says a budget in words", () => {
  expect([
    sayBudget({ tokens: 200_000, dollars: 5 }),
    sayBudget({ tokens: 0, dollars: 0.5 }),
    sayBudget(NO_BUDGET),
  ]).toEqual(["$5.00 and 200,000 tokens", "$0.50", "none"])
})

it("takes the budget of a run before the settings, unit by unit", () => {
  const configured = { tokens: 1000, dollars: 2 }
  expect(chooseBudget(null, configured)).toEqual(configured)
  expect(chooseBudget({ tokens: 0, dollars: 5 }, configured)).toEqual({ tokens: 1000, dollars: 5 })
  expect(chooseBudget(NO_BUDGET, configured)).toEqual(NO_BUDGET)
})
