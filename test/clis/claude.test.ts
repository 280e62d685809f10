import { claude } from "../../src/agents/claude/program.ts"
import { cliSuite } from "./cli.suite.ts"
import { type Cli, FAKE_KEY } from "./cli-world.ts"
import { ownershipSuite } from "./ownership.suite.ts"

const CLI: Cli = {
  program: claude,
  model: "sonnet",
  variables: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: FAKE_KEY, CLAUDE_CODE_MAX_RETRIES: "1" }),
  write: (path, content) => ({ name: "Write", input: { file_path: path, content } }),
  run: (command) => ({ name: "Bash", input: { command, description: "a step" } }),
  note: (text) => ({ name: "mcp__tiny__team_note", input: { text } }),
  structured: (value) => [{ tool: { name: "StructuredOutput", input: value } }, { text: "answered" }],
  overflow: {
    status: 400,
    type: "invalid_request_error",
    message: "prompt is too long: 201000 tokens > 200000 maximum",
  },
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
