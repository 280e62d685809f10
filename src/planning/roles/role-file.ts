import { AppError } from "../../kernel/errors.ts"
import { ID_RULE, isId, quoteInput } from "../../kernel/ids.ts"
import type { Remedy } from "../../kernel/remedy.ts"
import { nearest } from "../../lib/text/nearest.ts"
import { EFFORTS } from "../../tasks/effort.ts"
import { MODEL_TIERS } from "../complexity/model-tier.ts"
import { CAPABILITIES, RESPONSIBILITIES, type RoleDefinition } from "./roles.ts"

/** A role as its file says it; what is left out comes from the role it extends, or from its kind. */
export interface RoleFile
  extends Partial<
      Pick<RoleDefinition, "kind" | "responsibility" | "model" | "effort" | "tools" | "writes" | "prefix" | "innerLoop">
    >,
    Pick<RoleDefinition, "name" | "instructions"> {
  readonly file: string
  readonly extends?: string
  /** Where `extends` stands, for errors that show only when all files are read. */
  readonly extendsLine: number
}

const MODELS = [...MODEL_TIERS, "dynamic"] as const

/** How each key of the front matter is read; the reader says what is wrong with a value by throwing a word on it. */
const KEYS = {
  name: id,
  extends: id,
  kind: oneOf(CAPABILITIES),
  model: oneOf(MODELS),
  effort: oneOf(EFFORTS),
  tools: words,
  writes: yesOrNo,
  prefix,
  responsibility_type: oneOf(RESPONSIBILITIES),
  inner_loop: yesOrNo,
} as const satisfies Record<string, (value: Value) => unknown>
type Key = keyof typeof KEYS
type Values = { [K in Key]?: ReturnType<(typeof KEYS)[K]> }

/** A plain word or text, or a list of them. */
type Value = string | readonly string[]

/** Markdown with front matter: a small subset of YAML, `key: value` and `key: [a, b]`. `file` is for errors. */
export function parseRoleFile(file: string, text: string): RoleFile {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/)
  if (lines[0]?.trimEnd() !== "---") throw bad(file, 1, "the file must begin with a line ---, then name: and kind:")
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === "---")
  if (end === -1) throw bad(file, lines.length, "the front matter is not closed with a line ---")
  const values: Values = {}
  const lineOf = new Map<string, number>()
  for (const [index, line] of lines.slice(1, end).entries()) readLine(line, { file, number: index + 2, values, lineOf })
  const instructions = lines
    .slice(end + 1)
    .join("\n")
    .trim()
  const name = values.name ?? nameOf(file)
  if (!isId(name)) throw bad(file, 1, `name: the file's name is no name for a role; add one of ${ID_RULE}`)
  if (values.extends === undefined) {
    if (values.kind === undefined) throw bad(file, 1, `kind: is missing; use ${CAPABILITIES.join(", ")}, or extends:`)
    if (instructions === "") throw bad(file, end + 1, "the instructions are missing; write them below the second ---")
  }
  const { responsibility_type: responsibility, inner_loop: innerLoop, ...rest } = values
  const more = { ...(responsibility && { responsibility }), ...(innerLoop !== undefined && { innerLoop }) }
  return { ...rest, ...more, name, instructions, file, extendsLine: lineOf.get("extends") ?? 1 }
}

interface Place {
  readonly file: string
  readonly number: number
  readonly values: Values
  readonly lineOf: Map<string, number>
}

function readLine(line: string, { file, number, values, lineOf }: Place): void {
  if (line.trim() === "" || line.trimStart().startsWith("#")) return
  const [, key, rest] = /^([A-Za-z_-]+)\s*:(?:\s+(.*))?$/.exec(line.trimEnd()) ?? []
  if (key === undefined) throw bad(file, number, `${quoteInput(line)} is not of the form key: value`)
  if (!isKey(key)) {
    const close = nearest(key, Object.keys(KEYS))
    const hint = close === undefined ? `use ${Object.keys(KEYS).join(", ")}` : `did you mean ${close}?`
    throw bad(file, number, `${key}: is no field of a role; ${hint}`)
  }
  const before = lineOf.get(key)
  if (before !== undefined) throw bad(file, number, `${key}: is there twice, first in line ${before}`)
  lineOf.set(key, number)
  try {
    Object.assign(values, { [key]: KEYS[key](readValue(rest ?? "")) })
  } catch (error) {
    if (error instanceof Wrong) throw bad(file, number, `${key}: ${error.message}`)
    throw error
  }
}

/** What is wrong with a value, before it is known where it stands. */
class Wrong extends Error {}

function readValue(text: string): Value {
  const value = withoutComment(text.trim())
  if (!value.startsWith("[")) return unquote(value)
  if (!value.endsWith("]"))
    throw new Wrong(`the list ${quoteInput(value)} is not closed; write it as [a, b] in one line`)
  // A comma inside of quotes parts nothing.
  const items = value.slice(1, -1).matchAll(/\s*("[^"]*"|'[^']*'|[^,]+)/g)
  return [...items].map(([, item = ""]) => unquote(item.trim())).filter((item) => item !== "")
}

function withoutComment(text: string): string {
  return /^["']/.test(text) ? text : text.replace(/(^|\s)#.*$/, "").trimEnd()
}

function unquote(text: string): string {
  const [, , inner] = /^(["'])(.*)\1$/.exec(text) ?? []
  return inner ?? text
}

function isKey(key: string): key is Key {
  return Object.hasOwn(KEYS, key)
}

function single(value: Value): string {
  if (typeof value !== "string") throw new Wrong("takes one value and not a list")
  if (value === "") throw new Wrong("has no value")
  return value
}

function id(value: Value): string {
  const text = single(value)
  if (!isId(text)) throw new Wrong(`${quoteInput(text)} is not valid; use ${ID_RULE}`)
  return text
}

/** With a dash behind it, what the ids of its tasks begin with. */
export const PREFIX_RULE = "2 to 16 capital letters and digits, the first a letter"
export const isPrefix = (text: string) => /^[A-Z][A-Z0-9]{1,15}$/.test(text)

function prefix(value: Value): string {
  const text = single(value)
  if (!isPrefix(text)) throw new Wrong(`${quoteInput(text)} is not valid; use ${PREFIX_RULE}`)
  return text
}

function oneOf<const Choice extends string>(choices: readonly Choice[]): (value: Value) => Choice {
  return (value) => {
    const text = single(value)
    const found = choices.find((each) => each === text)
    if (found !== undefined) return found
    const close = nearest(text, choices)
    const hint = close === undefined ? "" : `; did you mean ${close}?`
    throw new Wrong(`${quoteInput(text)} is not one of ${choices.join(", ")}${hint}`)
  }
}

function words(value: Value): readonly string[] {
  if (value === "") throw new Wrong("has no value")
  return typeof value === "string" ? [value] : value
}

function yesOrNo(value: Value): boolean {
  const text = single(value)
  if (text !== "true" && text !== "false") throw new Wrong(`${quoteInput(text)} is neither true nor false`)
  return text === "true"
}

function nameOf(file: string): string {
  return file.slice(file.lastIndexOf("/") + 1).replace(/\.md$/, "")
}

export function bad(file: string, line: number, problem: string, remedy?: Remedy): AppError {
  return new AppError("role.bad_file", `${file}:${line}: ${problem}`, { file, line }, { remedy })
}
