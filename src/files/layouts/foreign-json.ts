import * as v from "valibot"
import { isId } from "../../kernel/ids.ts"
import { isDeeper } from "../own/file-schema.ts"

/** JSON of other programs: accepted in many shapes, and never trusted. */
export type Json = Readonly<Record<string, unknown>>

export type ParsedJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string }

/** Deeper than any real file, and far below the limit of the call stack. */
const DEEPEST_NESTING = 200

const UTF8 = new TextDecoder("utf-8", { fatal: true })

export function parseJson(bytes: Uint8Array): ParsedJson {
  let text: string
  try {
    text = UTF8.decode(bytes)
  } catch {
    return { ok: false, why: "is not UTF-8 text" }
  }
  return parseJsonText(text)
}

export function parseJsonText(text: string): ParsedJson {
  if (text.trim() === "") return { ok: false, why: "is empty" }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { ok: false, why: "is not complete JSON; it may have been cut off while it was written" }
  }
  if (isDeeper(value, DEEPEST_NESTING)) return { ok: false, why: "is nested too deeply" }
  // Only an escape can contain what no database stores.
  return { ok: true, value: text.includes("\\u") ? clean(value) : value }
}

/** Removes what no database stores: NUL characters and unpaired surrogates. */
function clean(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll("\0", "").toWellFormed()
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(clean)
  return Object.fromEntries(Object.entries(value).map((entry) => entry.map(clean)))
}

export function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

const Text = v.pipe(v.union([v.string(), v.pipe(v.number(), v.finite(), v.transform(String))]), v.description("a text"))

/** From 0 and small enough for every store, also when written as text. */
export const Count = v.pipe(Text, v.trim(), v.regex(/^\d{1,9}$/), v.transform(Number), v.description("a whole number"))

export const Integer = v.pipe(Text, v.regex(/^-?\d{1,9}$/), v.transform(Number), v.description("a whole number"))

export const Id = v.pipe(Text, v.trim(), v.check(isId), v.description("a valid id"))

export const Flag = v.pipe(v.boolean(), v.description("true or false"))

export const List = v.pipe(v.array(v.unknown()), v.description("a list"))

export const JsonObject = v.pipe(v.custom<Json>(isRecord), v.description("an object"))

/** A list of texts, or one text with an entry on each line. */
export const Texts = v.pipe(
  v.union([
    v.pipe(
      v.string(),
      v.transform((text) => split(text, "\n")),
    ),
    v.pipe(
      v.array(v.unknown()),
      v.transform((items) => items.map((item) => asText(item) ?? asLine(item)).filter((text) => text !== "")),
    ),
  ]),
  v.description("a list of texts"),
)

/** Numbers, texts, texts with commas between ids, or objects with an id. */
export const Ids = v.pipe(
  v.union([
    v.pipe(
      Text,
      v.transform((text) => split(text, ",")),
    ),
    v.pipe(
      v.array(v.unknown()),
      v.transform((items) => items.filter((item) => item !== null).map((item) => (isRecord(item) ? idOf(item) : item))),
      v.array(v.pipe(Text, v.trim())),
      v.transform((ids) => ids.filter((id) => id !== "")),
    ),
  ]),
  v.description("a list of ids"),
)

export function idOf(record: Json): string | undefined {
  return asText(record.id ?? record.task_id ?? record.taskId)?.trim()
}

/** Without a zone it is UTC, so that every machine reads the same. Numbers are seconds or milliseconds since 1970. */
export const Time = v.pipe(
  Text,
  v.trim(),
  v.transform((text) => (NUMBER.test(text) ? fromNumber(text) : fromParts(text))),
  v.number(),
  v.gtValue(0),
  v.maxValue(Date.parse("9999-12-31T23:59:59.999Z")),
  v.transform((ms) => new Date(Math.trunc(ms)).toISOString()),
  v.description("a time"),
)

const NUMBER = /^\d+(?:\.\d+)?$/
const TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(?:[.,](\d+))?\s*(Z|[+-]\d\d:?\d\d)?)?$/i
/** Smaller numbers are seconds: as milliseconds they would be in 1970. */
const FIRST_MILLISECONDS = 100_000_000_000

function fromNumber(text: string): number {
  const time = Number(text)
  return time < FIRST_MILLISECONDS ? time * 1000 : time
}

function fromParts(text: string): number {
  const [, day, minutes = "00:00", seconds = ":00", fraction = "0", zone = "Z"] = TIME.exec(text) ?? []
  const offset = zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase()
  return Date.parse(`${day}T${minutes}${seconds}.${fraction.slice(0, 3).padEnd(3, "0")}${offset}`)
}

/** In any spelling that `asWord` treats as the same. */
export function choice<const Choice extends string>(choices: readonly Choice[]) {
  return v.pipe(
    v.unknown(),
    v.transform((value) => choices.find((each) => each === value || asWord(each) === asWord(value))),
    v.picklist(choices),
    v.description(`one of ${choices.join(", ")}`),
  )
}

export function as<Schema extends v.GenericSchema>(schema: Schema, value: unknown): v.InferOutput<Schema> | undefined {
  const read = v.safeParse(schema, value, { abortEarly: true })
  return read.success ? read.output : undefined
}

export function asText(value: unknown): string | undefined {
  return as(Text, value)
}

function split(text: string, separator: string): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== "")
}

/** `In Progress`, `in-progress` and `IN_PROGRESS` are the same word. */
export function asWord(value: unknown): string {
  return (asText(value) ?? "")
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_")
}

export function asLine(value: unknown): string {
  const text = asText(value) ?? (value === undefined || value === null ? "" : JSON.stringify(value))
  return text.replaceAll(/\s+/g, " ").trim()
}

/**
 * Reads each field under any of several names, and remembers which were understood: a reader can tell whether the
 * record says more.
 */
export class Fields {
  readonly #record: Json
  readonly #understood = new Set<string>()
  /** Fields with a value that cannot be used. */
  readonly wrong: string[] = []

  constructor(record: Json) {
    this.#record = record
  }

  /** The first name whose value fits the schema. */
  read<Schema extends v.GenericSchema>(schema: Schema, ...names: string[]): v.InferOutput<Schema> | undefined {
    for (const name of names) {
      const found = this.#record[name]
      if (found === undefined || found === null || found === "") continue
      const value = as(schema, found)
      if (value !== undefined) {
        this.#understood.add(name)
        return value
      }
      this.wrong.push(`${name} is not ${v.getDescription(schema)} and was left out`)
    }
    return undefined
  }

  text(...names: string[]): string | undefined {
    return this.read(Text, ...names)
  }

  any(...names: string[]): unknown {
    return this.read(v.unknown(), ...names)
  }

  rest(): Json {
    return Object.fromEntries(
      Object.entries(this.#record).filter(([name, value]) => !this.#understood.has(name) && !isNothing(value)),
    )
  }
}

export function readTimes(fields: Fields, otherwise: string): { createdAt: string; updatedAt: string } {
  const created = fields.read(Time, "created_at", "createdAt", "startedAt")
  const updated = fields.read(Time, "updated_at", "updatedAt", "lastUpdate", "lastUpdated")
  return { createdAt: created ?? updated ?? otherwise, updatedAt: updated ?? created ?? otherwise }
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0)
}
