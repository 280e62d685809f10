import type { Decision, EngineLimits, EngineSnapshot } from "./actions.ts"
import { advance } from "./advance.ts"

type Rule = (snapshot: EngineSnapshot, limits: EngineLimits) => Decision

const RULES: readonly Rule[] = [advance]

/** What is to be done now, by what is and what should be. Everything the engine does was decided here. */
export function decide(snapshot: EngineSnapshot, limits: EngineLimits): Decision {
  const decisions = RULES.map((rule) => rule(snapshot, limits))
  const times = decisions.flatMap(({ wakeAt }) => wakeAt ?? [])
  return {
    actions: decisions.flatMap(({ actions }) => actions),
    wakeAt: times.length === 0 ? null : Math.min(...times),
  }
}
