import * as v from "valibot"

/**
 * Valibot schemas with the words that users see. A table of fields describes the input of an operation once; the command
 * line, its help, MCP and every other door read it. A field is any valibot schema; the makers here add a description and
 * the checks that most inputs need. `v.optional(field)` may be left out, `v.optional(field, value)` has a default.
 */
export type Field<Value> = v.GenericSchema<Value>
export type Fields = Readonly<Record<string, v.GenericSchema>>

/** The checked values of a table of fields. */
export type InputOf<F extends Fields> = Readonly<v.InferOutput<v.ObjectSchema<F, undefined>>>

/** Says what is wrong with a value of the right type; undefined when nothing is. */
type Check<Value> = (value: Value) => string | undefined

export function text<Text extends string = string>(description = "", check?: Check<string>): Field<Text> {
  const described = v.description<string, string>(description)
  const schema = check === undefined ? v.pipe(v.string(), described) : v.pipe(v.string(), must(check), described)
  return schema as v.GenericSchema<string> as Field<Text>
}

export function choice<const Choice extends string>(choices: readonly Choice[], what: string): Field<Choice> {
  return v.pipe(v.picklist(choices), v.description(`${what}: ${choices.join(", ")}`))
}

export interface NumberLimits {
  readonly min?: number
  readonly max?: number
  readonly isInteger?: boolean
}

export function number(description: string, { min, max, isInteger = false }: NumberLimits = {}): Field<number> {
  const whole = isInteger ? v.pipe(v.number(), v.safeInteger()) : v.number()
  const low = min === undefined ? whole : v.pipe(whole, v.minValue(min))
  const high = max === undefined ? low : v.pipe(low, v.maxValue(max))
  return v.pipe(high, v.description(description))
}

/** True or left out. */
export function flag(description: string) {
  return v.optional(v.pipe(v.boolean(), v.description(description)))
}

/** `separator`: items cannot contain it, so a command line may put several into one word. */
export function list<Item>(item: Field<Item>, description = "", separator?: string): Field<readonly Item[]> {
  return v.pipe(v.array(item), v.description(description), v.metadata({ separator }))
}

/** An object with any content. */
export function record(description: string): Field<Record<string, unknown>> {
  return v.pipe(anyRecord, v.description<Record<string, unknown>, string>(description))
}

/** The same field with other words. */
export function described<F extends v.GenericSchema>(field: F, description: string): F {
  return v.pipe(field, v.description(description)) as unknown as F
}

/** Adds a check in our own words to a pipe. */
export function must<Value>(check: Check<Value>) {
  return v.rawCheck<Value>(({ dataset, addIssue }) => {
    const problem = dataset.typed ? check(dataset.value) : undefined
    if (problem !== undefined) addIssue({ message: problem })
  })
}

/** An object, and no array: `v.record`, `v.object` and `v.looseObject` also take arrays, and make objects of them. */
export const anyRecord = v.custom<Record<string, unknown>>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  "is not an object",
)

/** What is wrong with a value, without its name: "is not one of a, b". */
export function problemOf(issue: v.BaseIssue<unknown>): string {
  if ((issue.input ?? undefined) === undefined && issue.kind === "schema") return "is missing"
  switch (issue.type) {
    case "string":
      return "is not a text"
    case "number":
      return "is not a number"
    case "safe_integer":
    case "integer":
      return "is not a whole number"
    case "min_value":
      return `is less than ${issue.requirement}`
    case "max_value":
      return `is more than ${issue.requirement}`
    case "boolean":
      return "is not true or false"
    case "array":
      return "is not a list"
    case "record":
    case "object":
    case "loose_object":
    case "strict_object":
      return "is not an object"
    case "picklist":
      return `is not one of ${issue.expected
        ?.replace(/^\(|\)$/g, "")
        .replaceAll('"', "")
        .replaceAll(" | ", ", ")}`
    default:
      return issue.message
  }
}

/** The same with the path of the value: "tasks.2.title is missing". */
export function problemAt(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue)
  return path === null ? problemOf(issue) : `${path} ${problemOf(issue)}`
}

/** What is wrong with a foreign value; undefined when it fits the field. */
export function problemWith(field: v.GenericSchema, value: unknown): string | undefined {
  const { issues } = v.safeParse(field, value, { abortEarly: true })
  return issues === undefined ? undefined : problemOf(issues[0])
}

export type Checked<F extends Fields> =
  | { readonly ok: true; readonly values: InputOf<F> }
  | {
      readonly ok: false
      readonly field: string
      readonly isMissing: boolean
      readonly problem: string
      readonly issue: v.BaseIssue<unknown>
    }

/** Checks foreign values, fills in defaults and drops unknown names. Null means left out. */
export function checkFields<F extends Fields>(fields: F, given: Readonly<Record<string, unknown>>): Checked<F> {
  const present: Record<string, unknown> = {}
  for (const name in fields) if (Object.hasOwn(given, name)) present[name] = given[name] ?? undefined
  const { issues, output } = v.safeParse(v.object(fields), present, { abortEarly: true })
  if (issues === undefined) return { ok: true, values: output as InputOf<F> }
  const [issue] = issues
  const field = String(issue.path?.[0]?.key)
  const isMissing = issue.input === undefined
  return { ok: false, field, isMissing, problem: problemOf(issue), issue }
}

/** What a door needs to know about a field to show it and to read it from text. */
export interface FieldFacts {
  readonly kind: "text" | "number" | "flag" | "list" | "record"
  readonly description: string
  readonly isOptional: boolean
  readonly fallback?: unknown
  readonly choices?: readonly string[]
  readonly item?: v.GenericSchema
  readonly separator?: string
}

const WRAPPERS: readonly string[] = ["optional", "exact_optional", "nullish", "nullable"]
const KINDS: Readonly<Record<string, FieldFacts["kind"]>> = {
  string: "text",
  picklist: "text",
  number: "number",
  boolean: "flag",
  array: "list",
}

/** The parts of a valibot schema that its general type does not name. */
interface Parts {
  readonly type: string
  readonly wrapped: v.GenericSchema
  readonly default?: unknown
  readonly options?: readonly string[]
  readonly item?: v.GenericSchema
}

export function describeField(field: v.GenericSchema): FieldFacts {
  const parts = field as unknown as Parts
  if (WRAPPERS.includes(field.type)) {
    const inner = describeField(parts.wrapped)
    const description = v.getDescription(field) ?? inner.description
    return { ...inner, description, isOptional: true, fallback: parts.default ?? inner.fallback }
  }
  const { separator } = v.getMetadata(field) as { separator?: string }
  return {
    kind: KINDS[field.type] ?? "record",
    description: v.getDescription(field) ?? "",
    isOptional: false,
    choices: parts.options,
    item: parts.item,
    separator,
  }
}

/** A list without the items that do not fit; empty for a value that is no list. */
export function validItems<Item extends v.GenericSchema>(item: Item) {
  return v.pipe(
    v.fallback(v.array(v.unknown()), []),
    v.transform((values): readonly v.InferOutput<Item>[] =>
      values.flatMap((value) => {
        const read = v.safeParse(item, value)
        return read.success ? [read.output] : []
      }),
    ),
  )
}
