import { describe, expect, it } from "bun:test"
import fc from "fast-check"
import { historyOf, LIMITS, makeSnapshot, makeWorker, NOW } from "../../test/support/engine.ts"
import { parseTaskId } from "../kernel/ids.ts"
import { emptyHistory, type History } from "../reporting/history.ts"
import type { RunFact } from "../reporting/history-facts.ts"
import { checkBudgets, money, overBudget, sumSpending } from "./spending.ts"

type Run = Partial<Omit<RunFact, "task">> & { readonly task?: string | null }

function withRuns(runs: Run[], history: History = emptyHistory()): History {
  for (const [index, change] of runs.entries())
    history.runs.set(`r${index}`, {
      ...{
        id: `r${index}`,
        attempt: 1,
        worker: "w1",
        agent: "claude",
        model: null,
        turn: 1,
        startedAt: NOW,
      },
      ...{
        endedAt: NOW,
        reason: "done",
        error: null,
        session: null,
        inputTokens: 0,
        cachedTokens: 0,
        tokens: 0,
        dollars: null,
      },
      ...{ dollarsAreEstimated: false, ...change },
      task: change.task === null ? null : parseTaskId(change.task ?? "1"),
    })
  return history
}

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
    expect(team).toEqual({ tokens: 165, dollars: 0.75, isEstimated: true, unpriced: 2 })
    expect(byTask.get("1")).toEqual({ tokens: 100, dollars: 0.5, isEstimated: false, unpriced: 0 })
    expect(byTask.get("2")).toEqual({ tokens: 60, dollars: 0.25, isEstimated: true, unpriced: 1 })
    expect([...byTask.keys()]).toEqual(["1", "2"])
    expect(byWorker.get("w2")).toEqual({ tokens: 10, dollars: null, isEstimated: false, unpriced: 1 })
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
  const spent = { tokens: 1000, dollars: 1.5, isEstimated: false, unpriced: 0 }

  it("says in numbers what is used up, from the limit on", () => {
    expect(overBudget(spent, { tokens: 1000, dollars: 0 })).toBe("1000 of 1000 tokens are used up")
    expect(overBudget(spent, { tokens: 0, dollars: 1.25 })).toBe("$1.50 of $1.25 are used up")
    expect(overBudget(spent, { tokens: 1001, dollars: 1.51 })).toBeUndefined()
    expect(overBudget(spent, { tokens: 0, dollars: 0 })).toBeUndefined()
  })

  it("goes by tokens alone where nobody knows the price", () => {
    const unknown = { ...spent, dollars: null, unpriced: 3 }
    expect(overBudget(unknown, { tokens: 0, dollars: 0.01 })).toBeUndefined()
    expect(overBudget(unknown, { tokens: 10, dollars: 0.01 })).toBe("1000 of 10 tokens are used up")
  })

  it("writes small sums so that they are seen", () => {
    expect([money(0), money(12), money(0.01), money(0.0042)]).toEqual(["$0.00", "$12.00", "$0.01", "$0.0042"])
  })
})

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
