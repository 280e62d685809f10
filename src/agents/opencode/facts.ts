import type { ProgramFacts } from "../program-facts.ts"

export const OPENCODE_CONFIG_FILES = ["opencode.json", "opencode.jsonc", ".opencode/opencode.json"] as const

export const opencodeFacts = {
  name: "opencode",
  title: "OpenCode",
  models: {
    haiku: "anthropic/claude-haiku-4-5",
    sonnet: "anthropic/claude-sonnet-4-5",
    opus: "anthropic/claude-opus-4-5",
  },
  prices: [],
  promptLimit: 50_000,
  login: { command: "opencode auth login", key: "the key of a provider", folderVariable: "HOME" },
  profileFolder: "the folder holds .config/opencode and .local/share/opencode",
  routing: { kinds: [] },
  canJudge: true,
  tools: { writing: ["write", "edit", "patch", "multiedit", "apply_patch"], shell: ["bash"] },
  serverFiles: OPENCODE_CONFIG_FILES.map((path) => ({ path, key: "mcp" })),
} as const satisfies ProgramFacts
