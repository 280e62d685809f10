import type { TeamName } from "../../kernel/team.ts"
import type { Clock } from "../../lib/clock.ts"
import type { Context } from "../../store/operation.ts"
import { noteAgentRun } from "../operations/rate-limits.ts"
import type { AgentResult } from "../port.ts"

export interface RunNote extends TeamName {
  readonly agent: string
  readonly result: Pick<AgentResult, "reason" | "retryAt" | "durationMs">
  readonly clock: Clock
  hasStore(): Promise<boolean>
  openContext(): Promise<Context>
}

/** For whoever chooses an agent next. What the agent did counts, whatever becomes of this: says why it was not noted. */
export async function noteRun({ agent, result, clock, project, team, ...store }: RunNote): Promise<string | undefined> {
  const { reason, retryAt, durationMs } = result
  if (reason !== "rate-limited" && reason !== "done") return undefined
  const waitMs = retryAt === null ? undefined : retryAt - clock.now()
  try {
    // Where there is no store, nothing is remembered that could be over.
    if (reason === "done" && !(await store.hasStore())) return undefined
    await noteAgentRun.run(await store.openContext(), { project, team, agent, outcome: reason, waitMs, durationMs })
    return undefined
  } catch (error) {
    return `the outcome was not noted: ${error instanceof Error ? error.message : String(error)}`
  }
}
