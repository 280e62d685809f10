import type { Limits } from "../../agents/port.ts"
import type { History } from "../../reporting/history.ts"
import type { Budget, Budgets } from "./worker-ports.ts"

export interface Spender {
  readonly task: string
  readonly worker: string
}

/** What the next run may still use up, and whose budget is used up already. Null is no limit. */
export interface BudgetLeft extends Pick<Limits, "tokens" | "dollars"> {
  readonly exhausted: string | null
}

/** Of each budget what all runs so far left of it; the smallest counts. */
export function budgetLeft({ runs }: History, budgets: Budgets, { task, worker }: Spender): BudgetLeft {
  const spent = { task: { tokens: 0, dollars: 0 }, worker: { tokens: 0, dollars: 0 }, team: { tokens: 0, dollars: 0 } }
  if (Object.values(budgets).every(({ tokens, dollars }) => tokens === 0 && dollars === 0))
    return { tokens: null, dollars: null, exhausted: null }
  for (const run of runs.values()) {
    const payers = [
      spent.team,
      ...(run.task === task ? [spent.task] : []),
      ...(run.worker === worker ? [spent.worker] : []),
    ]
    for (const payer of payers) {
      payer.tokens += run.tokens
      payer.dollars += run.dollars ?? 0
    }
  }
  const names = { task: `task ${task}`, worker: `worker ${worker}`, team: "the team" }
  const least = (unit: keyof Budget) => {
    let left: number | null = null
    let exhausted: string | null = null
    for (const payer of ["task", "worker", "team"] as const) {
      const limit = budgets[payer][unit]
      if (limit === 0) continue
      const rest = limit - spent[payer][unit]
      if (rest <= 0) exhausted ??= `${names[payer]} has used up its budget of ${limit} ${unit}`
      left = Math.min(left ?? rest, rest)
    }
    return { left, exhausted }
  }
  const [tokens, dollars] = [least("tokens"), least("dollars")]
  return { tokens: tokens.left, dollars: dollars.left, exhausted: tokens.exhausted ?? dollars.exhausted }
}
