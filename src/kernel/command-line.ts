import { kebab } from "../lib/text/kebab.ts"
import { quoteArgument } from "../lib/text/quote-argument.ts"
import type { FieldValue } from "./remedy.ts"

/** Fields that a command takes without a flag; every field also has a flag. */
interface Arguments {
  readonly positional?: readonly string[]
  /** The field that takes everything after `--`. */
  readonly takesRest?: string
}

interface Call {
  readonly operation: string
  readonly fields?: Readonly<Record<string, FieldValue | undefined>>
}

/** A remedy as a person types it in a shell. */
export function commandLine({ operation, fields = {} }: Call, { positional = [], takesRest }: Arguments = {}): string {
  const given = new Map(Object.entries(fields))
  const loose: string[] = []
  for (const field of positional) {
    const words = wordsOf(given.get(field))
    // Arguments are positional: after a gap, or for a word that looks like a flag, the flag must be written.
    if (words.length === 0 || words.some((word) => word.startsWith("-"))) break
    given.delete(field)
    loose.push(...words.map(quoteArgument))
  }
  const rest = takesRest === undefined ? [] : wordsOf(given.get(takesRest)).map(quoteArgument)
  if (takesRest !== undefined) given.delete(takesRest)
  const flags = [...given].flatMap(([field, value]) => flagWords(field, value))
  const behind = rest.length === 0 ? [] : ["--", ...rest]
  return ["teamwork", operation, ...loose, ...flags, ...behind].join(" ")
}

/** A field as a flag of the command line. */
export function flagOf(field: string): string {
  return `--${kebab(field)}`
}

function flagWords(field: string, value: FieldValue | undefined): string[] {
  if (value === true) return [flagOf(field)]
  return wordsOf(value).map((word) => `${flagOf(field)}${word.startsWith("-") ? "=" : " "}${quoteArgument(word)}`)
}

function wordsOf(value: FieldValue | undefined): readonly string[] {
  if (value === undefined || value === true) return []
  return typeof value === "object" ? value : [String(value)]
}
