import { claude } from "../../src/agents/claude/program.ts"
import { cliSuite } from "./cli.suite.ts"
import { type Cli, FAKE_KEY } from "./cli-world.ts"
import { OWN_TOOLS } from "./own-tools.ts"
import { ownershipSuite } from "./ownership.suite.ts"

const CLI: Cli = {
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

cliSuite(CLI)
ownershipSuite(CLI, {
  allowing: { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } },
})
