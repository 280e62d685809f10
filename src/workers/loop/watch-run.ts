import type { AgentEvent, Usage } from "../../agents/port.ts"
import type { Price } from "../../agents/prices.ts"
import { addUsage, NO_USAGE, priceUsage } from "../../agents/usage.ts"
import { ENGINE } from "../../kernel/actor.ts"
import { findCheck } from "../../tasks/check-command.ts"
import { exitCodeOf, KEPT_OUTPUT, type SeenUse, SHELL_TOOLS } from "../../tasks/observed.ts"
import { noteRunProgress } from "../../tasks/operations/note-run.ts"
import { pauseByEngine } from "../../teams/operations/steer-team.ts"
import { quarantineWorker } from "../operations/worker-life.ts"
import { budgetLeft, type UsedUp } from "./budget-left.ts"
import type { ClaimHandle } from "./claim-handle.ts"
import { Setback } from "./setback.ts"

const MOST_CHECKS = 50

/** Not the changed files: its commit has them. */
export function watchChecks(program: string, checks: readonly string[]) {
  const begun = new Map<string, string>()
  const ended: SeenUse[] = []
  return {
    see(event: AgentEvent): void {
      if (event.type === "tool_use" && SHELL_TOOLS.has(event.name) && findCheck(event.input, checks) !== undefined)
        begun.set(event.id, event.input)
      if (event.type !== "tool_result") return
      const line = begun.get(event.id)
      if (line === undefined) return
      begun.delete(event.id)
      const { output, ok } = event
      const exitCode = exitCodeOf({ output, ok, program })
      ended.push({ run: { line, exitCode, output: output.slice(-KEPT_OUTPUT) }, files: [] })
      if (ended.length > MOST_CHECKS) ended.shift()
    },
    uses: (): readonly SeenUse[] => ended,
  }
}

const NOTE_EVERY_MS = 30_000
/** Recorded after this many tokens, because a worker may be killed at any time. */
const MUCH_TOKENS = 50_000

export interface SpendingWatch {
  /** Fires when all runs together have used up a budget. */
  readonly signal: AbortSignal
  see(event: AgentEvent): Promise<void>
  usedUp(): UsedUp | null
}

export interface WatchedRun {
  readonly run: string
  readonly agent: string
  /** Most agents report the cost of a run only at its end. */
  readonly price: Price | undefined
}

/**
 * Records the usage of a run so far. Agents that run in parallel each began with what was left then, so only their
 * sum shows when a budget is used up.
 */
export function watchSpending(claim: ClaimHandle, { run, agent, price }: WatchedRun): SpendingWatch {
  const { ports, team, worker, options, history, task } = claim
  const over = new AbortController()
  let usage: Usage = NO_USAGE
  let noted: Usage = NO_USAGE
  let notedAt = ports.clock.now()
  let usedUp: UsedUp | null = null

  async function note(): Promise<void> {
    const { inputTokens, outputTokens, dollars } = priceUsage(usage, price)
    const about = { project: team.project, team: team.team, run, task: task.id, worker, agent }
    await noteRunProgress(ports.context, { ...about, tokens: inputTokens + outputTokens, dollars }, team.run)
    usedUp = budgetLeft(await history.read(), options.settings.budget, { task: task.id, worker }).usedUp
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
      // The next note, at the latest at the end of the run, makes up for a failed one.
      await note().catch(() => undefined)
    },
  }
}

function tokensOf({ inputTokens, outputTokens }: Usage): number {
  return inputTokens + outputTokens
}

/**
 * Returns the task's setback. A budget that many tasks share asks one question: the team is paused, or the worker
 * gets no more tasks, and the task goes back unchanged.
 */
export async function stopAtBudget(claim: ClaimHandle, { payer, why }: UsedUp, agent: string): Promise<Setback> {
  const { ports, team, worker, task } = claim
  if (payer === "task") return new Setback("budget", `the budget of task ${task.id}: ${why}`, { agent })
  if (payer === "team") {
    const reason = `the team's budget: ${why}`
    await pauseByEngine(ports.context, team, { trigger: "budget", reason })
    return new Setback("interrupted", reason, { agent })
  }
  const reason = `its budget: ${why}`
  await quarantineWorker(ports.context, { ...team, by: ENGINE, worker, reason })
  return new Setback("interrupted", `worker ${worker} is quarantined: ${reason}`, { agent })
}
