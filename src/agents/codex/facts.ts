import type { ProgramFacts } from "../program-facts.ts"

export const codexFacts = {
  name: "codex",
  title: "Codex",
  // One model; the tier chooses its effort.
  models: { haiku: "gpt-5.5", sonnet: "gpt-5.5", opus: "gpt-5.5" },
  prices: ["gpt-5.5=5/0.5/30@2026-06-04"],
  promptLimit: 50_000,
  login: { command: "codex login", key: "OPENAI_API_KEY", folderVariable: "CODEX_HOME" },
  profileFolder: "the folder is what CODEX_HOME names",
  routing: {
    domain: "backend",
    kinds: ["review", "security audit", "architecture", "refactor"],
    contextTokens: 128_000,
  },
  canJudge: true,
  tools: {
    writing: ["file_change"],
    shell: ["shell", "shell_command", "local_shell", "exec_command", "command"],
    reportsExitCode: true,
  },
  serverFiles: [{ path: ".codex/config.toml", key: "mcp_servers" }],
} as const satisfies ProgramFacts
