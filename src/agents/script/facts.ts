import type { ProgramFacts } from "../program-facts.ts"

/** Runs the commands of the task. */
export const scriptFacts = {
  name: "script",
  title: "the shell of scripts",
  models: { haiku: "", sonnet: "", opus: "" },
  prices: [],
  promptLimit: null,
  routing: { kinds: [] },
  canJudge: false,
  tools: { writing: [], shell: ["shell"] },
  serverFiles: [],
} as const satisfies ProgramFacts
