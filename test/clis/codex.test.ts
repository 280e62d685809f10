import { codex } from "../../src/agents/codex/program.ts"
import { cliSuite } from "./cli.suite.ts"
import { type Cli, FAKE_KEY } from "./cli-world.ts"
import { canSandbox } from "./codex-sandbox.ts"
import { OWN_TOOLS } from "./own-tools.ts"

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
  ...OWN_TOOLS.codex,
  structured: (value) => [{ text: JSON.stringify(value) }],
  startMs: 6_000,
  hasSandbox: true,
  lacksSandbox: !canSandbox(),
  holdsToOwnedFiles: false,
  tellsRetryTime: false,
  tellsUsageWhileRunning: false,
  brokenAnswer: "crashed",
  keepsBrokenText: false,
  blockWord: "block",
}

cliSuite(CLI)
