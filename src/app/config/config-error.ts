import { isAbsolute, relative } from "node:path"
import { AppError } from "../../kernel/errors.ts"
import type { Remedy } from "../../kernel/remedy.ts"
import { readJsonPositions } from "../../lib/text/json-position.ts"
import { maskSecrets } from "../../lib/text/mask-secrets.ts"
import { nearest } from "../../lib/text/nearest.ts"
import { unreachable } from "../../lib/unreachable.ts"
import { CONFIG_KEY_NAMES, type Config, type ConfigKey, configRow, isConfigKey } from "./keys.ts"
import type { Layer, Problem } from "./read-layers.ts"

/** The first problem of a layer as one line that names the place and the way out. Loaded only when something is wrong. */
export function configError(layer: Layer, cwd: string): AppError {
  const [problem] = layer.problems
  if (problem === undefined) throw new Error("a layer without a problem is no error")
  return problemError(layer, problem, cwd)
}

/** The same for one problem. Paths inside `cwd` are shown from there. */
export function problemError(layer: Layer, problem: Problem, cwd: string): AppError {
  if (problem.kind === "unreadable") return fileError("read", layer.file, problem.error)
  if (layer.file === "") return problemOutsideFile(layer, problem)

  const file = shortPath(layer.file, cwd)
  const positions = readJsonPositions(layer.text)
  if (!positions.ok) return syntaxError(file, positions)
  switch (problem.kind) {
    case "syntax":
      throw new Error(`JSON.parse refuses ${layer.file}, json-position.ts does not`)
    case "not an object":
      return notAnObjectError(file, { ...problem, line: positions.lineOf(problem.path) ?? 1 })
    case "unknown key": {
      const line = positions.lineOf(problem.path) ?? 1
      const key = problem.path.join(".")
      const message = `${file}:${line}: ${unknownKeyText(problem.path)}`
      return new AppError("config.unknown_key", message, { file, line, key })
    }
    case "not for a repository": {
      const line = positions.lineOf(problem.key.split(".")) ?? 1
      const message = `${file}:${line}: ${notForRepositoryText(problem.key)}`
      const remedy = setInHome(problem.key)
      return new AppError("config.bad_value", message, { file, line, key: problem.key }, { remedy })
    }
    case "bad value": {
      const line = positions.lineOf(problem.key.split(".")) ?? 1
      const message = `${file}:${line}: ${badValueText(problem.key, problem.found)}`
      return new AppError("config.bad_value", message, { file, line, key: problem.key })
    }
    default:
      return unreachable(problem)
  }
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
  file: string,
  { line, path, found }: { line: number; path: readonly string[]; found: unknown },
): AppError {
  const key = path.join(".")
  const message = `${file}:${line}: ${key === "" ? "the file" : key} must be an object, found ${describe(found)}`
  return new AppError(key === "" ? "config.bad_file" : "config.bad_value", message, { file, line })
}

export function leaseError(config: Config): AppError {
  const renew = config["claim.renewSeconds"]
  const lease = config["claim.workerLeaseSeconds"]
  const key = "claim.renewSeconds"
  const message = `${key} must be less than claim.workerLeaseSeconds, found ${renew} and ${lease}`
  const remedy: Remedy[] = [
    { operation: "config set", fields: { key: "KEY", value: "VALUE" }, to: "mend one of them with" },
    { operation: "config unset", fields: { key: "KEY" } },
  ]
  return new AppError("config.bad_value", message, { key }, { remedy })
}

export function unknownKeyError(key: string): AppError {
  return new AppError("config.unknown_key", unknownKeyText(key.split(".")), { key })
}

export function badValueError(key: ConfigKey, found: unknown): AppError {
  return new AppError("config.bad_value", badValueText(key, found), { key })
}

export function notForRepositoryError(key: ConfigKey): AppError {
  return new AppError("config.bad_value", notForRepositoryText(key), { key }, { remedy: setInHome(key) })
}

export function fileError(action: "read" | "write", file: string, error: unknown): AppError {
  const message = `cannot ${action} ${file}: ${reasonOf(error)}`
  return new AppError("config.bad_file", message, { file }, { cause: error })
}

function problemOutsideFile(layer: Layer, problem: Problem): AppError {
  if (problem.kind !== "bad value") throw new Error(`a ${problem.kind} can only be in a file`)
  const { key, found } = problem
  const variable = layer.origin === "env" ? configRow(key).env : undefined
  const text = variable === undefined ? badValueText(key, found) : `${variable}: ${valueText(key, found)}`
  return new AppError("config.bad_value", text, { key, ...(variable && { variable }) })
}

function unknownKeyText(path: readonly string[]): string {
  const key = path.join(".")
  const hasDot = path.some((part) => part.includes("."))
  if (hasDot && isConfigKey(key)) return `write ${key} as nested objects, not with a dot in the name`
  const member = CONFIG_KEY_NAMES.find((known) => known.startsWith(`${key}.`))
  if (member !== undefined) return `${key} is a group of keys; name one of them, such as ${member}`
  const meant = nearestKey(key)
  // A key may hold any character, and the message stays on one line.
  const shown = /\p{Cc}/u.test(key) || key === "" ? JSON.stringify(key) : key
  return `unknown key ${shown}${meant === undefined ? "" : `; did you mean ${meant}?`}`
}

function nearestKey(key: string): string | undefined {
  const keys: readonly string[] = CONFIG_KEY_NAMES
  const groups = new Set(keys.flatMap((known) => (known.includes(".") ? known.split(".", 1) : [])))
  const isSame = (known: string, name: string) => known.toLowerCase() === name.toLowerCase()
  return (
    [...groups].find((group) => isSame(group, key)) ??
    // A right name in the wrong group is a likelier slip than a key that only looks alike.
    keys.find((known) => isSame(lastPart(known), lastPart(key))) ??
    nearest(key, [...keys, ...groups]) ??
    keys.find((known) => lastPart(known) === nearest(lastPart(key), keys.map(lastPart)))
  )
}

function lastPart(key: string): string {
  return key.slice(key.lastIndexOf(".") + 1)
}

function badValueText(key: ConfigKey, found: unknown): string {
  return `${key}: ${valueText(key, found)}`
}

function notForRepositoryText(key: ConfigKey): string {
  const what = key.endsWith(".command") ? "names a program that is run" : "says what programs may do or know"
  return `${key} ${what}, which is not for a repository to say`
}

function setInHome(key: ConfigKey): Remedy {
  return { operation: "config set", fields: { key, value: "VALUE" }, to: "set it in the home with" }
}

function valueText(key: ConfigKey, found: unknown): string {
  return `expected ${expectedValue(key)}, found ${describe(found)}`
}

function expectedValue(key: ConfigKey): string {
  const row = configRow(key)
  switch (row.type) {
    case "string":
      return row.choices === undefined ? (row.expects ?? "a text") : `one of ${row.choices.join(", ")}`
    case "number":
      return `a ${row.isDecimal === true ? "" : "whole "}number ${rangeText(row)}`
    case "boolean":
      return "true or false"
    case "strings":
      return row.expects === undefined ? "a list of texts" : `a list of ${row.expects}`
    case "numbers":
      return `a list of whole numbers ${rangeText(row)}`
    default:
      return unreachable(row)
  }
}

function rangeText({ min, max }: { readonly min: number; readonly max?: number }): string {
  return max === undefined ? `of at least ${min}` : `from ${min} to ${max}`
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
