import { codex } from "../../src/agents/codex/program.ts"
import { cliSuite } from "./cli.suite.ts"
import { type Cli, FAKE_KEY } from "./cli-world.ts"

const CLI: Cli = {
  program: codex,
  model: "gpt-5.5",
  variables: () => ({ OPENAI_API_KEY: FAKE_KEY }),
  settings: (url) => ({
    model_provider: "fake",
    model_providers: {
      fake: {
        name: "fake",
        base_url: `${url}/v1`,
        wire_api: "responses",
        env_key: "OPENAI_API_KEY",
        request_max_retries: 1,
        stream_max_retries: 1,
      },
    },
  }),
  write: (path, text) => ({ name: "apply_patch", input: addFile(path, text) }),
  run: (cmd) => ({ name: "exec_command", input: { cmd } }),
  note: (text) => ({ name: "team_note", namespace: "mcp__tiny", input: { text } }),
  structured: (value) => [{ text: JSON.stringify(value) }],
  overflow: {
    status: 400,
    type: "context_length_exceeded",
    message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
  },
  startMs: 6_000,
  hasSandbox: true,
  holdsToOwnedFiles: false,
  tellsRetryTime: false,
  tellsUsageWhileRunning: false,
  brokenAnswer: "crashed",
  keepsBrokenText: false,
  blockWord: "block",
}

function addFile(path: string, text: string): string {
  const lines = text.trimEnd().split("\n")
  return ["*** Begin Patch", `*** Add File: ${path}`, ...lines.map((line) => `+${line}`), "*** End Patch"].join("\n")
}

cliSuite(CLI)
