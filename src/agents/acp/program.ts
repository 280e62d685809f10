import type { AgentProgram } from "../program.ts"
import { translateAcp } from "./translate.ts"
import { initializeLine } from "./wire.ts"

/**
 * Any agent of the Agent Client Protocol; configuration names its command, for example `gemini --acp`. In its settings
 * `modes` may name the mode of the agent for each permission. An agent that does not ask before it acts is not held
 * back: it needs a mode or a configuration of its own in which it asks.
 */
export const acp: AgentProgram = {
  name: "acp",
  command: ["acp-agent"],
  // What the agent itself takes, unless configuration names something.
  models: { haiku: "", sonnet: "", opus: "" },
  capabilities: { resume: true, structuredAnswer: false, mcp: true, hooks: false, messages: true, cost: true },
  versionArgs: ["--version"],
  variables: [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_EXECUTABLE",
    "CODEX_API_KEY",
    "OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "OPENROUTER_API_KEY",
  ],
  login: { variables: [], files: [] },
  launch: (_job, { command, args }) => ({
    command: [...command, ...args],
    env: {},
    files: {},
    links: {},
    input: initializeLine(),
    encodeMessage: null,
  }),
  translate: translateAcp,
}
