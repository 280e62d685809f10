import { asCount, asObject, type Json } from "../json-line.ts"
import type { AgentEventBody, AgentJob, Usage } from "../port.ts"
import { addUsage, NO_USAGE, usageEvent } from "../usage.ts"

export function countUsage(job: AgentJob) {
  /** Some agents continue counting in a resumed session, and some start at 0. */
  let sessionDollars = job.resume?.usage.dollars ?? 0
  /** Of this run: cost, usage of finished turns, largest context of the current turn. */
  let dollars: number | null = null
  let finished = NO_USAGE
  let contextTokens = 0
  let isInTurn = false

  /** Since the last report; null when this one has no cost. */
  function takeCost({ cost }: Json): number | null {
    const { amount, currency } = asObject(cost) ?? {}
    if (currency !== "USD") return null
    const total = asCount(amount)
    const spent = total < sessionDollars ? total : total - sessionDollars
    sessionDollars = total
    return spent
  }

  /** A turn has read at least its context; the total comes at its end, if at all. */
  function see(update: Json): AgentEventBody[] {
    const spent = takeCost(update)
    const context = isInTurn ? Math.max(contextTokens, asCount(update.used)) : contextTokens
    if (spent === null && context === contextTokens) return []
    contextTokens = context
    if (spent !== null) dollars = (dollars ?? 0) + spent
    return [total()]
  }

  function total(): AgentEventBody {
    const inputTokens = finished.inputTokens + contextTokens
    return usageEvent("run", { ...finished, inputTokens, dollars })
  }

  return {
    see,
    takeCost,
    beginTurn(): void {
      isInTurn = true
    },
    endTurn(result: Json): AgentEventBody[] {
      finished = addUsage(finished, turnUsage(result) ?? { ...NO_USAGE, inputTokens: contextTokens })
      contextTokens = 0
      isInTurn = false
      return [total()]
    },
  }
}

/** Not part of the protocol yet, but most agents report it. */
function turnUsage(result: Json): Usage | undefined {
  const usage = asObject(result.usage)
  if (usage !== undefined) {
    const cachedTokens = asCount(usage.cachedReadTokens)
    return {
      inputTokens: asCount(usage.inputTokens) + asCount(usage.cachedWriteTokens) + cachedTokens,
      outputTokens: asCount(usage.outputTokens) + asCount(usage.thoughtTokens),
      cachedTokens,
      dollars: null,
    }
  }
  const byGemini = asObject(asObject(asObject(result._meta)?.quota)?.token_count)
  if (byGemini === undefined) return undefined
  const [inputTokens, outputTokens] = [asCount(byGemini.input_tokens), asCount(byGemini.output_tokens)]
  return { inputTokens, outputTokens, cachedTokens: 0, dollars: null }
}
