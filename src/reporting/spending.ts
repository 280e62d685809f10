import { SCRIPT } from "../agents/programs.ts"
import { type Budget, chooseBudget } from "../kernel/budget.ts"
import { money } from "../lib/text/money.ts"
import type { History } from "./history.ts"
import type { RunFact } from "./history-facts.ts"

export interface Spending {
  readonly tokens: number
  /** Of the runs whose price is known; null when that is none of them. */
  readonly dollars: number | null
  /** Whether a part of the dollars was worked out by us from prices, and not told by the agent. */
  readonly isEstimated: boolean
  /** Runs that ended well and told nothing of what they used. */
  readonly unmeasured: number
  /** Runs that used tokens and whose price nobody knows. */
  readonly unpriced: number
}

export interface SpendingReport {
  readonly team: Spending
  readonly byTask: ReadonlyMap<string, Spending>
  readonly byWorker: ReadonlyMap<string, Spending>
}

export const NOTHING_SPENT: Spending = { tokens: 0, dollars: null, isEstimated: false, unmeasured: 0, unpriced: 0 }

/** What all runs of agents together have cost. Planning and reviews belong to the team and to no task. */
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

/** What a team may use up: what its run was given, else what the settings say. */
export function teamBudget({ budget }: Pick<History, "budget">, configured: Budget): Budget {
  return chooseBudget(budget, configured)
}

/** What counts against the budget of the team: all of it, or what came after a person last let the team go on. */
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
 * Why no more may be spent, in numbers; undefined while it may. A budget in dollars cannot hold runs whose price nobody
 * knows: without a budget in tokens beside it, the first such run uses it up.
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
    // What cannot be a number of tokens is more than any budget, and takes nothing off what others used up.
    tokens: sum.tokens + (run.tokens >= 0 ? run.tokens : Number.POSITIVE_INFINITY),
    dollars: dollars === null ? sum.dollars : (sum.dollars ?? 0) + dollars,
    isEstimated: sum.isEstimated || (dollars !== null && run.dollarsAreEstimated),
    unmeasured: sum.unmeasured + (hasCost(run) && run.tokens === 0 ? 1 : 0),
    unpriced: sum.unpriced + (dollars === null && hasCost(run) ? 1 : 0),
  }
}

/** Most agents name their price at the end of a run. One that ended well without a word of what it used is no gift. */
function hasCost({ agent, tokens, endedAt, reason }: RunFact): boolean {
  return endedAt !== null && agent !== SCRIPT && (tokens > 0 || reason === "done")
}
