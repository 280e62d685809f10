import * as v from "valibot"
import type { AgentKey } from "./program-settings.ts"
import type { Setting, SettingValue } from "./setting.ts"
import { SETTINGS } from "./settings-table.ts"

type Settings = typeof SETTINGS
export type SettingKey = keyof Settings | AgentKey
type ValueOf<Key extends SettingKey> = Key extends keyof Settings ? ReturnType<Settings[Key]>["default"] : SettingValue
/** `config("team.maxAgents")` */
export type Config = <Key extends SettingKey>(key: Key) => ValueOf<Key>

export const SETTING_KEYS = Object.keys(SETTINGS) as readonly SettingKey[]

export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(SETTINGS, key)
}

export function getSetting<Key extends SettingKey>(key: Key): Setting<ValueOf<Key>> {
  if (!isSettingKey(key)) throw new Error(`there is no setting ${key}`)
  const settings: Readonly<Record<string, () => Setting>> = SETTINGS
  return settings[key]?.() as Setting<ValueOf<Key>>
}

/** Exceptions; the others are TEAMWORK_ and the key in upper snake case. */
const VARIABLES: Readonly<{ [Key in SettingKey]?: string }> = {
  "defaults.project": "TEAMWORK_PROJECT",
  "defaults.team": "TEAMWORK_TEAM",
  projectsDirectory: "CLAWD_PROJECTS_DIR",
  "team.agentTimeoutSeconds": "AGENT_TIMEOUT_SECONDS",
}

export function variableOf(key: SettingKey): string {
  const name = key.replaceAll(/[.A-Z]/g, (at) => (at === "." ? "_" : `_${at}`)).toUpperCase()
  return VARIABLES[key] ?? `TEAMWORK_${name}`
}

/** False only if the variable certainly sets no key. */
export function mayBeSetting(variable: string): boolean {
  return variable.startsWith("TEAMWORK_") ? !NO_SETTINGS.includes(variable) : NAMED_VARIABLES.includes(variable)
}
const NO_SETTINGS = [
  "TEAMWORK_HOME",
  "TEAMWORK_TEST_BASE_DIR",
  "TEAMWORK_TERMINAL_ID",
  "TEAMWORK_DEBUG",
  "TEAMWORK_TRUST",
]
const NAMED_VARIABLES = Object.values(VARIABLES)

export function isValidValue(key: SettingKey, value: unknown): value is SettingValue {
  return v.is(getSetting(key).schema(), value)
}
