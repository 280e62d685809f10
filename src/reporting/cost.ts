import type { RunFact } from "./history-facts.ts"

/** What runs of agents used up. */
export interface Cost {
  readonly runs: number
  readonly tokens: number
  /** As far as it is known. */
  readonly dollars: number
  /** Part of the dollars was reckoned from tokens and prices, as the agent named none. */
  readonly isEstimated: boolean
  /** Runs that used tokens and whose price nobody knows. */
  readonly unknown: number
}

export function sumCost(runs: Iterable<RunFact>): Cost {
  const cost = { runs: 0, tokens: 0, dollars: 0, isEstimated: false, unknown: 0 }
  for (const run of runs) {
    cost.runs++
    cost.tokens += run.tokens
    cost.dollars += run.dollars ?? 0
    if (run.dollars === null && run.tokens > 0) cost.unknown++
    if (run.dollars !== null && run.dollarsAreEstimated) cost.isEstimated = true
  }
  return cost
}
