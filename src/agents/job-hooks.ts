import { quoteArgument } from "../lib/text/quote-argument.ts"
import type { WriteRules } from "../ownership/owned-files.ts"
import type { AgentJob } from "./port.ts"
import type { ProgramConfig } from "./program.ts"

const OWNERSHIP = "ownership.json"

/** Shell commands; one that ends with 2 denies. */
export interface JobHooks {
  readonly beforeTool: readonly string[]
  readonly beforeStop: readonly string[]
  /** What they read, for the state folder. */
  readonly files: Readonly<Record<string, string>>
}

/** The hooks that a launch sets: those of the job, and ours that holds it to its owned files. */
export function jobHooks(
  { hooks, ownership, claim, workspace, stateFolder }: AgentJob,
  config: ProgramConfig,
): JobHooks {
  const beforeTool = hooks.beforeTool === undefined ? [] : [hooks.beforeTool]
  const beforeStop = hooks.beforeStop === undefined ? [] : [hooks.beforeStop]
  if (ownership === null) return { beforeTool, beforeStop, files: {} }
  const judge = [...config.judgeWrite, `${stateFolder}/${OWNERSHIP}`].map(quoteArgument).join(" ")
  return {
    // Not from the workspace, whose settings for our runtime are none of ours; and what fails denies.
    beforeTool: [`cd ${quoteArgument(stateFolder)} && ${judge} || exit 2`, ...beforeTool],
    beforeStop,
    files: { [OWNERSHIP]: JSON.stringify({ workspace, ownership, claim } satisfies WriteRules) },
  }
}

/** In the form that Claude Code made and others took over. */
export function hookEntries(commands: readonly string[], matcher: object = {}): object[] {
  return commands.length === 0 ? [] : [{ ...matcher, hooks: commands.map((command) => ({ type: "command", command })) }]
}
