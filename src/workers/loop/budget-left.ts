import type { Limits } from "../../agents/port.ts"
import { type Budget, isUnlimited } from "../../kernel/budget.ts"
import type { History } from "../../reporting/history.ts"
import { NOTHING_SPENT, overBudget, spentOfBudget, sumSpending, teamBudget } from "../../reporting/spending.ts"
import type { Budgets } from "./worker-ports.ts"

export interface Spender {
  readonly task: string
  readonly worker: string
}

/** The widest first: a person is asked about the team's budget before the others. */
const PAYERS = ["team", "worker", "task"] as const
export type Payer = (typeof PAYERS)[number]

export interface UsedUp {
  readonly payer: Payer
  /** `3000 of 3000 tokens are used up` */
  readonly why: string
}

/** Null means no limit. */
export interface BudgetLeft extends Pick<Limits, "tokens" | "dollars"> {
  readonly usedUp: UsedUp | null
  readonly tightest: Payer | null
}

/** The smallest remainder of all budgets. */
export function budgetLeft(history: History, configured: Budgets, { task, worker }: Spender): BudgetLeft {
  const budgets = { ...configured, team: teamBudget(history, configured.team) }
  if (Object.values(budgets).every(isUnlimited)) return { tokens: null, dollars: null, usedUp: null, tightest: null }
  const all = sumSpending(history)
  const spent = {
    team: spentOfBudget(all.team, history),
    worker: all.byWorker.get(worker) ?? NOTHING_SPENT,
    task: all.byTask.get(task) ?? NOTHING_SPENT,
  }
  const usedUp = PAYERS.flatMap((payer): UsedUp[] => {
    const why = overBudget(spent[payer], budgets[payer])
    return why === undefined ? [] : [{ payer, why }]
  })
  const least = (unit: keyof Budget) =>
    PAYERS.filter((payer) => budgets[payer][unit] > 0)
      .map((payer) => ({ payer, left: budgets[payer][unit] - (spent[payer][unit] ?? 0) }))
      .toSorted((a, b) => a.left - b.left)[0]
  const [tokens, dollars] = [least("tokens"), least("dollars")]
  return {
    tokens: tokens?.left ?? null,
    dollars: dollars?.left ?? null,
    usedUp: usedUp[0] ?? null,
    tightest: (dollars ?? tokens)?.payer ?? null,
  }
}

/**
 * An agent stops at its limit by its own count, which may differ a little from ours. Where we set no limit, the
 * account has no money left.
 */
export function whoseBudget(after: BudgetLeft, limits: Limits): UsedUp | null {
  if (after.usedUp !== null) return after.usedUp
  if (after.tightest === null || (limits.tokens === null && limits.dollars === null)) return null
  return { payer: after.tightest, why: "the agent reached its limit" }
}
