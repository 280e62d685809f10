import type { AgentProgram } from "../program.ts"
import { launchClaude } from "./launch.ts"
import { openClaude } from "./open.ts"
import { translateClaude } from "./translate.ts"

export const claude: AgentProgram = {
  name: "claude",
  command: ["claude"],
  models: { haiku: "haiku", sonnet: "sonnet", opus: "opus" },
  capabilities: { resume: true, structuredAnswer: true, mcp: true, hooks: true, messages: true, cost: true },
  closesBySchema: true,
  versionArgs: ["--version"],
  variables: [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_MAX_RETRIES",
    "CLAUDE_CONFIG_DIR",
  ],
  login: {
    variables: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
    files: [".claude/.credentials.json", "$CLAUDE_CONFIG_DIR/.credentials.json"],
  },
  profile: (folder) => ({ CLAUDE_CONFIG_DIR: folder }),
  launch: launchClaude,
  open: openClaude,
  translate: translateClaude,
}
