import { isId } from "../../kernel/ids.ts"
import { isIsoTime } from "../../kernel/iso-time.ts"

/** JSON that other programs wrote: accepted in many shapes, and never trusted. */
export type Json = Readonly<Record<string, unknown>>

export type ParsedJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string }

/** Deeper than any file of these systems, and far below what the call stack holds. */
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
  // Only an escape can bring in what no database keeps, and few files have any; few have that many brackets either.
  if (!text.includes("\\u") && countUpTo(DEEPEST_NESTING, text) < DEEPEST_NESTING) return { ok: true, value }
  const cleaned = clean(value, 0)
  return cleaned === TOO_DEEP ? { ok: false, why: "is nested too deeply" } : { ok: true, value: cleaned }
}

/** The number of opening brackets, counted no further than `most`. */
function countUpTo(most: number, text: string): number {
  let count = 0
  for (const bracket of ["[", "{"]) {
    for (let at = text.indexOf(bracket); at !== -1 && count < most; at = text.indexOf(bracket, at + 1)) count += 1
  }
  return count
}

const TOO_DEEP = Symbol("too deep")

/** Without what no database keeps: NUL characters and halves of character pairs. */
function clean(value: unknown, depth: number): unknown {
  if (typeof value === "string") return value.replaceAll("\0", "").toWellFormed()
  if (typeof value !== "object" || value === null) return value
  if (depth === DEEPEST_NESTING) return TOO_DEEP
  const entries = Object.entries(value).map(([key, inner]) => [clean(key, depth), clean(inner, depth + 1)] as const)
  if (entries.some(([, inner]) => inner === TOO_DEEP)) return TOO_DEEP
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)
}

export function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** Ids and names may be written as numbers. */
export function asText(value: unknown): string | undefined {
  if (typeof value === "string") return value
  return typeof value === "number" && Number.isFinite(value) ? String(value) : undefined
}

/** A whole number from 0 on that every store can hold, also when written as text. */
export function asCount(value: unknown): number | undefined {
  const text = asText(value)?.trim() ?? ""
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

function asId(value: unknown): string | undefined {
  const text = asText(value)?.trim() ?? ""
  return isId(text) ? text : undefined
}

function asInteger(value: unknown): number | undefined {
  const text = asText(value) ?? ""
  return /^-?\d{1,9}$/.test(text) ? Number(text) : undefined
}

function asFlag(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined
}

function asList(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined
}

function asRecord(value: unknown): Json | undefined {
  return isRecord(value) ? value : undefined
}

function asItIs(value: unknown): unknown {
  return value
}

/** A list of texts, one per line when it is a single text; anything else in it is written out. */
export function asTexts(value: unknown): string[] | undefined {
  if (typeof value === "string") return split(value, "\n")
  return Array.isArray(value)
    ? value.map((item) => asText(item) ?? asLine(item)).filter((text) => text !== "")
    : undefined
}

/** A list of ids: as numbers, as texts, with commas between them, or as objects that have one. */
export function asIds(value: unknown): string[] | undefined {
  const text = asText(value)
  if (text !== undefined) return split(text, ",")
  if (!Array.isArray(value)) return undefined
  const items = value.filter((item) => item !== null)
  const ids = items.map((item) => asText(isRecord(item) ? (item.id ?? item.task_id ?? item.taskId) : item)?.trim())
  return ids.every((id) => id !== undefined) ? ids.filter((id) => id !== "") : undefined
}

function split(text: string, separator: string): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== "")
}

/** `In Progress`, `in-progress` and `IN_PROGRESS` are one word. */
export function asWord(value: unknown): string {
  if (typeof value === "string" && /^[a-z_]*$/.test(value)) return value
  return (asText(value) ?? "")
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_")
}

const FIRST_TIME = "1970-01-01T00:00:00.000Z"
const LATEST_MS = Date.parse("9999-12-31T23:59:59.999Z")
/** Smaller numbers are seconds: as milliseconds they would lie in 1970. */
const FIRST_MILLISECONDS = 100_000_000_000

const TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(?:[.,](\d+))?\s*(Z|[+-]\d\d:?\d\d)?)?$/i

/** A time as our stores keep it. Without a zone it is taken for UTC, so that every machine reads the same. */
export function asTime(value: unknown): string | undefined {
  // Most are written as we write them ourselves.
  if (typeof value === "string" && isIsoTime(value) && value > FIRST_TIME) return value
  const text = asText(value)?.trim() ?? ""
  const ms = /^\d+(?:\.\d+)?$/.test(text) ? inMilliseconds(Number(text)) : parseTime(text)
  return ms > 0 && ms <= LATEST_MS ? new Date(Math.trunc(ms)).toISOString() : undefined
}

function inMilliseconds(time: number): number {
  return time < FIRST_MILLISECONDS ? time * 1000 : time
}

function parseTime(text: string): number {
  const [, day, minutes = "00:00", seconds = ":00", fraction = "0", zone = "Z"] = TIME.exec(text) ?? []
  const offset = zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase()
  return Date.parse(`${day}T${minutes}${seconds}.${fraction.slice(0, 3).padEnd(3, "0")}${offset}`)
}

/** Anything in one line, for people. */
export function asLine(value: unknown): string {
  const text = asText(value) ?? (value === undefined || value === null ? "" : JSON.stringify(value))
  return text.replaceAll(/\s+/g, " ").trim()
}

/**
 * The fields of a foreign record, each under any of several names. It remembers what was understood, so that a reader
 * can tell whether the record says more than was taken over.
 */
export class Fields {
  readonly #record: Json
  /** A few names: a list is faster than a set. */
  readonly #understood: string[] = []
  /** What is there, but of a kind that nothing can be made of. */
  readonly wrong: string[] = []

  constructor(record: Json) {
    this.#record = record
  }

  text(...names: string[]): string | undefined {
    return this.read(names, "a text", asText)
  }
  id(...names: string[]): string | undefined {
    return this.read(names, "a valid id", asId)
  }
  count(...names: string[]): number | undefined {
    return this.read(names, "a whole number", asCount)
  }
  integer(...names: string[]): number | undefined {
    return this.read(names, "a whole number", asInteger)
  }
  /** One of these words, in any spelling that `asWord` takes for the same. */
  choice<const Choice extends string>(choices: readonly Choice[], ...names: string[]): Choice | undefined {
    return this.read(names, choices, (value) => {
      if (choices.includes(value as Choice)) return value as Choice
      const word = asWord(value)
      return choices.find((choice) => asWord(choice) === word)
    })
  }
  flag(...names: string[]): boolean | undefined {
    return this.read(names, "true or false", asFlag)
  }
  time(...names: string[]): string | undefined {
    return this.read(names, "a time", asTime)
  }
  texts(...names: string[]): string[] | undefined {
    return this.read(names, "a list of texts", asTexts)
  }
  ids(...names: string[]): string[] | undefined {
    return this.read(names, "a list of ids", asIds)
  }
  list(...names: string[]): readonly unknown[] | undefined {
    return this.read(names, "a list", asList)
  }
  record(...names: string[]): Json | undefined {
    return this.read(names, "an object", asRecord)
  }
  any(...names: string[]): unknown {
    return this.read(names, "there", asItIs)
  }

  /** The names whose content went nowhere. */
  left(): string[] {
    const left: string[] = []
    for (const name of Object.keys(this.#record))
      if (!this.#understood.includes(name) && !isNothing(this.#record[name])) left.push(name)
    return left
  }
  /** What `left` names. */
  rest(): Json {
    return Object.fromEntries(this.left().map((name) => [name, this.#record[name]]))
  }

  /** `kind` is what was expected, or the words of which one was. */
  private read<Value>(
    names: readonly string[],
    kind: string | readonly string[],
    as: (value: unknown) => Value | undefined,
  ): Value | undefined {
    for (const name of names) {
      const found = this.#record[name]
      if (found === undefined || found === null || found === "") continue
      const value = as(found)
      if (value !== undefined) {
        this.#understood.push(name)
        return value
      }
      const expected = typeof kind === "string" ? kind : `one of ${kind.join(", ")}`
      this.wrong.push(`${name} is not ${expected} and was left out`)
    }
    return undefined
  }
}

/** When something was made and last changed, as far as it is known. */
export function readTimes(fields: Fields, otherwise: string): { createdAt: string; updatedAt: string } {
  const created = fields.time("created_at", "createdAt", "startedAt")
  const updated = fields.time("updated_at", "updatedAt", "lastUpdate", "lastUpdated")
  return { createdAt: created ?? updated ?? otherwise, updatedAt: updated ?? created ?? otherwise }
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0)
}
