import { AppError } from "../../kernel/errors.ts"
import { quoteInput } from "../../kernel/ids.ts"
import { checkFields, describeField, type FieldFacts, type Fields } from "../../lib/schema.ts"
import { kebab } from "../../lib/text/kebab.ts"
import { nearest } from "../../lib/text/nearest.ts"

export interface Flag extends FieldFacts {
  readonly field: string
  readonly name: string
}

export interface Parsed {
  readonly values: Record<string, unknown>
  readonly rest: readonly string[]
}

export function flagsOf(fields: Fields): Flag[] {
  return Object.entries(fields).map(([field, definition]) => ({
    ...describeField(definition),
    field,
    name: kebab(field),
  }))
}

/** Every problem is one line that names the flag. */
export function parseFlags(
  args: readonly string[],
  flags: readonly Flag[],
  positional: readonly string[],
  usage: string,
): Parsed {
  const byName = new Map(flags.map((flag) => [flag.name, flag]))
  const given = new Map<string, string[]>()
  const add = (flag: Flag, text: string) => given.set(flag.field, [...(given.get(flag.field) ?? []), text])
  const loose: string[] = []
  const dashes = args.indexOf("--")
  const words = dashes === -1 ? args : args.slice(0, dashes)
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? ""
    if (!/^-./.test(word) || /^-\d/.test(word)) {
      loose.push(word)
      continue
    }
    const { name, inline } = splitFlag(word)
    const flag = byName.get(name)
    if (flag === undefined) throw unknownFlag(word.split("=", 1)[0] ?? word, [...byName.keys()], usage)
    if (inline !== undefined || flag.kind === "flag") add(flag, inlineValue(flag, inline))
    else add(flag, nextValue(flag, words[++index]))
  }
  for (const [index, text] of loose.entries()) {
    const flag = flags.find((each) => each.field === (positional[index] ?? positional.at(-1)))
    const isTooMuch = index >= positional.length && flag?.kind !== "list"
    if (flag === undefined || isTooMuch)
      throw new AppError("usage", `unexpected argument ${quoteInput(text)}; ${usage}`)
    add(flag, text)
  }
  return {
    values: Object.fromEntries([...given].map(([field, texts]) => [field, readValue(flags, field, texts)])),
    rest: dashes === -1 ? [] : args.slice(dashes + 1),
  }
}

/** A problem names the field as the caller writes it. */
export function checkInput(fields: Fields, values: Record<string, unknown>, example?: string): Record<string, unknown> {
  const checked = checkFields(fields, values)
  if (checked.ok) return checked.values
  const { field, isMissing, problem, issue } = checked
  if (isMissing) {
    // The example shows that a missing value may also be given without its flag.
    const way = example === undefined ? "" : `; for example: ${example}`
    throw new AppError("usage", (say) => `${say.field(field)} is missing${way}`, { field })
  }
  const value = issue.input
  const close = issue.type === "picklist" ? nearest(String(value), choicesOf(fields[field])) : undefined
  // Our own checks name the value where it helps.
  const text = typeof value === "object" ? JSON.stringify(value) : String(value)
  const shown = issue.type === "raw_check" ? "" : ` ${quoteInput(text)}`
  throw new AppError(
    "input.invalid",
    (say) => `${say.field(field)}${shown} ${problem}${close === undefined ? "" : `; did you mean ${close}?`}`,
    { field },
  )
}

function choicesOf(field: Fields[string] | undefined): readonly string[] {
  if (field === undefined) return []
  const { choices, item } = describeField(field)
  return choices ?? choicesOf(item)
}

function splitFlag(word: string): { name: string; inline?: string } {
  const equals = word.indexOf("=")
  const name = word.slice(0, equals === -1 ? undefined : equals).replace(/^--?/, "")
  return equals === -1 ? { name } : { name, inline: word.slice(equals + 1) }
}

function inlineValue(flag: Flag, text: string | undefined): string {
  if (flag.kind !== "flag") return text ?? ""
  if (text !== undefined && text !== "true" && text !== "false")
    throw new AppError("usage", `--${flag.name} takes no value`)
  return text ?? "true"
}

function nextValue(flag: Flag, word: string | undefined): string {
  // `--title --id 3` is a forgotten title, not a title that reads "--id".
  if (word !== undefined && !word.startsWith("--")) return word
  const hint = word === undefined ? "" : ` (for one that starts with --, write --${flag.name}=${word})`
  throw new AppError("usage", `--${flag.name} needs a value${hint}`)
}

function readValue(flags: readonly Flag[], field: string, texts: readonly string[]): unknown {
  const flag = flags.find((each) => each.field === field)
  if (flag === undefined) return undefined
  if (flag.kind === "list") {
    const { separator } = flag
    if (separator === undefined) return texts
    return texts.flatMap((text) => text.split(separator).map((part) => part.trim())).filter((part) => part !== "")
  }
  const [text = ""] = texts
  if (texts.length > 1 && flag.kind !== "flag")
    throw new AppError("usage", `--${flag.name} was given ${texts.length} times; it takes one value`)
  if (flag.kind === "flag") return texts.at(-1) === "true"
  if (flag.kind === "number") return readNumber(flag, text)
  return flag.kind === "record" ? readJson(flag, text) : text
}

function readNumber(flag: Flag, text: string): number {
  const number = Number(text)
  if (text.trim() === "" || !Number.isFinite(number))
    throw new AppError("input.invalid", `--${flag.name} ${quoteInput(text)} is not a number`)
  return number
}

function readJson(flag: Flag, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new AppError(
      "input.invalid",
      `--${flag.name} ${quoteInput(text)} is not JSON; write it as '{"message": "..."}'`,
    )
  }
}

function unknownFlag(raw: string, names: readonly string[], usage: string): AppError {
  const close = nearest(raw.replace(/^-+/, ""), names)
  const hint = close === undefined ? ";" : `; did you mean --${close}? For all flags`
  return new AppError("usage", `unknown flag ${quoteInput(raw)}${hint} ${usage}`)
}
