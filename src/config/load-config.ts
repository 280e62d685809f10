import { CONFIG_KEY_NAMES, CONFIG_KEYS, type Config } from "./keys.ts"
import { type ConfigInput, configPaths, type Layer, readLayers } from "./read-layers.ts"

export type LoadedConfig = {
  readonly config: Config
  readonly home: string
  readonly homeFile: string
  readonly repositoryFile: string
}

/**
 * All settings as they hold in `cwd`. From lowest to highest: defaults, files of older programs, home file, repository
 * file, variables, flags. Throws on the first thing that is wrong in our own files, in a variable or in a flag; files
 * of other programs are theirs to fix and never stop us (`listConfig` tells of them). Runs at every start: nothing here
 * waits or loads more code unless something is wrong.
 */
export async function loadConfig(input: ConfigInput): Promise<LoadedConfig> {
  const paths = await configPaths(input)
  const layers = await readLayers(input, paths)
  const faulty = layers.find((layer) => layer.origin !== "old file" && layer.problems.length > 0)
  if (faulty !== undefined) await refuse(faulty, input.cwd)
  const config = mergeLayers(layers)
  if (config["claim.renewSeconds"] >= config["claim.workerLeaseSeconds"]) await refuseLease(config)
  return { config, home: paths.home, homeFile: paths.homeFile, repositoryFile: paths.repositoryFile }
}

function mergeLayers(layers: readonly Layer[]): Config {
  const config = defaultConfig()
  for (const layer of layers) Object.assign(config, layer.values)
  return config
}

function defaultConfig(): Config {
  const values: Record<string, unknown> = {}
  for (const key of CONFIG_KEY_NAMES) values[key] = CONFIG_KEYS[key].default
  if (!hasEveryKey(values)) throw new Error("a setting has no default")
  return values
}

/** That each default also fits its row is for a test to check, not for every start. */
function hasEveryKey(values: Record<string, unknown>): values is Config {
  return CONFIG_KEY_NAMES.every((key) => values[key] !== undefined)
}

async function refuse(layer: Layer, cwd: string): Promise<never> {
  const { configError } = await import("./config-error.ts")
  throw configError(layer, cwd)
}

async function refuseLease(config: Config): Promise<never> {
  const { leaseError } = await import("./config-error.ts")
  throw leaseError(config)
}
