import type { ProgramFacts } from "../program-facts.ts"

export const geminiFacts = {
  name: "gemini",
  title: "Gemini CLI",
  models: { haiku: "gemini-2.5-flash-lite", sonnet: "gemini-2.5-flash", opus: "gemini-2.5-pro" },
  prices: [
    "gemini-2.5-flash-lite=0.1/0.01/0.4@2026-06-04",
    "gemini-2.5-flash=0.3/0.03/2.5@2026-06-04",
    "gemini-2.5-pro=1.25/0.125/10@2026-06-04",
  ],
  promptLimit: 400_000,
  login: {
    command: "gemini",
    step: " and choose a login",
    key: "GEMINI_API_KEY",
    folderVariable: "GEMINI_CLI_HOME",
  },
  profileFolder: "the folder is what GEMINI_CLI_HOME names and holds .gemini",
  routing: { domain: "frontend", kinds: ["ui", "documents"], contextTokens: 1_000_000 },
  canJudge: true,
  tools: { writing: ["write_file", "replace", "edit"], shell: ["run_shell_command"] },
  // Gemini reads the project's whole settings file by itself: see `project-settings.ts`.
  serverFiles: [],
} as const satisfies ProgramFacts
