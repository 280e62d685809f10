// A schema names the fields as in the file, in the order in which they are written; the program sees the same fields in
// camel case.
import * as v from "valibot"
import { isId } from "../../kernel/ids.ts"
import { isIsoTime } from "../../kernel/iso-time.ts"

/** A fault in a file. Any other error is a bug of ours. */
export class Problem extends Error {}

type Camel<Key> = Key extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Key
type CamelKeys<Value> = { [Key in keyof Value as Camel<Key> & string]: Value[Key] }

export function fields<const Entries extends v.ObjectEntries>(entries: Entries) {
  const names = Object.keys(entries).map((key) => [key, camelCase(key)] as const)
  return v.pipe(
    v.object(entries, "is not an object"),
    v.transform((value) => {
      const renamed: Record<string, unknown> = {}
      for (const [key, name] of names) if (key in value) renamed[name] = value[key]
      return renamed as CamelKeys<typeof value>
    }),
  )
}

const camelNames = new Map<string, string>()

function camelCase(key: string): string {
  const known = camelNames.get(key)
  if (known !== undefined) return known
  const name = key.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  camelNames.set(key, name)
  return name
}

export const text = v.pipe(
  v.string("is not a text"),
  v.check((value) => !value.includes("\0"), "has a NUL character"),
)
export const flag = v.boolean("is not true or false")

export function id<Id extends string = string>() {
  return v.pipe(
    text,
    v.check(isId, "is not a valid id"),
    v.transform((value) => value as Id),
  )
}

export function whole(min: number) {
  const problem = `is not a whole number from ${min} on`
  return v.pipe(v.number(problem), v.safeInteger(problem), v.minValue(min, problem))
}

export function choice<const Choices extends readonly string[]>(choices: Choices) {
  return v.picklist(choices, `is not one of ${choices.join(", ")}`)
}

export function list<Item extends v.GenericSchema>(item: Item) {
  return v.array(item, "is not a list")
}

/** Null in the program, absent in the file. */
export function orAbsent<Value extends v.GenericSchema>(value: Value) {
  return v.optional(v.nullable(value), null)
}

/** Written for other readers. We compute it from the rest, so any value is accepted. */
export function derived<Value extends v.GenericSchema>(value: Value, fallback: v.InferOutput<Value>) {
  return v.fallback(value, fallback)
}

// ISO 8601 times with a zone: the same moment everywhere.
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

export const time = v.pipe(
  text,
  v.rawTransform<string, string>(({ dataset: { value }, addIssue, NEVER }) => {
    if (isIsoTime(value)) return value
    const ms = MOMENT.test(value) ? Date.parse(value) : Number.NaN
    if (Number.isNaN(ms)) {
      addIssue({ message: "is not a time like 2026-01-31T12:00:00.000Z" })
      return NEVER
    }
    // Date.parse turns the 30th of February into a day of March.
    const day = value.slice(0, 10)
    if (new Date(Date.parse(day)).toISOString().startsWith(day)) return new Date(ms).toISOString()
    addIssue({ message: "is a day that does not exist" })
    return NEVER
  }),
)

/** Deeper than people nest on purpose, and far below the limit of JSON.stringify. */
const MAX_DEPTH = 1000

/** An object with any content. Not `v.record`, which drops keys such as `__proto__`. */
export const anyObject = v.pipe(
  v.custom<Record<string, unknown>>(isObject, "is not an object"),
  v.check((value) => !isDeeper(value, MAX_DEPTH), "is nested too deep"),
)

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

export function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false
  if (depth === 0) return true
  for (const inner of Object.values(value)) if (isDeeper(inner, depth - 1)) return true
  return false
}

/** Throws a Problem that names the first field that does not fit. */
export function readAs<Schema extends v.GenericSchema>(schema: Schema, value: unknown): v.InferOutput<Schema> {
  if (!isObject(value)) throw new Problem("is not an object")
  const read = v.safeParse(schema, value, { abortEarly: true })
  if (read.success) return read.output
  const [{ path, input, message }] = read.issues
  const names = path?.map(({ key }) => (typeof key === "number" ? "an entry of" : key)).slice(-2) ?? []
  const name = typeof path?.at(-1)?.key === "number" ? names.reverse().join(" ") : names.at(-1)
  throw new Problem(`${name} ${input === undefined ? "is missing" : message}`)
}

interface Part {
  readonly type: string
  readonly entries?: Readonly<Record<string, Part>>
  readonly item?: Part
  readonly wrapped?: Part
  readonly default?: unknown
}

/** Names and order of the file, without values that equal their default. */
export function toFile({ entries }: Part, value: object): Record<string, unknown> {
  const file: Record<string, unknown> = {}
  for (const key in entries) {
    const part = entries[key] as Part
    const written = writePart(part, (value as Record<string, unknown>)[camelCase(key)])
    if (part.type !== "optional" || !isDefault(written, part.default)) file[key] = written
  }
  return file
}

function writePart({ wrapped, item, entries }: Part, value: unknown): unknown {
  if (value === null || value === undefined) return value
  if (wrapped !== undefined) return writePart(wrapped, value)
  if (item?.entries !== undefined) return (value as readonly object[]).map((each) => toFile(item, each))
  return entries === undefined ? value : toFile({ type: "object", entries }, value)
}

/** A default that is a list or an object is empty. */
function isDefault(value: unknown, standard: unknown): boolean {
  if (typeof standard !== "object" || standard === null) return value === standard
  return Object.keys(value as object).length === 0
}
