import type { TaskId } from "./ids.ts"

/**
 * What an agent does during a run, for display only. Not an event: it has no number and no version and is not in the
 * store. It may come late, twice or not at all, as for a run on another machine, so no decision may depend on it. Secrets
 * are masked, as in the recording that it is read from.
 */
export type LiveNotice = NoticePlace & (AgentSaid | AgentUsedTool | AgentWaiting)

interface NoticePlace {
  readonly run: string
  /** Null for a run that plans or reviews. */
  readonly task: TaskId | null
  /** The worker, planner or reviewer that runs the agent. */
  readonly worker: string
  /** By the clock of the machine of the run. */
  readonly at: number
}

interface AgentSaid {
  readonly type: "agent.said"
  readonly text: string
}

interface AgentUsedTool {
  readonly type: "agent.used_tool"
  readonly tool: string
  /** The file, command or pattern it was used on, shortened; empty when unknown. */
  readonly target: string
}

/** The provider does not answer; the agent retries by itself. */
interface AgentWaiting {
  readonly type: "agent.waiting"
  /** As in the results of runs: `rate-limited`, `overloaded`, `unreachable`. */
  readonly reason: string
  /** Null when unknown. */
  readonly until: number | null
}
