import { type Budget, isUnlimited, sayBudget } from "../../kernel/budget.ts"
import { money } from "../../lib/text/money.ts"
import { amount, duration } from "../../reporting/views/amounts.ts"
import type { Estimate } from "../estimate.ts"

/** `7 agent runs: 4 tasks and up to 3 follow-ups` */
export function sayRuns({ runs, followUps }: Estimate): string {
  const all = `${runs} agent ${runs === 1 ? "run" : "runs"}`
  if (followUps === 0) return all
  const tasks = runs - followUps
  const added = `up to ${followUps} ${followUps === 1 ? "follow-up" : "follow-ups"}`
  return `${all}: ${tasks} ${tasks === 1 ? "task" : "tasks"} and ${added}`
}

/** `about 12m 05s, 340.0k tokens, $1.20; from 18 earlier runs here` */
export function sayEstimate({ basedOn, unknown, ms, tokens, dollars }: Estimate): string {
  if (ms === null || basedOn === 0) return "time and cost are unknown, as there are no earlier runs here"
  const cost = tokens === 0 && (dollars ?? 0) === 0 ? "no tokens" : `${amount(Math.round(tokens ?? 0))} tokens`
  const price = dollars === null ? ["price unknown"] : dollars === 0 ? [] : [money(dollars)]
  const from = `from ${basedOn} earlier ${basedOn === 1 ? "run" : "runs"} here`
  const rest =
    unknown === 0 ? [] : [`${unknown} of a kind that never ran here ${unknown === 1 ? "is" : "are"} not counted`]
  return [`about ${[duration(ms), cost, ...price].join(", ")}`, from, ...rest].join("; ")
}

/** `; budget $5.00`, with a warning if the estimate is higher. */
export function sayBudgetAhead({ basedOn, tokens, dollars }: Estimate, budget: Budget): string {
  return isUnlimited(budget) ? "" : `; budget ${sayBudgetFor({ basedOn, tokens, dollars }, budget)}`
}

/** `$5.00`, with a warning if the estimate is higher. */
export function sayBudgetFor(
  { basedOn, tokens, dollars }: Pick<Estimate, "basedOn" | "tokens" | "dollars">,
  budget: Budget,
): string {
  const isBeyond =
    basedOn > 0 &&
    ((budget.tokens > 0 && (tokens ?? 0) > budget.tokens) || (budget.dollars > 0 && (dollars ?? 0) > budget.dollars))
  return `${sayBudget(budget)}${isBeyond ? ", which is less than the estimate: the run would pause and ask" : ""}`
}
