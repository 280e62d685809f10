import type { AgentProgram } from "../program.ts"
import { launchGemini } from "./launch.ts"
import { openGemini } from "./open.ts"
import { translateGemini } from "./translate.ts"

export const gemini: AgentProgram = {
  name: "gemini",
  command: ["gemini"],
  models: { haiku: "gemini-2.5-flash-lite", sonnet: "gemini-2.5-flash", opus: "gemini-2.5-pro" },
  capabilities: { resume: true, structuredAnswer: false, mcp: true, hooks: true, messages: false, cost: false },
  versionArgs: ["--version"],
  variables: ["GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_CLOUD_PROJECT"],
  login: { variables: ["GEMINI_API_KEY"], files: [".gemini/oauth_creds.json"] },
  profile: (folder) => ({ GEMINI_CLI_HOME: folder }),
  launch: launchGemini,
  open: openGemini,
  translate: translateGemini,
}
