import { SCRIPT } from "../agents/programs.ts"
import { type Budget, chooseBudget } from "../kernel/budget.ts"
import { money } from "../lib/text/money.ts"
import type { History } from "./history.ts"
import type { RunFact } from "./history-facts.ts"

export interface Spending {
  readonly tokens: number
  /** Null when no price is known. */
  readonly dollars: number | null
  /** Part of it was computed from tokens and prices. */
  readonly isEstimated: boolean
  /** Runs that ended well and reported no usage. */
  readonly unmeasured: number
  /** Runs with tokens and an unknown price. */
  readonly unpriced: number
}

export interface SpendingReport {
  readonly team: Spending
  readonly byTask: ReadonlyMap<string, Spending>
  readonly byWorker: ReadonlyMap<string, Spending>
}

export const NOTHING_SPENT: Spending = { tokens: 0, dollars: null, isEstimated: false, unmeasured: 0, unpriced: 0 }

/** Planning and reviews count for the team and for no task. */
export function sumSpending({ runs }: Pick<History, "runs">): SpendingReport {
  const byTask = new Map<string, Spending>()
  const byWorker = new Map<string, Spending>()
  let team = NOTHING_SPENT
  for (const run of runs.values()) {
    team = add(team, run)
    byWorker.set(run.worker, add(byWorker.get(run.worker) ?? NOTHING_SPENT, run))
    if (run.task !== null) byTask.set(run.task, add(byTask.get(run.task) ?? NOTHING_SPENT, run))
  }
  return { team, byTask, byWorker }
}

/** The budget of the run, else of the settings. */
export function teamBudget({ budget }: Pick<History, "budget">, configured: Budget): Budget {
  return chooseBudget(budget, configured)
}

/** All spending, or what came after a person last continued past the budget. */
export function spentOfBudget(team: Spending, { budgetFrom }: Pick<History, "budgetFrom">): Spending {
  return {
    tokens: team.tokens - budgetFrom.tokens,
    dollars: team.dollars === null ? null : team.dollars - (budgetFrom.dollars ?? 0),
    isEstimated: team.isEstimated,
    unmeasured: team.unmeasured - budgetFrom.unmeasured,
    unpriced: team.unpriced - budgetFrom.unpriced,
  }
}

/**
 * Says why no more may be spent; undefined while it may. Runs with an unknown price use up a budget in dollars at
 * once, unless a budget in tokens stands beside it.
 */
export function overBudget({ tokens, dollars, unmeasured, unpriced }: Spending, budget: Budget): string | undefined {
  if (budget.tokens > 0 && tokens >= budget.tokens) return `${tokens} of ${budget.tokens} tokens are used up`
  if (budget.tokens > 0 && unmeasured > 0)
    return `${unmeasured} ${unmeasured === 1 ? "run" : "runs"} told nothing of the tokens used, so ${budget.tokens} tokens cannot be kept`
  if (budget.dollars === 0) return undefined
  if (dollars !== null && dollars >= budget.dollars) return `${money(dollars)} of ${money(budget.dollars)} are used up`
  if (unpriced === 0 || budget.tokens > 0) return undefined
  const runs = `${unpriced} ${unpriced === 1 ? "run has" : "runs have"}`
  return `${runs} an unknown price, so ${money(budget.dollars)} cannot be kept; set agents.prices, or a budget in tokens`
}

function add(sum: Spending, run: RunFact): Spending {
  const dollars = run.dollars !== null && run.dollars >= 0 ? run.dollars : null
  return {
    // An invalid number of tokens exceeds every budget.
    tokens: sum.tokens + (run.tokens >= 0 ? run.tokens : Number.POSITIVE_INFINITY),
    dollars: dollars === null ? sum.dollars : (sum.dollars ?? 0) + dollars,
    isEstimated: sum.isEstimated || (dollars !== null && run.dollarsAreEstimated),
    unmeasured: sum.unmeasured + (hasCost(run) && run.tokens === 0 ? 1 : 0),
    unpriced: sum.unpriced + (dollars === null && hasCost(run) ? 1 : 0),
  }
}

/** A run that ended well and reports no usage is not free. */
function hasCost({ agent, tokens, endedAt, reason }: RunFact): boolean {
  return endedAt !== null && agent !== SCRIPT && (tokens > 0 || reason === "done")
}

/** The budget in the settings of an orchestrator, as JSON. */
export function budgetIn(settings: string): unknown {
  try {
    return (JSON.parse(settings) as { budget?: unknown } | null)?.budget
  } catch {
    return null // settings of another version name no budget
  }
}
