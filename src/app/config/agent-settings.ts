import { existsSync } from "node:fs"
import type { AgentProgram } from "../../agents/program.ts"
import { programOf } from "../../agents/program-of.ts"
import { AppError } from "../../kernel/errors.ts"
import { resolvePath } from "../../lib/paths.ts"
import { splitArguments } from "../../lib/text/split-arguments.ts"
import type { SettingValue } from "./setting.ts"
import { type Config, isSettingKey } from "./settings.ts"

function agentSetting(config: Config, agent: string, name: string): SettingValue | undefined {
  const key = `agents.${programOf(agent)}.${name}`
  return isSettingKey(key) ? config(key) : undefined
}

export function agentSettings(
  config: Config,
  { name, command, models }: Pick<AgentProgram, "name" | "command" | "models">,
) {
  const own = agentSetting(config, name, "command")
  const model = (tier: keyof typeof models) => String(agentSetting(config, name, `model.${tier}`) ?? "") || models[tier]
  return {
    command: commandOf(own, `agents.${name}.command`) ?? command,
    models: { haiku: model("haiku"), sonnet: model("sonnet"), opus: model("opus") },
    ...modeSettings(config, name),
    isEnabled: agentSetting(config, name, "enabled") !== false,
  }
}

/** Splits a command that is set as one line. Undefined if none is set. */
export function commandOf(value: unknown, key: string): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined
  const [line, ...more] = value.map(String)
  if (line === undefined || more.length > 0 || !/[\s"'\\]/.test(line) || existsSync(line)) return value.map(String)
  const words = splitArguments(line)
  if (words === undefined || words.length === 0)
    throw new AppError("config.bad_value", `${key}: ${line} is not a command line: a quote does not end`, { key })
  return words
}

interface AgentProfileFolder {
  readonly name: string
  readonly folder: string
}

/** The schema guarantees NAME=FOLDER for each row. */
export function agentProfiles(config: Config, program: string, userHome: string): AgentProfileFolder[] {
  const rows = agentSetting(config, program, "profiles")
  const profiles = (Array.isArray(rows) ? rows.map(String) : []).map((row) => {
    const at = row.indexOf("=")
    const folder = row.slice(at + 1)
    return { name: row.slice(0, at), folder: resolvePath(folder.startsWith("~") ? userHome + folder.slice(1) : folder) }
  })
  const duplicate = profiles.find(({ name }, index) => profiles.findIndex((each) => each.name === name) !== index)
  if (duplicate !== undefined)
    throw new AppError("config.bad_value", `agents.${program}.profiles names ${duplicate.name} twice; keep one of them`)
  return profiles
}

/** Empty for agents without modes, so that their adapters decide. */
function modeSettings(config: Config, name: string): { settings?: { modes: Record<string, SettingValue> } } {
  const modes = ["ask", "edit", "full"].flatMap((permission) => {
    const mode = agentSetting(config, name, `mode.${permission}`) ?? ""
    return mode === "" ? [] : [[permission, mode] as const]
  })
  return modes.length === 0 ? {} : { settings: { modes: Object.fromEntries(modes) } }
}

/** In characters. */
export function promptLimit(config: Config, agent: string): number {
  return Number(agentSetting(config, agent, "promptLimit") ?? config("agents.acp.promptLimit"))
}
