import type { ProgramFacts } from "../program-facts.ts"

export const acpFacts = {
  name: "acp",
  title: "an agent of the Agent Client Protocol",
  models: { haiku: "", sonnet: "", opus: "" },
  prices: [],
  promptLimit: 40_000,
  isNamedBySetting: true,
  hasModes: true,
  routing: { kinds: [] },
  canJudge: true,
  tools: { writing: ["edit", "delete", "move"], shell: ["execute"] },
  serverFiles: [],
} as const satisfies ProgramFacts
