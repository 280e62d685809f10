import type { SetupReport } from "../../checkouts/setup-report.ts"
import { detectCommands } from "../../quality/gates/detect-commands.ts"
import type { TreeFiles } from "../../quality/gates/port.ts"
import type { GateSetup } from "../../quality/verify/verifier.ts"
import type { OwnSettings } from "../host.ts"

/** A program that a repository would have us start, or a place that it would have us use. */
export interface ProgramToStart {
  /** What it is for, such as `test` or `setting workspace.setup`. */
  readonly what: string
  readonly line: string
  /** The file that says so. */
  readonly from: string
  /** What the file says the line does, where the line alone does not. */
  readonly script?: string
}

/** Everything that the committed files of a repository would start. What a person set at home or typed is their own word. */
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

/** What sets up a checkout. A command of `workspace.setup` is a setting, of the repository or of the person's own. */
export function listSteps({ mode, steps }: SetupReport): ProgramToStart[] {
  if (mode !== "automatic") return []
  return steps.map(({ command, folder, reason }) => ({
    what: "set-up",
    line: folder === "" ? command : `${command} in ${folder}`,
    from: reason,
  }))
}

/** Settings of agent programs that stand in the repository: servers and hooks that an agent starts by itself. */
const AGENT_FILES: readonly (readonly [string, string])[] = [
  [".mcp.json", "mcpServers"],
  [".claude/settings.json", "hooks"],
  [".gemini/settings.json", "mcpServers"],
  ["opencode.json", "mcp"],
]

async function agentPrograms(tree: TreeFiles): Promise<ProgramToStart[]> {
  const found: ProgramToStart[] = []
  for (const [path, key] of AGENT_FILES) {
    const at = path.lastIndexOf("/")
    if (!(await tree.list(path.slice(0, Math.max(at, 0)))).includes(path.slice(at + 1))) continue
    const what = key === "hooks" ? "hook of an agent" : "MCP server of an agent"
    for (const line of commandsIn(parse(await tree.read(path))?.[key])) found.push({ what, line, from: path })
  }
  return found
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === "object" && json !== null ? (json as Record<string, unknown>) : undefined
  } catch {
    // The agent cannot read it either.
    return undefined
  }
}

/** Every `command`, at any depth, with its arguments. */
function commandsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return []
  const { command, args } = value as Record<string, unknown>
  const words = [command, args].flat().filter((word) => typeof word === "string")
  const own = typeof command === "string" || Array.isArray(command) ? [words.join(" ")] : []
  return [...own, ...Object.values(value).flatMap(commandsIn)]
}
