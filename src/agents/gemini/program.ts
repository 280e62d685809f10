import type { AgentProgram } from "../program.ts"
import { readGeminiAccount } from "./account.ts"
import { geminiFacts } from "./facts.ts"
import { launchGemini, openGemini } from "./launch.ts"
import { translateGemini } from "./translate.ts"

export const gemini: AgentProgram = {
  ...geminiFacts,
  command: ["gemini"],
  capabilities: { resume: true, structuredAnswer: false, mcp: true, hooks: true, messages: false, cost: false },
  versionArgs: ["--version"],
  variables: ["GEMINI_API_KEY", "GEMINI_API_KEY_AUTH_MECHANISM", "GEMINI_CLI_HOME", "GOOGLE_*", "CODE_ASSIST_ENDPOINT"],
  account: readGeminiAccount,
  install: "npm install -g @google/gemini-cli",
  profile: (folder) => ({ GEMINI_CLI_HOME: folder }),
  launch: launchGemini,
  open: openGemini,
  translate: translateGemini,
}
