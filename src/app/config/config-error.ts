import { isAbsolute, relative } from "node:path"
import { AppError } from "../../kernel/errors.ts"
import type { Remedy } from "../../kernel/remedy.ts"
import { readJsonPositions } from "../../lib/text/json-position.ts"
import { maskSecrets } from "../../lib/text/mask-secrets.ts"
import { nearest } from "../../lib/text/nearest.ts"
import { unreachable } from "../../lib/unreachable.ts"
import type { Layer, Problem } from "./load-config.ts"
import { type Config, getSetting, isSettingKey, SETTING_KEYS, type SettingKey, variableOf } from "./settings.ts"

export function configError(layer: Layer, cwd: string): AppError {
  const [problem] = layer.problems
  if (problem === undefined) throw new Error("this layer has no problem")
  return problemError(layer, problem, cwd)
}

/** Shows paths inside `cwd` relative to it. */
export function problemError(layer: Layer, problem: Problem, cwd: string): AppError {
  if (problem.kind === "unreadable") return fileError("read", layer.file, problem.error)
  if (layer.file === "") return problemOutsideFile(layer, problem)

  const file = shortPath(layer.file, cwd)
  const positions = readJsonPositions(layer.text)
  if (!positions.ok) return syntaxError(file, positions)
  if (problem.kind === "syntax") throw new Error(`JSON.parse refuses ${layer.file}, json-position.ts does not`)
  const path = "path" in problem ? problem.path : problem.key.split(".")
  const line = positions.lineOf(path) ?? 1
  switch (problem.kind) {
    case "not an object":
      return notAnObjectError({ file, line }, problem)
    case "unknown key":
      return unknownKeyError(problem.path, { file, line })
    case "not for a repository":
      return notForRepositoryError(problem.key, { file, line })
    case "bad value":
      return badValueError(problem.key, problem.found, { file, line })
    default:
      return unreachable(problem)
  }
}

interface Place {
  readonly file: string
  readonly line: number
}

function placed(place: Place | undefined, text: string): string {
  return place === undefined ? text : `${place.file}:${place.line}: ${text}`
}

export function syntaxError(file: string, place: { line: number; column: number; problem: string }): AppError {
  const { line, column, problem } = place
  return new AppError("config.bad_file", `${file}:${line}:${column}: not valid JSON: ${problem}`, {
    file,
    line,
    column,
  })
}

export function notAnObjectError(
  place: Place,
  { path, found }: { readonly path: readonly string[]; readonly found: unknown },
): AppError {
  const key = path.join(".")
  const message = placed(place, `${key === "" ? "the file" : key} must be an object, found ${describe(found)}`)
  return new AppError(key === "" ? "config.bad_file" : "config.bad_value", message, { ...place })
}

export function leaseError(config: Config): AppError {
  const renew = config("claim.renewSeconds")
  const lease = config("claim.workerLeaseSeconds")
  const key = "claim.renewSeconds"
  const message = `${key} must be less than claim.workerLeaseSeconds, found ${renew} and ${lease}`
  const remedy: Remedy[] = [
    { operation: "config set", fields: { key: "KEY", value: "VALUE" }, to: "fix one of them with" },
    { operation: "config unset", fields: { key: "KEY" } },
  ]
  return new AppError("config.bad_value", message, { key }, { remedy })
}

export function unknownKeyError(path: readonly string[], place?: Place): AppError {
  return new AppError("config.unknown_key", placed(place, unknownKeyText(path)), { ...place, key: path.join(".") })
}

export function badValueError(key: SettingKey, found: unknown, place?: Place): AppError {
  return new AppError("config.bad_value", placed(place, `${key}: ${valueText(key, found)}`), { ...place, key })
}

export function notForRepositoryError(key: SettingKey, place?: Place): AppError {
  const what = key.endsWith(".command") ? "names a program that is run" : "decides what programs may do or know"
  const message = placed(place, `${key} ${what}, so the file of a repository cannot set it`)
  const remedy: Remedy = { operation: "config set", fields: { key, value: "VALUE" }, to: "set it in the home with" }
  return new AppError("config.bad_value", message, { ...place, key }, { remedy })
}

export function fileError(action: "read" | "write", file: string, error: unknown): AppError {
  const message = `cannot ${action} ${file}: ${reasonOf(error)}`
  return new AppError("config.bad_file", message, { file }, { cause: error })
}

function problemOutsideFile(layer: Layer, problem: Problem): AppError {
  if (problem.kind !== "bad value") throw new Error(`a ${problem.kind} can only be in a file`)
  const { key, found } = problem
  if (layer.origin !== "env") return badValueError(key, found)
  const variable = variableOf(key)
  return new AppError("config.bad_value", `${variable}: ${valueText(key, found)}`, { key, variable })
}

function unknownKeyText(path: readonly string[]): string {
  const key = path.join(".")
  const hasDot = path.some((part) => part.includes("."))
  if (hasDot && isSettingKey(key)) return `write ${key} as nested objects, not with a dot in the name`
  const member = SETTING_KEYS.find((known) => known.startsWith(`${key}.`))
  if (member !== undefined) return `${key} is a group of keys; name one of them, such as ${member}`
  const meant = nearestKey(key)
  // Keep the message on one line, whatever the key contains.
  const shown = /\p{Cc}/u.test(key) || key === "" ? JSON.stringify(key) : key
  return `unknown key ${shown}${meant === undefined ? "" : `; did you mean ${meant}?`}`
}

function nearestKey(key: string): string | undefined {
  const keys: readonly string[] = SETTING_KEYS
  const groups = new Set(keys.flatMap((known) => (known.includes(".") ? known.split(".", 1) : [])))
  const isSame = (known: string, name: string) => known.toLowerCase() === name.toLowerCase()
  return (
    [...groups].find((group) => isSame(group, key)) ??
    // The right name in the wrong group is likelier than a similar key.
    keys.find((known) => isSame(lastPart(known), lastPart(key))) ??
    nearest(key, [...keys, ...groups]) ??
    keys.find((known) => lastPart(known) === nearest(lastPart(key), keys.map(lastPart)))
  )
}

function lastPart(key: string): string {
  return key.slice(key.lastIndexOf(".") + 1)
}

function valueText(key: SettingKey, found: unknown): string {
  return `expected ${getSetting(key).expects}, found ${describe(found)}`
}

function describe(value: unknown): string {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return "an object"
  const text = maskSecrets(JSON.stringify(value) ?? "nothing")
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined
  switch (code) {
    case "EACCES":
    case "EPERM":
      return "permission denied"
    case "EISDIR":
      return "it is a folder"
    case "ENOTDIR":
    case "EEXIST":
      return "a part of its path is not a folder"
    case "EROFS":
      return "the disk is read-only"
    case "ENOSPC":
      return "the disk is full"
    default:
      return error instanceof Error ? error.message : String(error)
  }
}

function shortPath(file: string, cwd: string): string {
  const fromHere = relative(cwd, file)
  return fromHere === "" || fromHere.startsWith("..") || isAbsolute(fromHere) ? file : fromHere
}
