import { gemini } from "../../src/agents/gemini/program.ts"
import { cliSuite } from "./cli.suite.ts"
import { type Cli, FAKE_KEY } from "./cli-world.ts"
import { ownershipSuite } from "./ownership.suite.ts"

const CLI: Cli = {
  program: gemini,
  model: "gemini-2.5-flash",
  variables: (url) => ({ GEMINI_API_KEY: FAKE_KEY, GOOGLE_GEMINI_BASE_URL: url }),
  write: (path, content) => ({ name: "write_file", input: { file_path: path, content } }),
  run: (command) => ({ name: "run_shell_command", input: { command, description: "a step" } }),
  note: (text) => ({ name: "mcp_tiny_team_note", input: { text } }),
  structured: (value) => [{ text: JSON.stringify(value) }],
  overflow: {
    status: 400,
    type: "INVALID_ARGUMENT",
    message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
  },
  startMs: 10_000,
  hasSandbox: false,
  tellsRetryTime: true,
  tellsUsageWhileRunning: false,
  brokenAnswer: "crashed",
  keepsBrokenText: true,
  blockWord: "deny",
}

cliSuite(CLI)
ownershipSuite(CLI, {
  denied: [replace("greeting.txt"), replace("src/../greeting.txt")],
  allowed: [replace("src/mine.txt")],
  allowing: { decision: "allow" },
})

function replace(file_path: string) {
  const input = { file_path, old_string: "good day", new_string: "good night", instruction: "a change" }
  return { name: "replace", input }
}
