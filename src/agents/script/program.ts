import type { AgentProgram } from "../program.ts"
import { scriptFacts } from "./facts.ts"
import { DRIVER, translateScript } from "./translate.ts"

/** Done when each command of the task exits with 0. */
export const script: AgentProgram = {
  ...scriptFacts,
  command: ["sh"],
  capabilities: { resume: false, structuredAnswer: false, mcp: false, hooks: false, messages: false, cost: false },
  versionArgs: ["-c", "echo 1.0"],
  variables: [],
  launch: ({ commands }, { command }) => ({
    command: [...command, "-c", DRIVER, command[0] ?? "sh", ...commands],
    env: {},
    files: {},
    links: {},
    input: null,
    encodeMessage: null,
  }),
  translate: translateScript,
}
