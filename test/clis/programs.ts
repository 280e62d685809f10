// The four programs as tests drive them: how each finds the scripted model, and in what it differs from the others.
import { acp } from "../../src/agents/acp/program.ts"
import { claude } from "../../src/agents/claude/program.ts"
import { codex } from "../../src/agents/codex/program.ts"
import { gemini } from "../../src/agents/gemini/program.ts"
import { opencode } from "../../src/agents/opencode/program.ts"
import { type Cli, FAKE_KEY } from "./cli-world.ts"
import { canSandbox } from "./codex-sandbox.ts"
import { OWN_TOOLS } from "./own-tools.ts"

export const CLAUDE: Cli = {
  program: claude,
  model: "sonnet",
  variables: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: FAKE_KEY, CLAUDE_CODE_MAX_RETRIES: "1" }),
  ...OWN_TOOLS.claude,
  structured: (value) => [{ tool: { name: "StructuredOutput", input: value } }, { text: "answered" }],
  startMs: 6_000,
  hasSandbox: false,
  tellsRetryTime: true,
  tellsUsageWhileRunning: true,
  brokenAnswer: "crashed",
  keepsBrokenText: false,
  blockWord: "block",
}

export const CODEX: Cli = {
  program: codex,
  model: "gpt-5.5",
  variables: () => ({ OPENAI_API_KEY: FAKE_KEY }),
  settings: (url) => codexSettings(url, { request_max_retries: 1, stream_max_retries: 1 }),
  ...OWN_TOOLS.codex,
  structured: (value) => [{ text: JSON.stringify(value) }],
  startMs: 6_000,
  hasSandbox: true,
  lacksSandbox: !canSandbox(),
  tellsRetryTime: false,
  tellsUsageWhileRunning: false,
  brokenAnswer: "crashed",
  keepsBrokenText: false,
  blockWord: "block",
}

function codexSettings(url: string, more: Readonly<Record<string, number>> = {}) {
  const fake = { name: "fake", base_url: `${url}/v1`, wire_api: "responses", env_key: "OPENAI_API_KEY", ...more }
  return { model_provider: "fake", model_providers: { fake } }
}

export const GEMINI: Cli = {
  program: gemini,
  model: "gemini-2.5-flash",
  variables: (url) => ({ GEMINI_API_KEY: FAKE_KEY, GOOGLE_GEMINI_BASE_URL: url }),
  ...OWN_TOOLS.gemini,
  structured: (value) => [{ text: JSON.stringify(value) }],
  startMs: 6_000,
  hasSandbox: false,
  tellsRetryTime: true,
  tellsUsageWhileRunning: false,
  brokenAnswer: "crashed",
  keepsBrokenText: true,
  blockWord: "deny",
}

export const OPENCODE: Cli = {
  program: opencode,
  model: "fake/model",
  variables: () => ({ OPENAI_API_KEY: FAKE_KEY }),
  settings: (url) => ({
    provider: {
      fake: {
        npm: "@ai-sdk/openai-compatible",
        name: "fake",
        options: { baseURL: `${url}/v1`, apiKey: FAKE_KEY },
        models: { model: { name: "model", tool_call: true, cost: { input: 1, output: 2 } } },
      },
    },
  }),
  ...OWN_TOOLS.opencode,
  structured: (value) => [{ text: JSON.stringify(value) }],
  unknownSession: "ses_0000000000000000000000000",
  startMs: 10_000,
  hasSandbox: false,
  tellsRetryTime: true,
  tellsUsageWhileRunning: true,
  brokenAnswer: "timed-out",
  keepsBrokenText: false,
  blockWord: "block",
}

/** OpenCode as an agent of the Agent Client Protocol. */
export const ACP_OPENCODE: Cli = {
  program: acp,
  pinned: "opencode",
  args: ["acp"],
  model: "fake/model",
  variables: () => ({ OPENAI_API_KEY: FAKE_KEY }),
  home: (url) => ({
    ".config/opencode/opencode.json": {
      autoupdate: false,
      model: "fake/model",
      small_model: "fake/model",
      provider: {
        fake: {
          npm: "@ai-sdk/openai-compatible",
          name: "fake",
          options: { baseURL: `${url}/v1`, apiKey: FAKE_KEY },
          models: {
            model: {
              name: "model",
              tool_call: true,
              cost: { input: 1, output: 2 },
              limit: { context: 128_000, output: 4096 },
            },
          },
        },
      },
    },
  }),
  ...OWN_TOOLS.opencode,
  structured: (value) => [{ text: JSON.stringify(value) }],
  unknownSession: "ses_0000000000000000000000000",
  startMs: 10_000,
  hasSandbox: false,
  tellsRetryTime: true,
  tellsUsageWhileRunning: false,
  shortensByItself: true,
  brokenAnswer: "timed-out",
  keepsBrokenText: true,
  blockWord: "block",
}

/** With the retries that a user has, who sets none. */
export const AS_INSTALLED: readonly Cli[] = [
  { ...CLAUDE, variables: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: FAKE_KEY }) },
  { ...CODEX, settings: (url) => codexSettings(url) },
  GEMINI,
  OPENCODE,
]
