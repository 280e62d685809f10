import type { Budget } from "../kernel/budget.ts"
import type { History } from "./history.ts"
import type { RunFact } from "./history-facts.ts"

export interface Cost {
  readonly runs: number
  readonly tokens: number
  /** Only of runs with a known price. */
  readonly dollars: number
  /** Part of it was computed from tokens and prices. */
  readonly isEstimated: boolean
  /** Runs with tokens and an unknown price. */
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

/** What teamwork added to the prompts, estimated at four characters a token. */
export interface OwnWords {
  /** The runs for which it was counted. */
  readonly runs: number
  readonly tokens: number
  /** All that was sent at the start of these runs. */
  readonly sentTokens: number
}

export interface CostReport {
  readonly total: Cost
  readonly ownWords: OwnWords
  /** Null where the run has no budget of its own. */
  readonly budget: Budget | null
  readonly byAgent: readonly NamedCost[]
  readonly byWorker: readonly NamedCost[]
  readonly byTask: readonly NamedCost[]
}

function sumOwnWords(runs: readonly RunFact[]): OwnWords {
  const sum = { runs: 0, tokens: 0, sentTokens: 0 }
  for (const { words } of runs) {
    if (words === undefined) continue
    sum.runs++
    sum.tokens += words.own
    sum.sentTokens += words.sent
  }
  return sum
}

export interface NamedCost extends Cost {
  readonly name: string
}

export function reportCost({ runs, budget }: History): CostReport {
  const all = [...runs.values()]
  const by = (nameOf: (run: RunFact) => string | null) =>
    [...Map.groupBy(all, (run) => nameOf(run) ?? "")]
      .filter(([name]) => name !== "")
      .map(([name, some]) => ({ name, ...sumCost(some) }))
  return {
    total: sumCost(all),
    ownWords: sumOwnWords(all),
    budget,
    byAgent: by(({ agent, model }) => (model === null ? agent : `${agent} ${model}`)),
    byWorker: by(({ worker }) => worker),
    byTask: by(({ task }) => task),
  }
}
