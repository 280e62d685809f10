import { describe, expect, it } from "bun:test"
import { historyOf, LIMITS, makeSnapshot, makeWorker, withRuns } from "../../test/support/engine.ts"
import { checkBudgets } from "./react.ts"

describe("checkBudgets", () => {
  const history = withRuns([{ tokens: 700 }, { tokens: 400, worker: "w2" }], historyOf({ w1: {}, w2: {} }))
  const workers = [makeWorker("w1"), makeWorker("w2"), makeWorker("anna", { isRunning: null })]
  const check = (team: number, worker: number, change: Parameters<typeof makeSnapshot>[0] = {}) =>
    checkBudgets(makeSnapshot({ workers, history, ...change }), {
      ...LIMITS,
      ...{ budget: { tokens: team, dollars: 0 }, budgetPerWorker: { tokens: worker, dollars: 0 } },
    })

  it("pauses a team and quarantines a worker over their budgets, with the numbers", () => {
    expect(check(1100, 700)).toEqual([
      { type: "pause-team", trigger: "budget", reason: "the team's budget: 1100 of 1100 tokens are used up" },
      { type: "quarantine-worker", worker: "w1", reason: "its budget: 700 of 700 tokens are used up" },
    ] as never)
  })

  it("does nothing below, without limits, or a second time", () => {
    expect(check(1101, 701)).toEqual([])
    expect(check(0, 0)).toEqual([])
    const { team } = makeSnapshot()
    expect(check(1, 0, { team: { ...team, status: "paused" } })).toEqual([])
    const done = withRuns([{ tokens: 700 }], historyOf({ w1: { quarantined: true } }))
    expect(check(0, 1, { history: done })).toEqual([])
  })
})
