import type { EngineLimits, EngineSnapshot, ShortAction } from "./actions.ts"
import { settleBlockers } from "./blockers.ts"
import { cascade } from "./cascade.ts"
import { checkBudgets } from "./check-budgets.ts"
import { tellUnblocked } from "./unblocked.ts"

/** What follows from what happened to the tasks: the next step, a word to whom it concerns, and the end of the money. */
export function react(snapshot: EngineSnapshot, limits: EngineLimits): ShortAction[] {
  return [
    ...checkBudgets(snapshot, limits),
    ...settleBlockers(snapshot, limits),
    ...cascade(snapshot, limits),
    ...tellUnblocked(snapshot),
  ]
}
