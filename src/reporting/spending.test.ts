import { describe, expect, it } from "bun:test"
import fc from "fast-check"
import { withRuns } from "../../test/support/engine.ts"
import { money } from "../lib/text/money.ts"
import { overBudget, sumSpending } from "./spending.ts"

describe("sumSpending", () => {
  it("sums by task, by worker and for the team", () => {
    const { team, byTask, byWorker } = sumSpending(
      withRuns([
        { tokens: 100, dollars: 0.5 },
        { tokens: 50, task: "2", dollars: 0.25, dollarsAreEstimated: true },
        { tokens: 10, task: "2", worker: "w2" },
        { tokens: 5, task: null, worker: "planner" },
        { tokens: 0, worker: "w3" },
      ]),
    )
    expect(team).toEqual({ tokens: 165, dollars: 0.75, isEstimated: true, unmeasured: 1, unpriced: 3 })
    // A run that ended well and told no usage has a price that nobody knows.
    expect(byTask.get("1")).toEqual({ tokens: 100, dollars: 0.5, isEstimated: false, unmeasured: 1, unpriced: 1 })
    expect(byTask.get("2")).toEqual({ tokens: 60, dollars: 0.25, isEstimated: true, unmeasured: 0, unpriced: 1 })
    expect([...byTask.keys()]).toEqual(["1", "2"])
    expect(byWorker.get("w2")).toEqual({ tokens: 10, dollars: null, isEstimated: false, unmeasured: 0, unpriced: 1 })
    expect(byWorker.get("planner")?.tokens).toBe(5)
  })

  it("loses nothing, whoever ran whatever", () => {
    const run = fc.record({
      ...{ tokens: fc.nat(1000), dollars: fc.option(fc.nat(100)), worker: fc.constantFrom("w1", "w2", "w3") },
      task: fc.constantFrom("1", "2"),
    })
    fc.assert(
      fc.property(fc.array(run), (runs) => {
        const { team, byTask, byWorker } = sumSpending(withRuns(runs))
        for (const parts of [byTask, byWorker]) {
          const all = [...parts.values()]
          expect(all.reduce((sum, part) => sum + part.tokens, 0)).toBe(team.tokens)
          expect(all.reduce((sum, part) => sum + (part.dollars ?? 0), 0)).toBe(team.dollars ?? 0)
          expect(all.reduce((sum, part) => sum + part.unpriced, 0)).toBe(team.unpriced)
        }
      }),
    )
  })
})

describe("overBudget", () => {
  const spent = { tokens: 1000, dollars: 1.5, isEstimated: false, unmeasured: 0, unpriced: 0 }

  it("says in numbers what is used up, from the limit on", () => {
    expect(overBudget(spent, { tokens: 1000, dollars: 0 })).toBe("1000 of 1000 tokens are used up")
    expect(overBudget(spent, { tokens: 0, dollars: 1.25 })).toBe("$1.50 of $1.25 are used up")
    expect(overBudget(spent, { tokens: 1001, dollars: 1.51 })).toBeUndefined()
    expect(overBudget(spent, { tokens: 0, dollars: 0 })).toBeUndefined()
  })

  it("goes by tokens alone where nobody knows the price", () => {
    const unknown = { ...spent, dollars: null, unpriced: 3 }
    expect(overBudget(unknown, { tokens: 10, dollars: 0.01 })).toBe("1000 of 10 tokens are used up")
    expect(overBudget(unknown, { tokens: 2000, dollars: 0.01 })).toBeUndefined()
  })

  it("does not let runs of unknown price pass a budget that is in dollars alone", () => {
    const unknown = { ...spent, dollars: null, unpriced: 3 }
    expect(overBudget(unknown, { tokens: 0, dollars: 5 })).toBe(
      "3 runs have an unknown price, so $5.00 cannot be kept; set agents.prices, or a budget in tokens",
    )
  })

  it("F042: writes money in cents, and less than a cent so that it is seen", () => {
    expect([0, 12, 0.01, 0.0042, 0.12003, 0.10500000000000001].map(money)).toEqual([
      ...["$0.00", "$12.00", "$0.01", "<$0.01", "$0.12", "$0.11"],
    ])
  })
})

it("does not let runs that tell no usage pass a budget in tokens", () => {
  const { team } = sumSpending(
    withRuns([{ tokens: 0 }, { tokens: 0, agent: "script" }, { tokens: 0, reason: "crashed" }]),
  )
  expect(team.unmeasured).toBe(1)
  expect(overBudget(team, { tokens: 1000, dollars: 0 })).toBe(
    "1 run told nothing of the tokens used, so 1000 tokens cannot be kept",
  )
})
