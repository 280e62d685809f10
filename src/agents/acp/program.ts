import { asObject, asText, type Json, parseLine } from "../json-line.ts"
import type { Capabilities } from "../port.ts"
import type { AgentProgram, Launch, Probe, ProgramConfig, Translator } from "../program.ts"
import { findWayToResume } from "./acp-session.ts"
import { INITIALIZE_ID, initializeLine, PROTOCOL_VERSION } from "./acp-wire.ts"
import { acpFacts } from "./facts.ts"
import { isFree } from "./permission.ts"
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
 * Any agent of the Agent Client Protocol; a setting names its command, such as `gemini --acp`. We cannot stop an
 * agent that acts without asking: it needs a mode (`agents.acp.mode.*`) or a configuration in which it asks.
 */
export const acp: AgentProgram = {
  ...acpFacts,
  command: ["acp-agent"],
  capabilities: CAPABILITIES,
  versionArgs: [],
  // As for the other programs, and where a bridge finds its program.
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
  probe: (config) => probeAcp(launchAcp(config, {})),
}

/** OpenCode has no asking mode, and without this it would do everything. Other agents ignore the variable. */
const ASKING = {
  OPENCODE_PERMISSION: JSON.stringify({ edit: "ask", bash: "ask", webfetch: "ask", external_directory: "ask" }),
}

function launchAcp({ command, args }: ProgramConfig, env: Launch["env"]): Launch {
  return { command: [...command, ...args], env, files: {}, links: {}, input: initializeLine(), encodeMessage: null }
}

/** Sends only `initialize`: the answer has the capabilities. */
function probeAcp(launch: Launch): Probe {
  let result: Json | undefined
  const translator: Translator = {
    line(text) {
      const message = parseLine(text)
      if (message?.id === INITIALIZE_ID && message.method === undefined) result = asObject(message.result) ?? {}
      return []
    },
    turns: () => 0,
    isOver: () => result !== undefined,
    end: (_exit, stderr) => ({
      reason: "protocol",
      retryAt: null,
      answer: "",
      structured: null,
      session: null,
      error: stderr.trim().split("\n").at(-1) || "it did not answer",
    }),
    dialogue: { takeReplies: () => "", message: ({ id }) => ({ wireId: id, line: "" }), cancel: () => false },
  }
  return {
    launch,
    translator,
    found() {
      if (result?.protocolVersion !== PROTOCOL_VERSION) return undefined
      const resume = findWayToResume(asObject(result.agentCapabilities) ?? {}) !== undefined
      return { version: asText(asObject(result.agentInfo)?.version), capabilities: { ...CAPABILITIES, resume } }
    },
  }
}
