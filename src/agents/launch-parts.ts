import { quoteArgument } from "../lib/text/quote-argument.ts"
import type { WriteRules } from "../ownership/owned-files.ts"
import type { AgentJob } from "./port.ts"
import type { ProgramConfig } from "./program.ts"

const OWNERSHIP = "ownership.json"

/** Shell commands; exit code 2 denies. */
export interface JobHooks {
  readonly beforeTool: readonly string[]
  readonly beforeStop: readonly string[]
  readonly files: Readonly<Record<string, string>>
}

/** With our own hook that limits the agent to its files. */
export function jobHooks(
  { hooks, ownership, claim, workspace, stateFolder }: AgentJob,
  config: ProgramConfig,
): JobHooks {
  const beforeTool = hooks.beforeTool === undefined ? [] : [hooks.beforeTool]
  const beforeStop = hooks.beforeStop === undefined ? [] : [hooks.beforeStop]
  if (ownership === null) return { beforeTool, beforeStop, files: {} }
  const judge = [...config.judgeWrite, `${stateFolder}/${OWNERSHIP}`].map(quoteArgument).join(" ")
  return {
    // Not in the workspace, whose settings could change our runtime. A failure denies.
    beforeTool: [`cd ${quoteArgument(stateFolder)} && ${judge} || exit 2`, ...beforeTool],
    beforeStop,
    files: { [OWNERSHIP]: JSON.stringify({ workspace, ownership, claim } satisfies WriteRules) },
  }
}

/** In the form of Claude Code, which other programs adopted. */
export function hookEntries(commands: readonly string[], matcher: object = {}): object[] {
  return commands.length === 0 ? [] : [{ ...matcher, hooks: commands.map((command) => ({ type: "command", command })) }]
}

/** For agents that cannot enforce a schema, the prompt asks for the form. */
export function promptOf({ prompt, answerSchema }: AgentJob): string {
  if (answerSchema === null) return prompt
  const schema = JSON.stringify(answerSchema)
  return `${prompt}\n\nYour last message must be one JSON value that fits this JSON schema, and nothing else:\n${schema}`
}

/** Linux allows 128 KB for one argument. */
const MAX_ARGUMENT_BYTES = 100_000

/** On standard input when the prompt is too long or looks like a flag. */
export function placePrompt(job: AgentJob): { readonly argument: string | null; readonly input: string | null } {
  const prompt = promptOf(job)
  const fits = Buffer.byteLength(prompt) <= MAX_ARGUMENT_BYTES && !prompt.startsWith("-")
  return fits ? { argument: prompt, input: null } : { argument: null, input: prompt }
}

/** The word after a flag of `withValue` goes too. */
export function withoutFlags(
  command: readonly string[],
  { alone = [], withValue = [] }: { readonly alone?: readonly string[]; readonly withValue?: readonly string[] },
): string[] {
  return command.filter((word, at) => {
    if (alone.includes(word) || withValue.includes(word)) return false
    return !withValue.includes(command[at - 1] ?? "")
  })
}

/** Empty unless the configuration asks for the user's servers, instructions and skills. */
export function userExtras({ account, hasUserExtras }: ProgramConfig): ProgramConfig["account"]["own"] {
  return hasUserExtras ? account.own : { instructions: [], skills: [], servers: {} }
}

export function joinFiles(paths: readonly string[], { files }: ProgramConfig): string {
  return paths.map((path) => files.read(path) ?? "").join("\n\n")
}
