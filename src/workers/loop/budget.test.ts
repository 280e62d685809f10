import { describe, expect, it } from "bun:test"
import { parseTaskId } from "../../kernel/ids.ts"
import { emptyHistory } from "../../reporting/history.ts"
import type { RunFact } from "../../reporting/history-facts.ts"
import { budgetLeft } from "./budget.ts"

const NONE = { tokens: 0, dollars: 0 }
const run = (id: string, task: string | null, worker: string, tokens: number, dollars: number | null): RunFact => ({
  ...{ id, task: task === null ? null : parseTaskId(task), attempt: 1, worker, agent: "claude", model: null },
  ...{ turn: 1, startedAt: 0, endedAt: 1 },
  ...{
    reason: "done",
    error: null,
    session: null,
    inputTokens: 0,
    cachedTokens: 0,
    tokens,
    dollars,
    dollarsAreEstimated: false,
  },
})

function historyOf(...runs: readonly RunFact[]) {
  const history = emptyHistory()
  for (const each of runs) history.runs.set(each.id, each)
  return history
}

const HISTORY = historyOf(
  run("1-1-1", "1", "w1", 100, 1),
  run("1-1-2", "1", "w2", 50, null),
  run("2-1-1", "2", "w1", 30, 0.5),
  run("plan-1", null, "planner", 1000, 2),
)
const SPENDER = { task: "1", worker: "w1" }

describe("what is left of a budget", () => {
  it("is everything where nobody set one", () => {
    const budgets = { task: NONE, worker: NONE, team: NONE }
    expect(budgetLeft(HISTORY, budgets, SPENDER)).toEqual({ tokens: null, dollars: null, exhausted: null })
  })

  it("is what all runs left of the smallest, planning included; a run of unknown cost counts by its tokens", () => {
    const budgets = {
      task: { tokens: 1000, dollars: 1.25 },
      worker: { tokens: 200, dollars: 0 },
      team: { tokens: 5000, dollars: 10 },
    }
    expect(budgetLeft(HISTORY, budgets, SPENDER)).toEqual({ tokens: 70, dollars: 0.25, exhausted: null })
    expect(budgetLeft(HISTORY, { ...budgets, team: { tokens: 1200, dollars: 0 } }, SPENDER)).toMatchObject({
      tokens: 20,
    })
  })

  it("names whose is used up", () => {
    const with_ = (change: object) => budgetLeft(HISTORY, { task: NONE, worker: NONE, team: NONE, ...change }, SPENDER)
    expect(with_({ task: { tokens: 150, dollars: 0 } })).toMatchObject({
      tokens: 0,
      exhausted: "task 1 has used up its budget of 150 tokens",
    })
    expect(with_({ worker: { tokens: 0, dollars: 1.5 } }).exhausted).toBe(
      "worker w1 has used up its budget of 1.5 dollars",
    )
    expect(with_({ team: { tokens: 0, dollars: 3 } }).exhausted).toBe("the team has used up its budget of 3 dollars")
  })
})
