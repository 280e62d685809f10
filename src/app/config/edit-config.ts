import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { dirname } from "node:path"
import { AppError } from "../../kernel/errors.ts"
import { ID_RULE, isId, quoteInput } from "../../kernel/ids.ts"
import { systemIds } from "../../lib/make-ids.ts"
import { readJsonPositions } from "../../lib/text/json-position.ts"
import {
  badValueError,
  fileError,
  notAnObjectError,
  notForRepositoryError,
  syntaxError,
  unknownKeyError,
} from "./config-error.ts"
import { assertLease, type ConfigInput, isMissing, isObject, loadConfig } from "./load-config.ts"
import { type Config, getSetting, isSettingKey, isValidValue } from "./settings.ts"

export type ConfigEdit = { readonly file: string; readonly changed: boolean }

export interface NewSetting {
  readonly file: string
  readonly key: string
  readonly value: string
  /** Everyone who clones the repository gets this file. */
  readonly isRepository?: boolean
}

/** Refuses a value that contradicts another setting, since every other command would then fail. */
export async function setChecked(
  input: Pick<ConfigInput, "env" | "cwd">,
  { key, value: text, ...place }: NewSetting,
): Promise<ConfigEdit> {
  const value = isSettingKey(key) ? getSetting(key).parse(text) : undefined
  if (isSettingKey(key) && isValidValue(key, value)) {
    if ((key === "defaults.project" || key === "defaults.team") && value !== "" && !isId(String(value)))
      throw new AppError("config.bad_value", `${key} ${quoteInput(text)} is not valid; use ${ID_RULE}`, { key })
    // If the settings are broken already, this call may repair them.
    const before = await loadConfig(input).catch(() => undefined)
    if (before !== undefined) await assertLease(((each) => (each === key ? value : before.config(each))) as Config)
  }
  return setConfig({ key, value: text, ...place })
}

/** Creates the file if needed. Keeps other keys, even wrong ones, so that it works on broken files. */
export function setConfig({ file, key, value, isRepository = false }: NewSetting): ConfigEdit {
  const path = key.split(".")
  if (!isSettingKey(key)) throw unknownKeyError(path)
  const setting = getSetting(key)
  if (isRepository && setting.isForUserOnly === true) throw notForRepositoryError(key)
  const parsed = setting.parse(value)
  if (!isValidValue(key, parsed)) throw badValueError(key, value)
  const current = readSettings(file)
  assertGroups(file, current, path)
  return save(file, current, assign(current.root, path, parsed))
}

/** `changed` is false if the key was not set. Also removes unknown keys. */
export function unsetConfig({ file, key }: { file: string; key: string }): ConfigEdit {
  const current = readSettings(file)
  const root = without(current.root, key.split("."))
  if (root === undefined && !isSettingKey(key)) throw unknownKeyError(key.split("."))
  return root === undefined ? { file, changed: false } : save(file, current, root)
}

type Settings = { readonly [key: string]: unknown }
type SettingsFile = {
  readonly text: string | undefined
  readonly root: Settings
  lineOf(path: readonly string[]): number | undefined
}

function readSettings(file: string): SettingsFile {
  let text: string
  try {
    text = readFileSync(file, "utf8").replace(/^\uFEFF/, "")
  } catch (error) {
    if (isMissing(error)) return { text: undefined, root: {}, lineOf: () => undefined }
    throw fileError("read", file, error)
  }
  const positions = readJsonPositions(text)
  if (!positions.ok) throw syntaxError(file, positions)
  const root: unknown = JSON.parse(text)
  if (!isObject(root)) throw notAnObjectError({ file, line: 1 }, { path: [], found: root })
  return { text, root, lineOf: positions.lineOf }
}

/** Does not overwrite a value where a group should be. */
function assertGroups(file: string, { root, lineOf }: SettingsFile, path: readonly string[]): void {
  let found: unknown = root
  for (let depth = 1; depth < path.length; depth++) {
    const parents = path.slice(0, depth)
    found = isObject(found) ? found[parents.at(-1) ?? ""] : undefined
    if (found === undefined) return
    if (!isObject(found)) throw notAnObjectError({ file, line: lineOf(parents) ?? 1 }, { path: parents, found })
  }
}

function assign(object: Settings, [name = "", ...rest]: readonly string[], value: unknown): Settings {
  const inner = object[name]
  return { ...object, [name]: rest.length === 0 ? value : assign(isObject(inner) ? inner : {}, rest, value) }
}

/** Also drops groups that become empty; undefined if the key is not set. */
function without(object: Settings, [name = "", ...rest]: readonly string[]): Settings | undefined {
  if (!Object.hasOwn(object, name)) return undefined
  const { [name]: inner, ...others } = object
  if (rest.length === 0) return others
  const left = isObject(inner) ? without(inner, rest) : undefined
  if (left === undefined) return undefined
  return Object.keys(left).length === 0 ? others : { ...object, [name]: left }
}

function save(file: string, current: SettingsFile, root: Settings): ConfigEdit {
  const lineEnd = current.text?.includes("\r\n") ? "\r\n" : "\n"
  const text = `${JSON.stringify(root, null, 2)}\n`.replaceAll("\n", lineEnd)
  if (current.text !== undefined && JSON.stringify(root) === JSON.stringify(current.root))
    return { file, changed: false }
  try {
    replaceFile(file, text)
  } catch (error) {
    throw fileError("write", file, error)
  }
  return { file, changed: true }
}

/** Atomic, also after a power cut. */
function replaceFile(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  const existing = statSync(file, { throwIfNoEntry: false })
  // Replace the target of a link, not the link.
  const target = existing === undefined ? file : realpathSync(file)
  const temporary = `${target}.${systemIds.uuid()}.tmp`
  try {
    // The file may hold a password: set its mode before the first byte.
    const handle = openSync(temporary, "wx", existing === undefined ? 0o666 : existing.mode & 0o777)
    try {
      writeFileSync(handle, text)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    if (existing !== undefined) chmodSync(temporary, existing.mode & 0o777)
    renameSync(temporary, target)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
  syncFolder(dirname(target))
}

function syncFolder(folder: string): void {
  try {
    const handle = openSync(folder, "r")
    try {
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
  } catch {
    // Some file systems cannot sync a folder; the file itself is safe.
  }
}
