import { dirname, resolvePath } from "../lib/paths.ts"
import { findRepositoryRoot, type Git } from "./detect-team.ts"
import { type Env, teamworkHomeOf, userHomeOf, variable } from "./environment.ts"
import { CONFIG_KEY_NAMES, type Config, type ConfigKey, configRow, isConfigKey } from "./keys.ts"
import { isConfigValue, parseValue } from "./parse-value.ts"

/** Every place but the built-in defaults where a setting may come from, lowest first. Problems are collected as plain
 * data: wording them needs code that a healthy start never loads. */
export async function readLayers({ env, cwd, flags = {} }: ConfigInput, paths: ConfigPaths): Promise<Layer[]> {
  const { userHome, homeFile, repositoryFile } = paths
  return Promise.all([
    readForeignFile(`${userHome}/.claude-forge/config.json`, userHome, (root, layer) =>
      readKnownKeys(layer, "team", root.team),
    ),
    readForeignFile(`${userHome}/.claude/config.json`, userHome, (root, layer) => {
      if (Object.hasOwn(root, "projectsDirectory")) put(layer, "projectsDirectory", root.projectsDirectory)
    }),
    readOwnFile(homeFile, "home file", userHome),
    readOwnFile(repositoryFile, "repository file", userHome),
    readEnv(env, { cwd, userHome }),
    readFlags(flags, { cwd, userHome }),
  ])
}

export type ConfigInput = {
  readonly env: Env
  readonly cwd: string
  /** The repository around `cwd`, where the caller has looked for it already. */
  readonly git?: Promise<Git | undefined>
  /** What the command line gave; text is read as the key's type. */
  readonly flags?: { readonly [K in ConfigKey]?: string | Config[K] }
}

export type Origin = "old file" | "home file" | "repository file" | "env" | "flag"

export type Layer = {
  readonly origin: Origin
  readonly values: Partial<Writable<Config>>
  readonly problems: Problem[]
  /** Empty for a layer that is no file. */
  readonly file: string
  readonly text: string
  /** Where relative paths count from, and what `~` stands for. */
  readonly baseFolder: string
  readonly userHome: string
}

export type Problem =
  | { readonly kind: "unreadable"; readonly error: unknown }
  | { readonly kind: "syntax" }
  | { readonly kind: "not an object"; readonly path: readonly string[]; readonly found: unknown }
  | { readonly kind: "unknown key"; readonly path: readonly string[] }
  | { readonly kind: "not for a repository"; readonly key: ConfigKey }
  | { readonly kind: "bad value"; readonly key: ConfigKey; readonly found: unknown }

export type ConfigPaths = {
  readonly userHome: string
  readonly home: string
  readonly homeFile: string
  readonly repositoryFile: string
}

/** Where the settings files are, whether they exist or not. Reads no file, so it works however broken they are. */
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

type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** The settings an older program kept under `team` that still mean the same. */
const KNOWN_FOREIGN_TEAM_KEYS = [
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

type JsonObject = { readonly [key: string]: unknown }

async function readForeignFile(
  file: string,
  userHome: string,
  read: (root: JsonObject, layer: Layer) => void,
): Promise<Layer> {
  const { layer, root } = await readFile(file, { origin: "old file", baseFolder: userHome, userHome })
  if (root !== undefined) read(root, layer)
  return layer
}

function readKnownKeys(layer: Layer, group: "team", found: unknown): void {
  if (found === undefined) return
  if (!isObject(found)) {
    layer.problems.push({ kind: "not an object", path: [group], found })
    return
  }
  for (const name of KNOWN_FOREIGN_TEAM_KEYS) {
    if (Object.hasOwn(found, name)) put(layer, `${group}.${name}`, found[name])
  }
}

async function readOwnFile(file: string, origin: Origin, userHome: string): Promise<Layer> {
  const { layer, root } = await readFile(file, { origin, baseFolder: dirname(file), userHome })
  if (root !== undefined) readOwnKeys(layer, root, [])
  return layer
}

function readOwnKeys(layer: Layer, object: JsonObject, parents: readonly string[]): void {
  for (const [name, value] of Object.entries(object)) {
    const path = [...parents, name]
    const key = path.join(".")
    if (name.includes(".")) layer.problems.push({ kind: "unknown key", path })
    else if (isConfigKey(key)) {
      if (layer.origin === "repository file" && configRow(key).isForUserOnly === true)
        layer.problems.push({ kind: "not for a repository", key })
      else put(layer, key, value)
    } else if (isGroup(key)) {
      if (isObject(value)) readOwnKeys(layer, value, path)
      else layer.problems.push({ kind: "not an object", path, found: value })
    } else if (key !== "$schema") layer.problems.push({ kind: "unknown key", path })
  }
}

function isGroup(prefix: string): boolean {
  return CONFIG_KEY_NAMES.some((key) => key.startsWith(`${prefix}.`))
}

function readEnv(env: Env, folders: { cwd: string; userHome: string }): Layer {
  const layer = emptyLayer({ origin: "env", baseFolder: folders.cwd, userHome: folders.userHome })
  for (const key of CONFIG_KEY_NAMES) {
    const text = variable(env, configRow(key).env)
    if (text !== undefined) put(layer, key, parseValue(key, text), text)
  }
  return layer
}

function readFlags(flags: NonNullable<ConfigInput["flags"]>, folders: { cwd: string; userHome: string }): Layer {
  const layer = emptyLayer({ origin: "flag", baseFolder: folders.cwd, userHome: folders.userHome })
  for (const key of CONFIG_KEY_NAMES) {
    const given = flags[key]
    if (given !== undefined) put(layer, key, typeof given === "string" ? parseValue(key, given) : given, given)
  }
  return layer
}

type LayerKind = Pick<Layer, "origin" | "baseFolder" | "userHome">

function emptyLayer(kind: LayerKind, file = "", text = ""): Layer {
  return { ...kind, values: {}, problems: [], file, text }
}

async function readFile(file: string, kind: LayerKind): Promise<{ layer: Layer; root?: JsonObject }> {
  let text: string
  try {
    // Asking first: an error for each file that is not there would cost more than reading the ones that are.
    if (!(await Bun.file(file).exists())) return { layer: emptyLayer(kind, file) }
    text = (await Bun.file(file).text()).replace(/^\uFEFF/, "")
  } catch (error) {
    const layer = emptyLayer(kind, file)
    if (!isMissing(error)) layer.problems.push({ kind: "unreadable", error })
    return { layer }
  }
  const layer = emptyLayer(kind, file, text)
  try {
    const root: unknown = JSON.parse(text)
    if (isObject(root)) return { layer, root }
    layer.problems.push({ kind: "not an object", path: [], found: root })
  } catch {
    // The place and wording come from our own reader, see config-error.ts.
    layer.problems.push({ kind: "syntax" })
  }
  return { layer }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** `asGiven` is what a message shows when the value does not fit. */
function put<K extends ConfigKey>(layer: Layer, key: K, value: unknown, asGiven = value): void {
  const anchored = anchorPath(layer, key, value)
  if (isConfigValue(key, anchored)) layer.values[key] = anchored
  else layer.problems.push({ kind: "bad value", key, found: asGiven })
}

/** Makes a path absolute while it is known where it was written; otherwise it would mean another place in each folder. */
function anchorPath({ baseFolder, userHome }: Layer, key: ConfigKey, value: unknown): unknown {
  const row = configRow(key)
  if (row.type !== "string" || row.path !== true || typeof value !== "string") return value
  const scheme = key === "store" ? "sqlite:" : ""
  const path = value.slice(scheme.length)
  if (!value.startsWith(scheme) || path === "" || path === ":memory:") return value
  const isFromHome = path === "~" || path.startsWith("~/")
  return scheme + (isFromHome ? resolvePath(path.slice(2), userHome) : resolvePath(path, baseFolder))
}
