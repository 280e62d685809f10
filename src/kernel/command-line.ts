import { kebab } from "../lib/text/kebab.ts"
import { quoteArgument } from "../lib/text/quote-argument.ts"
import type { FieldValue } from "./remedy.ts"

/** What a command takes without its flag; every field may also be given by flag. */
interface Arguments {
  readonly positional?: readonly string[]
  /** The field that takes everything behind `--`. */
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
    // Arguments go by their place: after a gap, or for a word that looks like a flag, the flag has to be named.
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
