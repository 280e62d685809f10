import { unreachable } from "../../lib/unreachable.ts"
import type { ConfigRow, ConfigValue } from "./keys.ts"

/** Text from a variable or the command line as a value of the row's type. Text that does not fit comes back as it is,
 * so that `isConfigValue` refuses it and the message can show it. */
export function parseValue(row: ConfigRow, text: string): unknown {
  switch (row.type) {
    case "string":
      return text
    case "number":
      return row.isDecimal === true ? parseDecimal(text) : parseNumber(text)
    case "boolean":
      return parseBoolean(text)
    case "strings":
      return row.isCommand === true && /[\s"'\\]/.test(text.trim()) ? parseCommand(text) : parseList(text)
    case "numbers":
      return parseList(text).map((item) => (typeof item === "string" ? parseNumber(item) : item))
    default:
      return unreachable(row)
  }
}

export function isConfigValue(row: ConfigRow, value: unknown): value is ConfigValue {
  switch (row.type) {
    case "string":
      return typeof value === "string" && isAllowedText(row, value)
    case "number":
      return isNumberWithin(row, value)
    case "boolean":
      return typeof value === "boolean"
    case "strings":
      // An empty pattern would match every text.
      return (
        Array.isArray(value) &&
        value.every((item) => typeof item === "string" && item.trim() !== "" && fitsPattern(row, item))
      )
    case "numbers":
      return Array.isArray(value) && value.every((item) => isNumberWithin(row, item))
    default:
      return unreachable(row)
  }
}

function parseNumber(text: string): unknown {
  return /^\s*-?[0-9]+\s*$/.test(text) ? Number(text) : text
}

function parseDecimal(text: string): unknown {
  return /^\s*-?[0-9]+(?:\.[0-9]+)?\s*$/.test(text) ? Number(text) : text
}

function parseBoolean(text: string): unknown {
  const word = text.trim().toLowerCase()
  if (word === "true" || word === "1") return true
  if (word === "false" || word === "0") return false
  return text
}

/** A command line stays whole: only where it is used can be seen whether it is the path of one program. */
function parseCommand(text: string): unknown[] {
  return text.trim().startsWith("[") ? parseList(text) : [text.trim()]
}

/** A JSON array, or items between commas. */
function parseList(text: string): unknown[] {
  if (text.trim().startsWith("[")) {
    try {
      const parsed: unknown = JSON.parse(text)
      if (Array.isArray(parsed)) return parsed
    } catch {
      // Not JSON after all: a first item may well start with a bracket.
    }
  }
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")
}

function isAllowedText(row: ConfigRow & { type: "string" }, value: string): boolean {
  if (row.choices !== undefined) return row.choices.includes(value)
  return fitsPattern(row, value)
}

function fitsPattern({ pattern }: { readonly pattern?: string }, value: string): boolean {
  return pattern === undefined || new RegExp(pattern).test(value)
}

function isNumberWithin(
  { min, max = Number.MAX_SAFE_INTEGER, isDecimal = false }: NumberLimits,
  value: unknown,
): boolean {
  if (typeof value !== "number" || !(isDecimal ? Number.isFinite(value) : Number.isSafeInteger(value))) return false
  return value >= min && value <= max
}

interface NumberLimits {
  readonly min: number
  readonly max?: number
  readonly isDecimal?: boolean
}
