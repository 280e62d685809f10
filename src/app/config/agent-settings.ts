import type { Config, ConfigValue } from "./keys.ts"

/** A setting of one agent; undefined where that agent has none of the name. */
function agentSetting(config: Config, agent: string, name: string): ConfigValue | undefined {
  const values: Readonly<Record<string, ConfigValue | undefined>> = config
  const key = `agents.${agent}.${name}`
  return Object.hasOwn(values, key) ? values[key] : undefined
}

interface Program {
  readonly name: string
  readonly command: readonly string[]
  readonly models: Readonly<Record<"haiku" | "sonnet" | "opus", string>>
}

/** What is not set is left to the program. */
export function agentSettings(config: Config, { name, command, models }: Program) {
  const own = agentSetting(config, name, "command")
  const model = (tier: keyof typeof models) => String(agentSetting(config, name, `model.${tier}`) ?? "") || models[tier]
  return {
    command: Array.isArray(own) && own.length > 0 ? own.map(String) : command,
    models: { haiku: model("haiku"), sonnet: model("sonnet"), opus: model("opus") },
    ...modeSettings(config, name),
    isEnabled: agentSetting(config, name, "enabled") !== false,
  }
}

/** Only for agents that have modes; in the settings of the others nothing is laid over what their adapters make. */
function modeSettings(config: Config, name: string): { settings?: { modes: Record<string, ConfigValue> } } {
  const modes = ["ask", "edit", "full"].flatMap((permission) => {
    const mode = agentSetting(config, name, `mode.${permission}`) ?? ""
    return mode === "" ? [] : [[permission, mode] as const]
  })
  return modes.length === 0 ? {} : { settings: { modes: Object.fromEntries(modes) } }
}

/** The longest prompt for an agent, in characters. */
export function promptLimit(config: Config, agent: string): number {
  return Number(agentSetting(config, agent, "promptLimit") ?? config["agents.acp.promptLimit"])
}
