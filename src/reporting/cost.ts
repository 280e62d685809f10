import type { Budget } from "../kernel/budget.ts"
import type { History } from "./history.ts"
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

/** What teamwork itself added to the prompts of agents, estimated by four characters a token. */
export interface OwnWords {
  /** Those that it was counted for. */
  readonly runs: number
  readonly tokens: number
  /** All that was sent at the start of these runs, the task and what belongs to it included. */
  readonly sentTokens: number
}

export interface CostReport {
  readonly total: Cost
  readonly ownWords: OwnWords
  /** What the run was given to use up; null where nobody said so for this run. */
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

/** What a team used up, in all and by who and what for. */
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
