import type { AgentProgram } from "../program.ts"
import { PROVIDER_KEYS, readOpencodeAccount } from "./account.ts"
import { opencodeFacts } from "./facts.ts"
import { launchOpencode, openOpencode } from "./launch.ts"
import { translateOpencode } from "./translate.ts"

export const opencode: AgentProgram = {
  ...opencodeFacts,
  command: ["opencode"],
  capabilities: { resume: true, structuredAnswer: false, mcp: true, hooks: false, messages: false, cost: true },
  versionArgs: ["--version"],
  variables: [
    ...PROVIDER_KEYS,
    "OPENCODE_CONFIG",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_CACHE_HOME",
  ],
  account: readOpencodeAccount,
  install: "npm install -g opencode-ai",
  // Like a home, so that `HOME=FOLDER opencode auth login` makes the account.
  profile: (folder) => ({
    XDG_CONFIG_HOME: `${folder}/.config`,
    XDG_DATA_HOME: `${folder}/.local/share`,
    XDG_STATE_HOME: `${folder}/.local/state`,
  }),
  launch: launchOpencode,
  open: openOpencode,
  translate: translateOpencode,
}
