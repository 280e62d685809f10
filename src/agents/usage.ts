import type { AgentEventBody, Limits, Reason, Usage } from "./port.ts"
import { costOf, type Price } from "./prices.ts"

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, dollars: null }

export function addUsage(a: Usage, b: Usage): Usage {
  return combine(a, b, (x, y) => x + y)
}

export function usageEvent(of: "run" | "part", usage: Usage): AgentEventBody {
  const { inputTokens, outputTokens, cachedTokens, dollars } = usage
  return { type: "usage", isTotal: of === "run", inputTokens, outputTokens, cachedTokens, dollars }
}

/** A count that started again is used as it is. */
export function usageSince(total: Usage, before: Usage): Usage {
  if (before === NO_USAGE) return total
  const isAnew = total.inputTokens < before.inputTokens || total.outputTokens < before.outputTokens
  if (isAnew) return total
  // Without a cost now there is no difference to an earlier one.
  return {
    ...combine(total, before, (x, y) => Math.max(0, x - y)),
    ...(total.dollars === null ? { dollars: null } : {}),
  }
}

function combine(a: Usage, b: Usage, work: (x: number, y: number) => number): Usage {
  return {
    inputTokens: work(a.inputTokens, b.inputTokens),
    outputTokens: work(a.outputTokens, b.outputTokens),
    cachedTokens: work(a.cachedTokens, b.cachedTokens),
    dollars: a.dollars === null && b.dollars === null ? null : work(a.dollars ?? 0, b.dollars ?? 0),
  }
}

/** The agent's own cost, else by our table; null where neither is known. */
export function priceUsage(usage: Usage, price: Price | undefined): Usage {
  if (usage.dollars !== null || price === undefined || usage.inputTokens + usage.outputTokens === 0) return usage
  return { ...usage, dollars: costOf(usage, price), dollarsAreEstimated: true }
}

export interface Stop {
  readonly reason: Reason
  readonly error: string
  readonly retryAt?: number | null
}

export function findPassedLimit(limits: Limits, seen: { usage: Usage; turns: number }): Stop | undefined {
  const { usage, turns } = seen
  const tokens = usage.inputTokens + usage.outputTokens
  if (limits.turns !== null && turns > limits.turns)
    return { reason: "turn-limit", error: `stopped after ${limits.turns} turns` }
  if (limits.tokens !== null && tokens > limits.tokens)
    return { reason: "budget", error: `used ${tokens} tokens of ${limits.tokens}` }
  if (limits.dollars !== null && usage.dollars !== null && usage.dollars > limits.dollars)
    return { reason: "budget", error: `cost ${usage.dollars} dollars of ${limits.dollars}` }
  return undefined
}
