import type { AgentJob, Limits } from "./port.ts"

export const NO_LIMITS: Limits = { turns: null, timeMs: null, tokens: null, dollars: null, outputBytes: null }

/** By default the agent may only read. */
export function makeAgentJob(
  given: Pick<AgentJob, "prompt" | "workspace" | "stateFolder" | "env"> & Partial<AgentJob>,
): AgentJob {
  return {
    commands: [],
    model: null,
    tier: "sonnet",
    effort: null,
    allowedTools: [],
    deniedTools: [],
    ownership: null,
    mcpServers: {},
    hooks: {},
    answerSchema: null,
    resume: null,
    permission: "ask",
    limits: NO_LIMITS,
    ...given,
  }
}
