import { describe, expect, it } from "bun:test"
import { parseTaskId } from "../../kernel/ids.ts"
import { emptyHistory } from "../../reporting/history.ts"
import type { RunFact } from "../../reporting/history-facts.ts"
import { budgetLeft, whoseBudget } from "./budget-left.ts"

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
    expect(budgetLeft(HISTORY, budgets, SPENDER)).toEqual({ tokens: null, dollars: null, usedUp: null, tightest: null })
  })

  it("is what all runs left of the smallest, planning included; a run of unknown cost counts by its tokens", () => {
    const budgets = {
      task: { tokens: 1000, dollars: 1.25 },
      worker: { tokens: 200, dollars: 0 },
      team: { tokens: 5000, dollars: 10 },
    }
    expect(budgetLeft(HISTORY, budgets, SPENDER)).toEqual({
      ...{ tokens: 70, dollars: 0.25, usedUp: null, tightest: "task" },
    })
    expect(budgetLeft(HISTORY, { ...budgets, team: { tokens: 1200, dollars: 0 } }, SPENDER)).toMatchObject({
      tokens: 20,
    })
  })

  it("names whose is used up", () => {
    const with_ = (change: object) => budgetLeft(HISTORY, { task: NONE, worker: NONE, team: NONE, ...change }, SPENDER)
    expect(with_({ task: { tokens: 150, dollars: 0 } })).toMatchObject({
      tokens: 0,
      usedUp: { payer: "task", why: "150 of 150 tokens are used up" },
    })
    expect(with_({ worker: { tokens: 0, dollars: 1.5 } }).usedUp).toEqual({
      ...{ payer: "worker", why: "$1.50 of $1.50 are used up" },
    })
    expect(with_({ team: { tokens: 0, dollars: 3 } }).usedUp?.why).toBe("$3.50 of $3.00 are used up")
  })

  it("F042: asks about the widest budget that is used up, and not about each task", () => {
    const used = { tokens: 10, dollars: 0 }
    expect(budgetLeft(HISTORY, { task: used, worker: used, team: used }, SPENDER).usedUp?.payer).toBe("team")
  })

  it("is what the run was given, before the settings; and counts anew once a person let it go on", () => {
    const history = { ...HISTORY, budget: { tokens: 0, dollars: 4 } }
    const budgets = { task: NONE, worker: NONE, team: { tokens: 100, dollars: 1 } }
    expect(budgetLeft(history, budgets, SPENDER)).toMatchObject({ dollars: 0.5, usedUp: { payer: "team" } })
    const on = { ...history, budgetFrom: { tokens: 1180, dollars: 3.5, unmeasured: 0, unpriced: 1 } }
    expect(budgetLeft(on, budgets, SPENDER)).toMatchObject({ dollars: 4, tokens: 100, usedUp: null })
  })

  it("is nothing in dollars once a price is unknown, unless tokens hold it", () => {
    const budgets = { task: NONE, worker: NONE, team: { tokens: 0, dollars: 100 } }
    expect(budgetLeft(HISTORY, budgets, SPENDER).usedUp?.why).toMatch(/^1 run has an unknown price, so \$100.00/)
    const both = { ...budgets, team: { tokens: 1_000_000, dollars: 100 } }
    expect(budgetLeft(HISTORY, both, SPENDER).usedUp).toBeNull()
  })
})

it("tells whose budget a run came to the end of", () => {
  const limits = { turns: null, timeMs: null, tokens: null, dollars: 1, outputBytes: null }
  const left = { tokens: null, dollars: 0.01, usedUp: null, tightest: "team" as const }
  expect(whoseBudget(left, limits)?.payer).toBe("team")
  expect(whoseBudget({ ...left, usedUp: { payer: "task", why: "x" } }, limits)?.payer).toBe("task")
  // Without a limit of ours it is the money of the account.
  expect(whoseBudget({ ...left, dollars: null, tightest: null }, { ...limits, dollars: null })).toBeNull()
})
