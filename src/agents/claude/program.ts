import type { AgentProgram } from "../program.ts"
import { readClaudeAccount } from "./account.ts"
import { claudeFacts } from "./facts.ts"
import { launchClaude, openClaude } from "./launch.ts"
import { translateClaude } from "./translate.ts"

export const claude: AgentProgram = {
  ...claudeFacts,
  command: ["claude"],
  capabilities: { resume: true, structuredAnswer: true, mcp: true, hooks: true, messages: true, cost: true },
  versionArgs: ["--version"],
  variables: [
    // The account adds credentials of clouds.
    "ANTHROPIC_*",
    "CLAUDE_CODE_USE_*",
    "CLAUDE_CODE_SKIP_*",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_API_KEY_HELPER_TTL_MS",
    "CLAUDE_CODE_CLIENT_CERT",
    "CLAUDE_CODE_CLIENT_KEY",
    "CLAUDE_CODE_CLIENT_KEY_PASSPHRASE",
    "CLAUDE_CODE_MAX_RETRIES",
    "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
    "CLAUDE_CONFIG_DIR",
    "API_TIMEOUT_MS",
    "DISABLE_PROMPT_CACHING*",
  ],
  account: readClaudeAccount,
  install: "npm install -g @anthropic-ai/claude-code",
  profile: (folder) => ({ CLAUDE_CONFIG_DIR: folder }),
  launch: launchClaude,
  open: openClaude,
  translate: translateClaude,
}
