import { asCount, asObject, type Json } from "../json-line.ts"
import type { AgentEventBody, AgentJob, Usage } from "../port.ts"
import { addUsage, NO_USAGE, usageEvent } from "../usage.ts"

/** What a run used, from the cost and context that are told on the way and from what is told at the end of a turn. */
export function countUsage(job: AgentJob) {
  /** The session's, as it was last told; some agents count it on when a session is resumed, some begin anew. */
  let sessionDollars = job.resume?.usage.dollars ?? 0
  /** Of this run: what it cost, what its finished turns used, and the largest context of the turn that is under way. */
  let dollars: number | null = null
  let finished = NO_USAGE
  let contextTokens = 0
  let isInTurn = false

  /** How much is new in what the session has cost, or null when that is not told. */
  function takeCost({ cost }: Json): number | null {
    const { amount, currency } = asObject(cost) ?? {}
    if (currency !== "USD") return null
    const total = asCount(amount)
    const spent = total < sessionDollars ? total : total - sessionDollars
    sessionDollars = total
    return spent
  }

  /** A turn has read at least its context; what it used in all is told at its end, if at all. */
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

/** What one turn used: not part of the protocol yet, but told by most. */
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
