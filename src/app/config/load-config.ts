import { dirname, resolvePath } from "../../lib/paths.ts"
import { findRepositoryRoot, type Git } from "./detect-team.ts"
import { type Env, teamworkHomeOf, userHomeOf, variable } from "./environment.ts"
import type { SettingValue } from "./setting.ts"
import {
  type Config,
  getSetting,
  isSettingKey,
  isValidValue,
  mayBeSetting,
  SETTING_KEYS,
  type SettingKey,
  variableOf,
} from "./settings.ts"

export interface ConfigInput {
  readonly env: Env
  readonly cwd: string
  readonly git?: Promise<Git | undefined>
  readonly flags?: { readonly [Key in SettingKey]?: string | undefined }
}

export interface LoadedConfig {
  readonly config: Config
  readonly home: string
  readonly homeFile: string
  readonly repositoryFile: string
  /** Settings of the repository's file that need a person's consent, as written. */
  readonly needTrust: Layer["needTrust"]
  /** Those without consent, which are ignored. */
  readonly untrusted: readonly SettingKey[]
}

/**
 * From lowest to highest: defaults, files of older programs, home file, repository file, variables, flags. Throws
 * on the first problem in our own files, a variable or a flag. Files of other programs never stop us; `listConfig`
 * warns about them.
 */
export async function loadConfig(input: ConfigInput): Promise<LoadedConfig> {
  const paths = await configPaths(input)
  const layers = await readLayers(input, paths)
  const faulty = layers.find((layer) => layer.origin !== "old file" && layer.problems.length > 0)
  // Formatting problems loads node:path and more, which would add 0.5 ms to every start.
  if (faulty !== undefined) throw (await import("./config-error.ts")).configError(faulty, input.cwd)
  const highestFirst = layers.toReversed()
  const config = ((key: SettingKey) =>
    highestFirst.find((layer) => layer.values[key] !== undefined)?.values[key] ?? getSetting(key).default) as Config
  await assertLease(config)
  const { home, homeFile, repositoryFile } = paths
  const needTrust = layers.flatMap((each) => each.needTrust)
  return { config, home, homeFile, repositoryFile, needTrust, untrusted: layers.flatMap((each) => each.untrusted) }
}

export async function assertLease(config: Config): Promise<void> {
  if (config("claim.renewSeconds") >= config("claim.workerLeaseSeconds"))
    throw (await import("./config-error.ts")).leaseError(config)
}

export interface ConfigPaths {
  readonly userHome: string
  readonly home: string
  readonly homeFile: string
  readonly repositoryFile: string
}

/** The files may not exist or may be broken: reads none of them. */
export async function configPaths({ env, cwd, git }: Pick<ConfigInput, "env" | "cwd" | "git">): Promise<ConfigPaths> {
  const home = teamworkHomeOf(env)
  const root = git === undefined ? await findRepositoryRoot(cwd) : (await git)?.root
  return {
    userHome: userHomeOf(env),
    home,
    homeFile: `${home}/config.json`,
    repositoryFile: `${root ?? resolvePath(cwd)}/teamwork.json`,
  }
}

export type Origin = "old file" | "home file" | "repository file" | "env" | "flag"

/** The settings of one source. Problems stay data: those of an old file are only warnings. */
export interface Layer {
  readonly origin: Origin
  readonly values: { [Key in SettingKey]?: SettingValue }
  readonly problems: Problem[]
  readonly needTrust: [SettingKey, unknown][]
  readonly untrusted: SettingKey[]
  readonly file: string
  readonly text: string
  readonly baseFolder: string
  readonly userHome: string
}

export type Problem =
  | { readonly kind: "unreadable"; readonly error: unknown }
  | { readonly kind: "syntax" }
  | { readonly kind: "not an object"; readonly path: readonly string[]; readonly found: unknown }
  | { readonly kind: "unknown key"; readonly path: readonly string[] }
  | { readonly kind: "not for a repository"; readonly key: SettingKey }
  | { readonly kind: "bad value"; readonly key: SettingKey; readonly found: unknown }

/** All sources except the defaults, lowest first. */
export async function readLayers(input: ConfigInput, paths: ConfigPaths): Promise<Layer[]> {
  const { userHome, homeFile, repositoryFile } = paths
  const files = await Promise.all([
    readFile(`${userHome}/.claude-forge/config.json`, { origin: "old file", userHome }, (layer, { team }) =>
      readOldTeam(layer, team),
    ),
    readFile(`${userHome}/.claude/config.json`, { origin: "old file", userHome }, (layer, root) => {
      if (Object.hasOwn(root, "projectsDirectory")) put(layer, "projectsDirectory", root.projectsDirectory)
    }),
    readFile(homeFile, { origin: "home file", userHome }, readKeys),
    readFile(repositoryFile, { origin: "repository file", userHome }, (layer, root) => {
      readKeys(layer, root)
      return dropUntrusted(layer, root, { env: input.env, home: paths.home })
    }),
  ])
  return [...files, readEnv(input, userHome), readFlags(input, userHome)]
}

/** Settings of an older program that still mean the same. */
const OLD_TEAM_KEYS = [
  "maxAgents",
  "defaultAgentType",
  "defaultModel",
  "monitorIntervalMs",
  "shutdownTimeoutMs",
  "watchdogWarningMs",
  "watchdogReassignMs",
  "maxConsecutiveErrors",
  "enableCascade",
  "enableCrossCliVerification",
] as const

/**
 * What a repository may set without consent: nothing here runs a program, names a place or extends what an agent
 * may do.
 */
const HARMLESS =
  /^(?:defaults|team|claim|evidence|ownership|qa|quality|budget|recordings|approvals|completion|git)\.|^gates\.(?:enable|ignoredFiles|timeoutSeconds)|^workspace\.(?:keep|setupTimeoutSeconds)$|^agents\.\w+\.(?:enabled|model\.|promptLimit)|^engine\.(?:files|leaseSeconds|mcp|repairTurns|runtime)$|^notify\.bell$/

type JsonObject = { readonly [key: string]: unknown }

async function dropUntrusted(
  layer: Layer,
  root: JsonObject,
  place: { readonly env: Env; readonly home: string },
): Promise<void> {
  const keys = SETTING_KEYS.filter((key) => layer.values[key] !== undefined && !HARMLESS.test(key))
  if (keys.length === 0) return
  // Loads node:fs (0.5 ms); few repositories set such keys.
  const { areTrusted, rawSettings } = await import("./trusted-settings.ts")
  const settings = rawSettings(root, keys)
  layer.needTrust.push(...settings)
  if (areTrusted(settings, { ...place, file: layer.file })) return
  layer.untrusted.push(...keys)
  for (const key of keys) delete layer.values[key]
}

async function readFile(
  file: string,
  { origin, userHome }: Pick<Layer, "origin" | "userHome">,
  read: (layer: Layer, root: JsonObject) => void | Promise<void>,
): Promise<Layer> {
  const layer = (text: string) =>
    emptyLayer({ origin, userHome, file, text, baseFolder: origin === "old file" ? userHome : dirname(file) })
  const broken = (text: string, problem: Problem) => ({ ...layer(text), problems: [problem] })
  let text: string
  try {
    // Most of these files do not exist, and catching an error costs more.
    if (!(await Bun.file(file).exists())) return layer("")
    text = (await Bun.file(file).text()).replace(/^\uFEFF/, "")
  } catch (error) {
    return isMissing(error) ? layer("") : broken("", { kind: "unreadable", error })
  }
  try {
    const root: unknown = JSON.parse(text)
    if (!isObject(root)) return broken(text, { kind: "not an object", path: [], found: root })
    const found = layer(text)
    await read(found, root)
    return found
  } catch (error) {
    if (error instanceof SyntaxError) return broken(text, { kind: "syntax" })
    throw error
  }
}

function readOldTeam(layer: Layer, team: unknown): void {
  if (team === undefined) return
  if (!isObject(team)) {
    layer.problems.push({ kind: "not an object", path: ["team"], found: team })
    return
  }
  for (const name of OLD_TEAM_KEYS) if (Object.hasOwn(team, name)) put(layer, `team.${name}`, team[name])
}

function readKeys(layer: Layer, object: JsonObject, parents: readonly string[] = []): void {
  for (const [name, value] of Object.entries(object)) {
    const path = [...parents, name]
    const key = path.join(".")
    if (name.includes(".")) layer.problems.push({ kind: "unknown key", path })
    else if (isSettingKey(key)) {
      if (layer.origin === "repository file" && getSetting(key).isForUserOnly === true)
        layer.problems.push({ kind: "not for a repository", key })
      else put(layer, key, value)
    } else if (SETTING_KEYS.some((known) => known.startsWith(`${key}.`))) {
      if (isObject(value)) readKeys(layer, value, path)
      else layer.problems.push({ kind: "not an object", path, found: value })
    } else if (key !== "$schema") layer.problems.push({ kind: "unknown key", path })
  }
}

function readEnv({ env, cwd }: ConfigInput, userHome: string): Layer {
  const layer = emptyLayer({ origin: "env", userHome, baseFolder: cwd })
  // Most processes set none, and building the names of all variables takes 0.2 ms.
  if (!Object.keys(env).some(mayBeSetting)) return layer
  for (const key of SETTING_KEYS) {
    const text = variable(env, variableOf(key))
    if (text !== undefined) put(layer, key, getSetting(key).parse(text), text)
  }
  return layer
}

function readFlags({ flags = {}, cwd }: ConfigInput, userHome: string): Layer {
  const layer = emptyLayer({ origin: "flag", userHome, baseFolder: cwd })
  for (const [key, text] of Object.entries(flags))
    if (isSettingKey(key) && text !== undefined) put(layer, key, getSetting(key).parse(text), text)
  return layer
}

function emptyLayer(place: Pick<Layer, "origin" | "userHome" | "baseFolder"> & Partial<Layer>): Layer {
  return { values: {}, problems: [], needTrust: [], untrusted: [], file: "", text: "", ...place }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** Messages about a bad value show `asGiven`. */
function put(layer: Layer, key: SettingKey, value: unknown, asGiven = value): void {
  const anchored = anchorPath(layer, key, value)
  if (isValidValue(key, anchored)) layer.values[key] = anchored
  else layer.problems.push({ kind: "bad value", key, found: asGiven })
}

/** Paths are relative to the place where they were written. */
function anchorPath({ baseFolder, userHome }: Layer, key: SettingKey, value: unknown): unknown {
  if (getSetting(key).isPath !== true || typeof value !== "string") return value
  const scheme = key === "store" ? "sqlite:" : ""
  const path = value.slice(scheme.length)
  if (!value.startsWith(scheme) || path === "" || path === ":memory:") return value
  const isFromHome = path === "~" || path.startsWith("~/")
  return scheme + (isFromHome ? resolvePath(path.slice(2), userHome) : resolvePath(path, baseFolder))
}
