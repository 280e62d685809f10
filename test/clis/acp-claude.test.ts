import { acp } from "../../src/agents/acp/program.ts"
import { cliSuite } from "./cli.suite.ts"
import { type Cli, commandOf, FAKE_KEY } from "./cli-world.ts"
import { OWN_TOOLS } from "./own-tools.ts"
import { findPinned } from "./pinned.ts"

const CLI: Cli = {
  program: acp,
  pinned: "claude-agent-acp",
  model: "sonnet",
  variables: (url) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: FAKE_KEY,
    CLAUDE_CODE_EXECUTABLE: commandOf(findPinned("claude")),
  }),
  home: () => ({
    ".claude/settings.json": {
      env: {
        DISABLE_TELEMETRY: "1",
        DISABLE_ERROR_REPORTING: "1",
        DISABLE_AUTOUPDATER: "1",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        CLAUDE_CODE_MAX_RETRIES: "1",
      },
    },
  }),
  ...OWN_TOOLS.claude,
  structured: (value) => [{ text: JSON.stringify(value) }],
  startMs: 6_000,
  hasSandbox: false,
  tellsRetryTime: true,
  tellsUsageWhileRunning: false,
  tellsContextWhileRunning: true,
  brokenAnswer: "crashed",
  keepsBrokenText: false,
  blockWord: "block",
}

cliSuite(CLI)
