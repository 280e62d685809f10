import type { AgentProgram } from "../program.ts"
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
  variables: ["OPENAI_API_KEY", "CODEX_API_KEY", "CODEX_HOME"],
  login: { variables: ["OPENAI_API_KEY", "CODEX_API_KEY"], files: [".codex/auth.json", "$CODEX_HOME/auth.json"] },
  profile: (folder) => ({ CODEX_HOME: folder }),
  launch: launchCodex,
  open: openCodex,
  translate: translateCodex,
}
