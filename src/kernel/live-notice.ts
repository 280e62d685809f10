import type { TaskId } from "./ids.ts"

/**
 * What goes on inside of a run of an agent, for whoever looks on. Not an event: a notice has no number and no version, is
 * not in the store and is never told again. It may come late, twice or not at all, as for a run on another machine. So it
 * is for showing; nothing may be decided by it. Secrets are masked, as in the recording that it is read from.
 */
export type LiveNotice = NoticePlace & (AgentSaid | AgentUsedTool | AgentWaiting)

interface NoticePlace {
  readonly run: string
  /** Null for a run that plans or reviews. */
  readonly task: TaskId | null
  /** Who had the agent run. */
  readonly worker: string
  /** By the clock of the machine that it ran on. */
  readonly at: number
}

interface AgentSaid {
  readonly type: "agent.said"
  readonly text: string
}

interface AgentUsedTool {
  readonly type: "agent.used_tool"
  readonly tool: string
  /** The file, command or pattern it was used on, in a few words; empty where nothing tells. */
  readonly target: string
}

/** Its provider does not answer, and it tries again by itself. */
interface AgentWaiting {
  readonly type: "agent.waiting"
  /** As in the results of runs: `rate-limited`, `overloaded`, `unreachable`. */
  readonly reason: string
  /** Null when it does not say. */
  readonly until: number | null
}
