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
import { configRow, isConfigKey } from "./keys.ts"
import { isConfigValue, parseValue } from "./parse-value.ts"
import { isMissing, isObject } from "./read-layers.ts"

export type ConfigEdit = { readonly file: string; readonly changed: boolean }

export interface NewSetting {
  readonly file: string
  readonly key: string
  readonly value: string
  /** The file is a repository's, and anybody who has the repository gets it. */
  readonly isRepository?: boolean
}

/** Sets one key in a settings file, which is made if it is missing. Other keys stay, wrong ones too: this is how a
 * broken file gets mended. */
export function setConfig({ file, key, value, isRepository = false }: NewSetting): ConfigEdit {
  if (!isConfigKey(key)) throw unknownKeyError(key)
  const row = configRow(key)
  if (isRepository && row.isForUserOnly === true) throw notForRepositoryError(key)
  const parsed = parseValue(row, value)
  if (!isConfigValue(row, parsed)) throw badValueError(key, value)
  const current = readSettings(file)
  const path = key.split(".")
  checkGroups(file, current, path)
  return save(file, current, assign(current.root, path, parsed))
}

/** Takes one key out of a settings file; `changed` is false when it was not set there. An unknown key may be taken out
 * where it stands, since that is the way to get rid of it. */
export function unsetConfig({ file, key }: { file: string; key: string }): ConfigEdit {
  const current = readSettings(file)
  const root = without(current.root, key.split("."))
  if (root === undefined && !isConfigKey(key)) throw unknownKeyError(key)
  return root === undefined ? { file, changed: false } : save(file, current, root)
}

type Settings = { readonly [key: string]: unknown }
type SettingsFile = {
  /** `undefined` for a file that is not there yet. */
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
  if (!isObject(root)) throw notAnObjectError(file, { line: 1, path: [], found: root })
  return { text, root, lineOf: positions.lineOf }
}

/** What stands where a group belongs is a mistake to look at, not ours to overwrite. */
function checkGroups(file: string, { root, lineOf }: SettingsFile, path: readonly string[]): void {
  let found: unknown = root
  for (let depth = 1; depth < path.length; depth++) {
    const parents = path.slice(0, depth)
    found = isObject(found) ? found[parents.at(-1) ?? ""] : undefined
    if (found === undefined) return
    if (!isObject(found)) throw notAnObjectError(file, { line: lineOf(parents) ?? 1, path: parents, found })
  }
}

function assign(object: Settings, [name = "", ...rest]: readonly string[], value: unknown): Settings {
  const inner = object[name]
  return { ...object, [name]: rest.length === 0 ? value : assign(isObject(inner) ? inner : {}, rest, value) }
}

/** Without the key, and without the groups that its going leaves empty; `undefined` when it is not there. */
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

/** A reader sees the old file or the new one, and after a power cut one of the two is there. */
function replaceFile(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  const existing = statSync(file, { throwIfNoEntry: false })
  // A link stays a link: what it points to is replaced.
  const target = existing === undefined ? file : realpathSync(file)
  const temporary = `${target}.${systemIds.uuid()}.tmp`
  try {
    // From its first byte the copy is as closed to others as the file itself, which may hold a password.
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
    // Some file systems cannot sync a folder; the file itself is safe already.
  }
}
