import type { TeamName } from "../../kernel/team.ts"
import type { Clock } from "../../lib/clock.ts"
import { withdrawAgentQuestion } from "../../requests/operations/ask-about-agent.ts"
import type { Context } from "../../store/operation.ts"
import type { FaultLimits } from "../agent-fault.ts"
import { noteAgentRun } from "../operations/agent-health.ts"
import type { AgentResult } from "../port.ts"

export interface RunNote extends TeamName {
  readonly agent: string
  readonly runId: string
  readonly result: Pick<AgentResult, "reason" | "error" | "retryAt" | "durationMs" | "quota">
  /** At the start of the run. */
  readonly fingerprint: string | null
  readonly faultLimits?: FaultLimits
  readonly clock: Clock
  hasStore(): Promise<boolean>
  openContext(): Promise<Context>
}

/** For the next choice of an agent. Returns the problem instead of failing the run. */
export async function noteRun({ result, clock, faultLimits, ...note }: RunNote): Promise<string | undefined> {
  const { agent, runId, fingerprint, project, team, run } = note
  const { reason, error, retryAt, durationMs, quota } = result
  const waitMs = retryAt === null ? undefined : retryAt - clock.now()
  try {
    // Without a store there is nothing to clear.
    if (reason === "done" && !(await note.hasStore())) return undefined
    const context = await note.openContext()
    const about = { project, team, run, agent }
    const ended = { ...about, runId, reason, error, waitMs, durationMs, fingerprint, quota, limits: faultLimits }
    const { isBack } = await noteAgentRun(context, ended)
    if (isBack) await withdrawAgentQuestion(context, about)
    return undefined
  } catch (problem) {
    return `the outcome was not noted: ${problem instanceof Error ? problem.message : String(problem)}`
  }
}
