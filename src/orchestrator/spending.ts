import type { History } from "../reporting/history.ts"
import type { RunFact } from "../reporting/history-facts.ts"
import type { EngineLimits, EngineSnapshot, ShortAction } from "./actions.ts"

export interface Spending {
  readonly tokens: number
  /** Of the runs whose price is known; null when that is none of them. */
  readonly dollars: number | null
  /** Whether a part of the dollars was worked out by us from prices, and not told by the agent. */
  readonly isEstimated: boolean
  /** Runs that used tokens and whose price nobody knows. */
  readonly unpriced: number
}

export interface SpendingReport {
  readonly team: Spending
  readonly byTask: ReadonlyMap<string, Spending>
  readonly byWorker: ReadonlyMap<string, Spending>
}

/** 0 for no limit. */
export interface Budget {
  readonly tokens: number
  readonly dollars: number
}

const NOTHING: Spending = { tokens: 0, dollars: null, isEstimated: false, unpriced: 0 }

/** What all runs of agents together have cost. Planning and reviews belong to the team and to no task. */
export function sumSpending({ runs }: Pick<History, "runs">): SpendingReport {
  const byTask = new Map<string, Spending>()
  const byWorker = new Map<string, Spending>()
  let team = NOTHING
  for (const run of runs.values()) {
    team = add(team, run)
    byWorker.set(run.worker, add(byWorker.get(run.worker) ?? NOTHING, run))
    if (run.task !== null) byTask.set(run.task, add(byTask.get(run.task) ?? NOTHING, run))
  }
  return { team, byTask, byWorker }
}

/** Why no more may be spent, in numbers; undefined while it may. Dollars that nobody knows do not count. */
export function overBudget({ tokens, dollars }: Spending, budget: Budget): string | undefined {
  if (budget.tokens > 0 && tokens >= budget.tokens) return `${tokens} of ${budget.tokens} tokens are used up`
  if (budget.dollars > 0 && dollars !== null && dollars >= budget.dollars)
    return `${money(dollars)} of ${money(budget.dollars)} are used up`
  return undefined
}

/** The hard stop: a team over its budget is paused until somebody raises it, a worker over its own gets no more tasks. */
export function checkBudgets(
  { team, workers, history }: Pick<EngineSnapshot, "team" | "workers" | "history">,
  { budget, budgetPerWorker }: Pick<EngineLimits, "budget" | "budgetPerWorker">,
): ShortAction[] {
  if (isUnlimited(budget) && isUnlimited(budgetPerWorker)) return []
  const spent = sumSpending(history)
  const ofTeam = team.status === "active" ? overBudget(spent.team, budget) : undefined
  const pauses: ShortAction[] =
    ofTeam === undefined ? [] : [{ type: "pause-team", trigger: "budget", reason: `the team's budget: ${ofTeam}` }]
  const dismissals = workers.flatMap(({ id, availability, isRunning }): ShortAction[] => {
    if (isRunning === null || availability === "quarantined" || history.workers.get(id)?.quarantined === true) return []
    const reason = overBudget(spent.byWorker.get(id) ?? NOTHING, budgetPerWorker)
    return reason === undefined ? [] : [{ type: "quarantine-worker", worker: id, reason: `its budget: ${reason}` }]
  })
  return [...pauses, ...dismissals]
}

/** Cents, and more of them where it is less than one. */
export function money(dollars: number): string {
  return `$${dollars > 0 && dollars < 0.01 ? dollars.toPrecision(2) : dollars.toFixed(2)}`
}

function add(sum: Spending, run: RunFact): Spending {
  return {
    tokens: sum.tokens + run.tokens,
    dollars: run.dollars === null ? sum.dollars : (sum.dollars ?? 0) + run.dollars,
    isEstimated: sum.isEstimated || (run.dollars !== null && run.dollarsAreEstimated),
    unpriced: sum.unpriced + (run.dollars === null && run.tokens > 0 ? 1 : 0),
  }
}

function isUnlimited({ tokens, dollars }: Budget): boolean {
  return tokens === 0 && dollars === 0
}
