import { parseArgs } from "node:util"
import * as v from "valibot"
import { AppError } from "../../domain/errors.ts"
import { quoteInput } from "../../domain/ids.ts"
import { nearest } from "../../lib/nearest.ts"
import type { Fields } from "./command.ts"

/** A field of an input schema, seen as a command-line flag. */
export interface Flag {
  readonly field: string
  readonly name: string
  readonly kind: "boolean" | "number" | "text" | "json"
  readonly isList: boolean
  readonly separator: string | undefined
  readonly isRequired: boolean
  readonly choices: readonly string[]
  readonly description: string
}

export interface Parsed {
  readonly values: Record<string, unknown>
  readonly rest: readonly string[]
}

export function flagsOf(fields: Fields): Flag[] {
  return Object.entries(fields).map(([field, schema]) => describeField(field, schema))
}

export function kebab(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** Turns arguments into field values; every problem is one line that names the flag. */
export function parseFlags(
  args: readonly string[],
  flags: readonly Flag[],
  positional: readonly string[],
  usage: string,
): Parsed {
  const byName = new Map(flags.map((flag) => [flag.name, flag]))
  const options = Object.fromEntries(
    flags.map((flag) => [
      flag.name,
      { type: flag.kind === "boolean" ? ("boolean" as const) : ("string" as const), multiple: true },
    ]),
  )
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true })
  const given = new Map<string, string[]>()
  const add = (flag: Flag, text: string) => given.set(flag.field, [...(given.get(flag.field) ?? []), text])
  const loose: string[] = []
  const rest: string[] = []
  let behindDashes = false
  for (const token of tokens) {
    if (token.kind === "option-terminator") behindDashes = true
    else if (token.kind === "positional") (behindDashes ? rest : loose).push(token.value)
    else {
      const flag = byName.get(token.name)
      if (flag === undefined) throw unknownFlag(token.rawName, [...byName.keys()], usage)
      add(flag, checkToken(flag, token.value, token.inlineValue === true))
    }
  }
  for (const [index, text] of loose.entries()) {
    const flag = flags.find((each) => each.field === positional[index])
    if (flag === undefined) throw new AppError("usage", `unexpected argument ${quoteInput(text)}; ${usage}`)
    add(flag, text)
  }
  return {
    values: Object.fromEntries([...given].map(([field, texts]) => [field, readValue(flags, field, texts)])),
    rest,
  }
}

/** Checks values against the schema and gives them their types, defaults included. */
export function checkFields(fields: Fields, values: Record<string, unknown>): Record<string, unknown> {
  const result = v.safeParse(v.object(fields), values, { abortEarly: true })
  if (result.success) return result.output
  const issue = result.issues[0]
  const field = String(issue.path?.[0]?.key ?? "")
  const flag = `--${kebab(field)}`
  if (issue.input === undefined) throw new AppError("usage", `${flag} is missing`, { field })
  const choices = describeField(field, fields[field] ?? v.string()).choices
  if (issue.type === "picklist" && choices.length > 0) {
    const close = nearest(String(issue.input), choices)
    const hint = close === undefined ? "" : `; did you mean ${close}?`
    throw new AppError(
      "input.invalid",
      `${flag} ${quoteInput(String(issue.input))} is not one of ${choices.join(", ")}${hint}`,
      { field },
    )
  }
  throw new AppError("input.invalid", `${flag}: ${issue.message}`, { field })
}

function describeField(field: string, schema: v.GenericSchema | v.GenericSchemaAsync): Flag {
  const inner = unwrap(schema)
  const isList = inner.type === "array"
  const item = isList && "item" in inner ? unwrap(inner.item as v.GenericSchema) : inner
  const metadata = v.getMetadata(inner as v.GenericSchema) as { separator?: string }
  const description = v.getDescription(schema as v.GenericSchema) ?? v.getDescription(inner as v.GenericSchema) ?? ""
  return {
    field,
    name: kebab(field),
    kind: kindOf(item.type),
    isList,
    separator: metadata.separator,
    isRequired: schema.type !== "optional",
    choices: "options" in item && Array.isArray(item.options) ? item.options.map(String) : [],
    description,
  }
}

function unwrap(schema: v.GenericSchema | v.GenericSchemaAsync): v.GenericSchema | v.GenericSchemaAsync {
  return schema.type === "optional" && "wrapped" in schema ? unwrap(schema.wrapped as v.GenericSchema) : schema
}

function kindOf(type: string): Flag["kind"] {
  if (type === "boolean" || type === "number") return type
  return type === "record" ? "json" : "text"
}

function checkToken(flag: Flag, value: string | undefined, inline: boolean): string {
  if (flag.kind === "boolean") {
    if (value !== undefined && value !== "true" && value !== "false")
      throw new AppError("usage", `--${flag.name} takes no value`)
    return value ?? "true"
  }
  // `--title --id 3` is a forgotten title, not a title that reads "--id".
  if (value === undefined || (!inline && value.startsWith("--"))) {
    throw new AppError(
      "usage",
      `--${flag.name} needs a value${value === undefined ? "" : ` (for one that starts with --, write --${flag.name}=${value})`}`,
    )
  }
  return value
}

function readValue(flags: readonly Flag[], field: string, texts: readonly string[]): unknown {
  const flag = flags.find((each) => each.field === field)
  if (flag === undefined) return undefined
  if (flag.isList) {
    const { separator } = flag
    if (separator === undefined) return texts
    return texts.flatMap((text) => text.split(separator).map((part) => part.trim())).filter((part) => part !== "")
  }
  const [text = ""] = texts
  if (texts.length > 1 && flag.kind !== "boolean")
    throw new AppError("usage", `--${flag.name} was given ${texts.length} times; it takes one value`)
  if (flag.kind === "boolean") return texts.at(-1) === "true"
  if (flag.kind === "number") return readNumber(flag, text)
  return flag.kind === "json" ? readJson(flag, text) : text
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
  return new AppError(
    "usage",
    `unknown flag ${raw}${close === undefined ? "" : `; did you mean --${close}?`}; ${usage}`,
  )
}
