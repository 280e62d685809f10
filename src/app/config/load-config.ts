import { CORE_KEYS } from "./core-keys.ts"
import type { Config, ConfigKey, ConfigRow, CoreConfig } from "./keys.ts"
import { type ConfigInput, configPaths, type Layer, readLayers } from "./read-layers.ts"

export type LoadedConfig = {
  readonly config: CoreConfig
  /** Those that not every call goes by as well. */
  all(): Promise<Config>
  readonly home: string
  readonly homeFile: string
  readonly repositoryFile: string
  /** Settings of the repository's file that a person has to agree to, as written. */
  readonly needTrust: Layer["needTrust"]
  /** Those of them that do not hold, because nobody has. */
  readonly untrusted: readonly ConfigKey[]
}

/**
 * All settings as they hold in `cwd`. From lowest to highest: defaults, files of older programs, home file, repository
 * file, variables, flags. Throws on the first thing that is wrong in our own files, in a variable or in a flag; files
 * of other programs are theirs to fix and never stop us (`listConfig` tells of them). Runs at every start: nothing here
 * waits or loads more code unless something is wrong.
 */
export async function loadConfig(input: ConfigInput): Promise<LoadedConfig> {
  const paths = await configPaths(input)
  const { layers, isCore } = await readLayers(input, paths)
  const faulty = layers.find((layer) => layer.origin !== "old file" && layer.problems.length > 0)
  if (faulty !== undefined) await refuse(faulty, input.cwd)
  const all = async () => mergeLayers(layers, (await import("./keys.ts")).CONFIG_KEYS)
  if (!isCore) await checkLease(await all())
  const { home, homeFile, repositoryFile } = paths
  const [needTrust, untrusted] = [layers.flatMap((each) => each.needTrust), layers.flatMap((each) => each.untrusted)]
  return { config: mergeLayers(layers, CORE_KEYS), all, home, homeFile, repositoryFile, needTrust, untrusted }
}

function mergeLayers<Key extends ConfigKey>(layers: readonly Layer[], rows: Record<Key, ConfigRow>): Pick<Config, Key> {
  const values: Partial<Record<Key, unknown>> = {}
  for (const key in rows) values[key] = rows[key].default
  for (const layer of layers) Object.assign(values, layer.values)
  if (!hasEvery(rows, values)) throw new Error("a setting has no default")
  return values
}

/** That each default also fits its row is for a test to check, not for every start. */
function hasEvery<Key extends ConfigKey>(
  rows: Record<Key, ConfigRow>,
  values: Partial<Record<Key, unknown>>,
): values is Pick<Config, Key> {
  for (const key in rows) if (values[key] === undefined) return false
  return true
}

async function refuse(layer: Layer, cwd: string): Promise<never> {
  const { configError } = await import("./config-error.ts")
  throw configError(layer, cwd)
}

async function checkLease(config: Config): Promise<void> {
  if (config["claim.renewSeconds"] < config["claim.workerLeaseSeconds"]) return
  const { leaseError } = await import("./config-error.ts")
  throw leaseError(config)
}
