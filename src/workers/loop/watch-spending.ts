import type { AgentEvent, Usage } from "../../agents/port.ts"
import type { Price } from "../../agents/prices.ts"
import { addUsage, NO_USAGE, priceUsage } from "../../agents/usage.ts"
import { noteRunProgress } from "../../tasks/operations/note-run.ts"
import { budgetLeft, type UsedUp } from "./budget-left.ts"
import type { Hold } from "./hold-claim.ts"
import type { Shift } from "./shift.ts"

/** How much of what a run uses up may go unnoticed. */
const NOTE_EVERY_MS = 30_000
/** What is written down before that, since a worker may be killed at any time. */
const MUCH_TOKENS = 50_000

export interface SpendingWatch {
  /** Fires when a budget is used up, by this run and those of others together. */
  readonly signal: AbortSignal
  see(event: AgentEvent): Promise<void>
  usedUp(): UsedUp | null
}

/** A run as the team is told of it. */
export interface WatchedRun {
  readonly run: string
  readonly agent: string
  /** Of its model, where it is known: most agents name their price only at the end. */
  readonly price: Price | undefined
}

/**
 * Writes down now and then what a run has used up. Agents that run side by side each began with what was left then, so
 * only the sum of all of them tells when a budget is used up.
 */
export function watchSpending(shift: Shift, { task }: Hold, { run, agent, price }: WatchedRun): SpendingWatch {
  const { ports, team, worker, options, history } = shift
  const over = new AbortController()
  let usage: Usage = NO_USAGE
  let noted: Usage = NO_USAGE
  let notedAt = ports.clock.now()
  let usedUp: UsedUp | null = null

  async function note(): Promise<void> {
    const { inputTokens, outputTokens, dollars } = priceUsage(usage, price)
    const told = { project: team.project, team: team.team, run, task: task.id, worker, agent }
    await noteRunProgress(ports.context, { ...told, tokens: inputTokens + outputTokens, dollars }, team.run)
    const { usedUp: found } = budgetLeft(await history.read(), options.settings.budget, { task: task.id, worker })
    usedUp = found
    if (usedUp !== null) over.abort()
  }

  return {
    signal: over.signal,
    usedUp: () => usedUp,
    async see(event) {
      if (event.type === "usage") usage = addUsage(event.isTotal ? NO_USAGE : usage, event)
      const isMuch = tokensOf(usage) > 2 * tokensOf(noted) + MUCH_TOKENS
      if (usage === noted || !(isMuch || ports.clock.now() - notedAt >= NOTE_EVERY_MS)) return
      notedAt = ports.clock.now()
      noted = usage
      // What cannot be written now is written by the next one, and at the latest by the end of the run.
      await note().catch(() => undefined)
    },
  }
}

function tokensOf({ inputTokens, outputTokens }: Usage): number {
  return inputTokens + outputTokens
}
