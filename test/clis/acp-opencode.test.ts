import { acp } from "../../src/agents/acp/program.ts"
import { cliSuite } from "./cli.suite.ts"
import { type Cli, FAKE_KEY } from "./cli-world.ts"
import { OWN_TOOLS } from "./own-tools.ts"

const CLI: Cli = {
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

cliSuite(CLI)
