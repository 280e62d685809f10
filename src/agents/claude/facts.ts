import type { ProgramFacts } from "../program-facts.ts"

export const claudeFacts = {
  name: "claude",
  title: "Claude Code",
  models: { haiku: "haiku", sonnet: "sonnet", opus: "opus" },
  prices: [
    "haiku=1/0.1/5@2026-06-04",
    "sonnet=3/0.3/15@2026-06-04",
    "opus=5/0.5/25@2026-06-04",
    "claude-haiku-4-5=1/0.1/5@2026-06-04",
    "claude-sonnet-4-5=3/0.3/15@2026-06-04",
    "claude-opus-4-5=5/0.5/25@2026-06-04",
  ],
  promptLimit: 80_000,
  login: { command: "claude auth login", key: "ANTHROPIC_API_KEY", folderVariable: "CLAUDE_CONFIG_DIR" },
  profileFolder: "the folder is what CLAUDE_CONFIG_DIR names",
  routing: { kinds: ["build loop", "coordination"], contextTokens: 200_000, isGeneral: true },
  canJudge: true,
  tools: { writing: ["Edit", "MultiEdit", "Write", "NotebookEdit"], shell: ["Bash"], reportsExitCode: true },
  closesBySchema: true,
  serverFiles: [{ path: ".mcp.json", key: "mcpServers" }],
} as const satisfies ProgramFacts
