import type { AgentProgram } from "../program.ts"
import { readCodexAccount } from "./account.ts"
import { codexFacts } from "./facts.ts"
import { launchCodex, openCodex } from "./launch.ts"
import { translateCodex } from "./translate.ts"

export const codex: AgentProgram = {
  ...codexFacts,
  command: ["codex"],
  capabilities: { resume: true, structuredAnswer: true, mcp: true, hooks: true, messages: false, cost: false },
  versionArgs: ["--version"],
  variables: ["OPENAI_*", "CODEX_API_KEY", "CODEX_ACCESS_TOKEN", "CODEX_HOME", "CODEX_CA_CERTIFICATE"],
  account: readCodexAccount,
  install: "npm install -g @openai/codex",
  profile: (folder) => ({ CODEX_HOME: folder }),
  launch: launchCodex,
  open: openCodex,
  translate: translateCodex,
}
