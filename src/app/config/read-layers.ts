import { dirname, resolvePath } from "../../lib/paths.ts"
import { CORE_KEYS } from "./core-keys.ts"
import { findRepositoryRoot, type Git } from "./detect-team.ts"
import { type Env, teamworkHomeOf, userHomeOf, variable } from "./environment.ts"
import type { Config, ConfigKey, ConfigRow, ConfigTable, ConfigValue } from "./keys.ts"
import { isConfigValue, parseValue } from "./parse-value.ts"

/**
 * Every place but the built-in defaults where a setting may come from, lowest first. Problems are collected as plain
 * data: wording them needs code that a healthy start never loads. Nor does it load the table of all settings, as long as
 * only those are set that every call goes by.
 */
export async function readLayers(
  input: ConfigInput,
  paths: ConfigPaths,
): Promise<{ layers: Layer[]; isCore: boolean }> {
  const files = await readFiles(paths)
  const interpret = (table: ConfigTable) => [
    ...files.map((file) => interpretFile(file, table)),
    readEnv(input, paths.userHome, table),
    readFlags(input, paths.userHome, table),
  ]
  const layers = interpret(CORE_KEYS)
  const isCore = layers.every((layer) => layer.problems.length === 0) && !setsOther(input.env)
  const found = isCore ? layers : interpret((await import("./keys.ts")).CONFIG_KEYS)
  const root = files.find((file) => file.layer.origin === "repository file")?.root
  for (const layer of found) if (layer.origin === "repository file") await dropUntrusted(layer, root, { input, paths })
  return { layers: found, isCore }
}

/**
 * What any repository may say of itself: nothing here runs a program, names a place or lets an agent do more. All other
 * settings of its file hold only once a person has agreed to them.
 */
const HARMLESS =
  /^(?:defaults|team|claim|evidence|ownership|qa|quality|budget|recordings|approvals|completion|git)\.|^gates\.(?:enable|ignoredFiles|timeoutSeconds)|^workspace\.(?:keep|setupTimeoutSeconds)$|^agents\.\w+\.(?:enabled|model\.|promptLimit)|^engine\.(?:files|leaseSeconds|mcp|repairTurns|runtime)$|^notify\.bell$/

function needsTrust(key: string): boolean {
  return !HARMLESS.test(key)
}

async function dropUntrusted(
  layer: Layer,
  root: unknown,
  { input, paths }: { readonly input: ConfigInput; readonly paths: ConfigPaths },
): Promise<void> {
  const keys = keysOf(layer.values).filter(needsTrust)
  if (keys.length === 0) return
  const { areTrusted, rawSettings } = await import("./trusted-settings.ts")
  const settings = rawSettings(root, keys)
  layer.needTrust.push(...settings)
  if (areTrusted(settings, { env: input.env, home: paths.home, file: layer.file })) return
  layer.untrusted.push(...keys)
  for (const key of keys) delete layer.values[key]
}

// Variables of ours that are no settings, some with a mark in the name; and settings whose variables were there before us.
const NO_SETTING =
  /^TEAMWORK_(?:HOME|TEST_BASE_DIR|TERMINAL_ID|DEBUG|TRUST|MOVE|TASK|ATTEMPT|TURN|INTEGRATION|FIX_(?:OF|HEAD)|WORKER(?:_\w+)?|(?:RUN|JOB|GATE)_\w+)$/
const NAMED_BEFORE = ["CLAWD_PROJECTS_DIR"]

/** Whether a variable may be one of those that the table of all settings knows: what is none only costs time. */
function setsOther(env: Env): boolean {
  const core: readonly string[] = Object.values(CORE_KEYS).map((row) => row.env)
  return Object.keys(env).some(
    (name) =>
      (name.startsWith("TEAMWORK_") || NAMED_BEFORE.includes(name)) &&
      !core.includes(name) &&
      !NO_SETTING.test(name) &&
      variable(env, name) !== undefined,
  )
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
  readonly values: { [K in ConfigKey]?: ConfigValue }
  readonly problems: Problem[]
  /** Settings of a repository's file that a person has to agree to, as written, and those that nobody has agreed to. */
  readonly needTrust: [ConfigKey, unknown][]
  readonly untrusted: ConfigKey[]
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

interface SettingsFile {
  /** With what was wrong already when the file was read. */
  readonly layer: Layer
  readonly root?: JsonObject
  readonly read: ReadKeys
}

type ReadKeys = (layer: Layer, table: ConfigTable, root: JsonObject) => void

function readFiles({ userHome, homeFile, repositoryFile }: ConfigPaths): Promise<SettingsFile[]> {
  const foreign: LayerKind = { origin: "old file", baseFolder: userHome, userHome }
  const own = (origin: Origin, file: string) => ({ origin, baseFolder: dirname(file), userHome })
  return Promise.all([
    readFile(`${userHome}/.claude-forge/config.json`, foreign, (layer, table, { team }) =>
      readKnownKeys(layer, table, team),
    ),
    readFile(`${userHome}/.claude/config.json`, foreign, (layer, table, root) => {
      if (Object.hasOwn(root, "projectsDirectory")) put(layer, table, "projectsDirectory", root.projectsDirectory)
    }),
    readFile(homeFile, own("home file", homeFile), readOwnKeys),
    readFile(repositoryFile, own("repository file", repositoryFile), readOwnKeys),
  ])
}

function interpretFile({ layer, root, read }: SettingsFile, table: ConfigTable): Layer {
  const interpreted = { ...layer, values: {}, problems: [...layer.problems], needTrust: [], untrusted: [] }
  if (root !== undefined) read(interpreted, table, root)
  return interpreted
}

function readKnownKeys(layer: Layer, table: ConfigTable, team: unknown): void {
  if (team === undefined) return
  if (!isObject(team)) {
    layer.problems.push({ kind: "not an object", path: ["team"], found: team })
    return
  }
  for (const name of KNOWN_FOREIGN_TEAM_KEYS) {
    if (Object.hasOwn(team, name)) put(layer, table, `team.${name}`, team[name])
  }
}

function readOwnKeys(layer: Layer, table: ConfigTable, object: JsonObject, parents: readonly string[] = []): void {
  for (const [name, value] of Object.entries(object)) {
    const path = [...parents, name]
    const key = path.join(".")
    if (name.includes(".")) layer.problems.push({ kind: "unknown key", path })
    else if (isKeyOf(table, key)) {
      if (layer.origin === "repository file" && table[key]?.isForUserOnly === true)
        layer.problems.push({ kind: "not for a repository", key })
      else put(layer, table, key, value)
    } else if (isGroupOf(table, key)) {
      if (isObject(value)) readOwnKeys(layer, table, value, path)
      else layer.problems.push({ kind: "not an object", path, found: value })
    } else if (key !== "$schema") layer.problems.push({ kind: "unknown key", path })
  }
}

function isKeyOf(table: { readonly [K in ConfigKey]?: unknown }, text: string): text is ConfigKey {
  return Object.hasOwn(table, text)
}

function isGroupOf(table: ConfigTable, prefix: string): boolean {
  return Object.keys(table).some((key) => key.startsWith(`${prefix}.`))
}

function readEnv({ env, cwd }: ConfigInput, userHome: string, table: ConfigTable): Layer {
  const layer = emptyLayer({ origin: "env", baseFolder: cwd, userHome })
  for (const key of keysOf(table)) {
    const text = variable(env, table[key]?.env ?? "")
    if (text !== undefined) putText(layer, table, key, text)
  }
  return layer
}

function readFlags({ flags = {}, cwd }: ConfigInput, userHome: string, table: ConfigTable): Layer {
  const layer = emptyLayer({ origin: "flag", baseFolder: cwd, userHome })
  for (const key of keysOf(flags)) {
    const given = flags[key]
    if (typeof given === "string") putText(layer, table, key, given)
    else if (given !== undefined) put(layer, table, key, given)
  }
  return layer
}

function keysOf(table: { readonly [K in ConfigKey]?: unknown }): ConfigKey[] {
  return Object.keys(table).filter((key) => isKeyOf(table, key))
}

type LayerKind = Pick<Layer, "origin" | "baseFolder" | "userHome">

function emptyLayer(kind: LayerKind, file = "", text = ""): Layer {
  return { ...kind, values: {}, problems: [], needTrust: [], untrusted: [], file, text }
}

async function readFile(file: string, kind: LayerKind, read: ReadKeys): Promise<SettingsFile> {
  let text: string
  try {
    // Asking first: an error for each file that is not there would cost more than reading the ones that are.
    if (!(await Bun.file(file).exists())) return { layer: emptyLayer(kind, file), read }
    text = (await Bun.file(file).text()).replace(/^\uFEFF/, "")
  } catch (error) {
    const layer = emptyLayer(kind, file)
    if (!isMissing(error)) layer.problems.push({ kind: "unreadable", error })
    return { layer, read }
  }
  const layer = emptyLayer(kind, file, text)
  try {
    const root: unknown = JSON.parse(text)
    if (isObject(root)) return { layer, root, read }
    layer.problems.push({ kind: "not an object", path: [], found: root })
  } catch {
    // The place and wording come from our own reader, see config-error.ts.
    layer.problems.push({ kind: "syntax" })
  }
  return { layer, read }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function putText(layer: Layer, table: ConfigTable, key: ConfigKey, text: string): void {
  const row = table[key]
  put(layer, table, key, row === undefined ? text : parseValue(row, text), text)
}

/** `asGiven` is what a message shows when the value does not fit. */
function put(layer: Layer, table: ConfigTable, key: ConfigKey, value: unknown, asGiven = value): void {
  const row = table[key]
  if (row === undefined) {
    layer.problems.push({ kind: "unknown key", path: key.split(".") })
    return
  }
  const anchored = anchorPath(layer, key, row, value)
  if (isConfigValue(row, anchored)) layer.values[key] = anchored
  else layer.problems.push({ kind: "bad value", key, found: asGiven })
}

/** Makes a path absolute while it is known where it was written; otherwise it would mean another place in each folder. */
function anchorPath({ baseFolder, userHome }: Layer, key: ConfigKey, row: ConfigRow, value: unknown): unknown {
  if (row.type !== "string" || row.path !== true || typeof value !== "string") return value
  const scheme = key === "store" ? "sqlite:" : ""
  const path = value.slice(scheme.length)
  if (!value.startsWith(scheme) || path === "" || path === ":memory:") return value
  const isFromHome = path === "~" || path.startsWith("~/")
  return scheme + (isFromHome ? resolvePath(path.slice(2), userHome) : resolvePath(path, baseFolder))
}
