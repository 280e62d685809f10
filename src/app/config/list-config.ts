import { readJsonPositions } from "../../lib/text/json-position.ts"
import { maskSecrets } from "../../lib/text/mask-secrets.ts"
import { nearest } from "../../lib/text/nearest.ts"
import { problemError } from "./config-error.ts"
import { type ConfigInput, configPaths, type Layer, loadConfig, type Origin, readLayers } from "./load-config.ts"
import type { SettingValue } from "./setting.ts"
import { SETTING_KEYS, type SettingKey, variableOf } from "./settings.ts"

export type ConfigSetting = {
  readonly key: SettingKey
  /** Masks the password of a database address. */
  readonly value: SettingValue
  readonly origin: "default" | Origin
  /** `/x/config.json:12`, the name of a variable, or a word. */
  readonly where: string
}

export type ConfigListing = { readonly settings: readonly ConfigSetting[]; readonly warnings: readonly string[] }

/** Every setting with its source, and warnings about what `loadConfig` ignores. Throws what `loadConfig` throws. */
export async function listConfig(input: ConfigInput): Promise<ConfigListing> {
  const { config } = await loadConfig(input)
  const layers = await readLayers(input, await configPaths(input))
  const places = layers.map((layer) => ({ layer, whereOf: placesIn(layer) }))
  const settings = SETTING_KEYS.map((key): ConfigSetting => {
    const source = places.findLast(({ layer }) => layer.values[key] !== undefined)
    const value = config(key)
    return {
      key,
      value: typeof value === "string" ? maskSecrets(value) : value,
      origin: source?.layer.origin ?? "default",
      where: source?.whereOf(key) ?? "built in",
    }
  })
  return { settings, warnings: [...oldFileWarnings(layers, input.cwd), ...variableWarnings(input)] }
}

function placesIn(layer: Layer): (key: SettingKey) => string {
  if (layer.origin === "env") return variableOf
  if (layer.origin === "flag") return () => "command line"
  const positions = readJsonPositions(layer.text)
  return (key) => {
    const line = positions.ok ? positions.lineOf(key.split(".")) : undefined
    return line === undefined ? layer.file : `${layer.file}:${line}`
  }
}

function oldFileWarnings(layers: readonly Layer[], cwd: string): string[] {
  return layers.flatMap((layer) =>
    layer.problems.map((problem) => `ignored: ${problemError(layer, problem, cwd).message}`),
  )
}

/** Other programs may use our prefix, so report only names that look like a typo. */
function variableWarnings({ env }: ConfigInput): string[] {
  const known = SETTING_KEYS.map(variableOf)
  const groups = ["TEAMWORK_TEAM_", "TEAMWORK_CLAIM_", "TEAMWORK_EVIDENCE_", "TEAMWORK_AGENTS_", "TEAMWORK_RECORDINGS_"]
  return Object.keys(env).flatMap((name) => {
    const prefix = groups.find((group) => name.startsWith(group))
    if (prefix === undefined || known.includes(name)) return []
    const alike = known
      .filter((variable) => variable.startsWith(prefix))
      .map((variable) => variable.slice(prefix.length))
    const meant = nearest(name.slice(prefix.length), alike)
    return meant === undefined ? [] : [`ignored: unknown variable ${name}; did you mean ${prefix}${meant}?`]
  })
}
