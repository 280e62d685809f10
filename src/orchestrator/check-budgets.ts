import { isUnlimited } from "../kernel/budget.ts"
import { NOTHING_SPENT, overBudget, spentOfBudget, sumSpending } from "../reporting/spending.ts"
import type { EngineLimits, EngineSnapshot, ShortAction } from "./actions.ts"

/** The hard stop: a team over its budget is paused until a person answers, a worker over its own gets no more tasks. */
export function checkBudgets(
  { team, workers, history }: Pick<EngineSnapshot, "team" | "workers" | "history">,
  { budget, budgetPerWorker }: Pick<EngineLimits, "budget" | "budgetPerWorker">,
): ShortAction[] {
  if (isUnlimited(budget) && isUnlimited(budgetPerWorker)) return []
  const spent = sumSpending(history)
  const ofTeam = team.status === "active" ? overBudget(spentOfBudget(spent.team, history), budget) : undefined
  const pauses: ShortAction[] =
    ofTeam === undefined ? [] : [{ type: "pause-team", trigger: "budget", reason: `the team's budget: ${ofTeam}` }]
  const dismissals = workers.flatMap(({ id, availability, isRunning }): ShortAction[] => {
    if (isRunning === null || availability === "quarantined" || history.workers.get(id)?.quarantined === true) return []
    const reason = overBudget(spent.byWorker.get(id) ?? NOTHING_SPENT, budgetPerWorker)
    return reason === undefined ? [] : [{ type: "quarantine-worker", worker: id, reason: `its budget: ${reason}` }]
  })
  return [...pauses, ...dismissals]
}
