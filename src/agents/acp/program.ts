import type { Capabilities } from "../port.ts"
import type { AgentProgram, Launch, ProgramConfig } from "../program.ts"
import { initializeLine } from "./acp-wire.ts"
import { acpFacts } from "./facts.ts"
import { isFree } from "./permission.ts"
import { probeAcp } from "./probe.ts"
import { translateAcp } from "./translate.ts"

const CAPABILITIES: Capabilities = {
  resume: true,
  structuredAnswer: false,
  mcp: true,
  hooks: false,
  messages: true,
  cost: true,
}

/**
 * Any agent of the Agent Client Protocol; configuration names its command, for example `gemini --acp`. In its settings
 * `modes` may name the mode of the agent for each permission. An agent that does not ask before it acts is not held
 * back: it needs a mode or a configuration of its own in which it asks.
 */
export const acp: AgentProgram = {
  ...acpFacts,
  command: ["acp-agent"],
  capabilities: CAPABILITIES,
  versionArgs: [],
  // What the adapters of the single programs let through as well, and where a bridge finds the program it drives.
  variables: [
    "ANTHROPIC_*",
    "CLAUDE_CODE_USE_*",
    "CLAUDE_CODE_SKIP_*",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_EXECUTABLE",
    "CLAUDE_CONFIG_DIR",
    "CODEX_API_KEY",
    "CODEX_HOME",
    "CODEX_PATH",
    "OPENAI_*",
    "GEMINI_API_KEY",
    "GEMINI_CLI_HOME",
    "GOOGLE_*",
    "OPENCODE_API_KEY",
    "OPENROUTER_API_KEY",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_CACHE_HOME",
  ],
  launch: (job, config) => launchAcp(config, isFree(job) ? {} : ASKING),
  translate: translateAcp,
  probe: (config) => probeAcp(launchAcp(config, {}), CAPABILITIES),
}

/** OpenCode has no mode in which it asks, and without this it would do everything. Nobody else knows the variable. */
const ASKING = {
  OPENCODE_PERMISSION: JSON.stringify({ edit: "ask", bash: "ask", webfetch: "ask", external_directory: "ask" }),
}

/** All that a job says goes over the wire. */
function launchAcp({ command, args }: ProgramConfig, env: Launch["env"]): Launch {
  return { command: [...command, ...args], env, files: {}, links: {}, input: initializeLine(), encodeMessage: null }
}
