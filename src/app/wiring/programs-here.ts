import { parseTable } from "../../agents/account.ts"
import { SKILL_FILE, SKILL_FOLDERS, skillProgram } from "../../agents/claude/project-skills.ts"
import { PROJECT_SETTINGS, settingsProgram } from "../../agents/gemini/project-settings.ts"
import { PROGRAMS } from "../../agents/programs.ts"
import { serverProgram, serversIn } from "../../agents/project-setup.ts"
import type { SetupReport } from "../../checkouts/setup-report.ts"
import { detectCommands } from "../../quality/gates/detect-commands.ts"
import type { TreeFiles } from "../../quality/gates/port.ts"
import type { GateSetup } from "../../quality/verify/verifier.ts"
import type { OwnSettings } from "../host.ts"

/** A program that files of the repository would start, or a place that they would use. */
export interface ProgramToStart {
  /** `test` or `setting workspace.setup` */
  readonly what: string
  readonly line: string
  readonly from: string
  /** The script behind the line, if it has one. */
  readonly script?: string
}

/** From the committed files only: a person's own settings and arguments need no consent. */
export async function listPrograms(
  { repository, settings }: Pick<GateSetup, "repository" | "settings">,
  own: OwnSettings,
): Promise<ProgramToStart[]> {
  const written = own.needTrust.map(([key, value]) => ({
    what: `setting ${key}`,
    line: Array.isArray(value) ? value.join("; ") : String(value),
    from: "teamwork.json",
  }))
  const head = await repository.find("HEAD")
  if (head === undefined) return written
  const tree = repository.openTree(head.tree)
  const found = (await detectCommands(tree)).flatMap(({ kind, line, from, script }) => {
    const isUsed = kind !== "accept" && settings.kinds[kind].isEnabled && settings.kinds[kind].lines.length === 0
    return isUsed && from !== null ? [{ what: kind, line, from, ...(script === "" ? {} : { script }) }] : []
  })
  return [...written, ...found, ...(await agentPrograms(tree))]
}

/** `listPrograms` lists a command of `workspace.setup`, since it is a setting. */
export function listSteps({ mode, steps }: SetupReport): ProgramToStart[] {
  if (mode !== "automatic") return []
  return steps.map(({ command, folder, reason }) => ({
    what: "set-up",
    line: folder === "" ? command : `${command} in ${folder}`,
    from: reason,
  }))
}

/** Claude Code runs these hooks in every session in the repository. */
const HOOK_FILE = ".claude/settings.json"

/** MCP servers and hooks in the agent settings of the repository. */
async function agentPrograms(tree: TreeFiles): Promise<ProgramToStart[]> {
  const read = async (path: string): Promise<string | undefined> => {
    const at = path.lastIndexOf("/")
    const isThere = (await tree.list(path.slice(0, Math.max(at, 0)))).includes(path.slice(at + 1))
    return isThere ? tree.read(path) : undefined
  }
  const found: ProgramToStart[] = []
  for (const file of PROGRAMS.flatMap(({ serverFiles }) => serverFiles))
    found.push(...serversIn(file, await read(file.path)).map(serverProgram))
  for (const line of commandsIn(parseTable(await read(HOOK_FILE)).hooks))
    found.push({ what: "hook of an agent", line, from: HOOK_FILE })
  for (const path of await skillFiles(tree)) {
    const program = skillProgram(path, await read(path))
    if (program !== undefined) found.push(program)
  }
  const ofGemini = settingsProgram(await read(PROJECT_SETTINGS))
  return ofGemini === undefined ? found : [...found, ofGemini]
}

async function skillFiles(tree: TreeFiles): Promise<string[]> {
  const folders = await Promise.all(SKILL_FOLDERS.map(async (folder) => [folder, await tree.list(folder)] as const))
  return folders.flatMap(([folder, names]) =>
    names.filter((name) => name.endsWith("/")).map((name) => `${folder}/${name}${SKILL_FILE}`),
  )
}

function commandsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return []
  const { command } = value as Record<string, unknown>
  return [...(typeof command === "string" ? [command] : []), ...Object.values(value).flatMap(commandsIn)]
}
