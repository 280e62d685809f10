import type { AgentProgram } from "../program.ts"
import { readCodexAccount } from "./account.ts"
import { launchCodex } from "./launch.ts"
import { openCodex } from "./open.ts"
import { translateCodex } from "./translate.ts"

export const codex: AgentProgram = {
  name: "codex",
  command: ["codex"],
  // One model, with an effort by tier.
  models: { haiku: "gpt-5.5", sonnet: "gpt-5.5", opus: "gpt-5.5" },
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
