import { unreachable } from "./unreachable.ts"

/**
 * What a caller may put into an operation, as plain tables: one description serves the command line, its help and every
 * other surface. A schema library does more, and costs a quarter of the time a whole call may take.
 */
export interface Field<Value> {
  readonly kind: "text" | "number" | "flag" | "list" | "record"
  readonly description: string
  readonly isOptional: boolean
  /** Null where there is nothing to say; left out means the same. */
  readonly isNullable?: boolean
  readonly fallback?: Value
  readonly choices?: readonly string[]
  /** Of a number. */
  readonly limits?: NumberLimits
  /** Says what is wrong with a value of the right kind. */
  readonly check?: (value: never) => string | undefined
  readonly item?: Field<unknown>
  /** Items cannot contain it, so a command line may put several into one word. */
  readonly separator?: string
}

export interface NumberLimits {
  readonly min?: number
  readonly max?: number
  readonly isInteger?: boolean
}

export type Fields = Readonly<Record<string, Field<unknown>>>

type ValueOf<F> = F extends Field<infer Value> ? Value : never
type OptionalKeys<F extends Fields> = { [K in keyof F]: undefined extends ValueOf<F[K]> ? K : never }[keyof F]

/** The checked values of a table of fields. */
export type InputOf<F extends Fields> = { readonly [K in Exclude<keyof F, OptionalKeys<F>>]: ValueOf<F[K]> } & {
  readonly [K in OptionalKeys<F>]?: ValueOf<F[K]>
}

export function text<Text extends string = string>(
  description: string,
  check?: (value: string) => string | undefined,
): Field<Text> {
  return { kind: "text", description, isOptional: false, check }
}

export function choice<const Choice extends string>(choices: readonly Choice[], what: string): Field<Choice> {
  return { kind: "text", description: `${what}: ${choices.join(", ")}`, isOptional: false, choices }
}

export function number(description: string, limits: NumberLimits = {}): Field<number> {
  const check = (value: number) => {
    if (limits.isInteger === true && !Number.isSafeInteger(value)) return "is not a whole number"
    if (limits.min !== undefined && value < limits.min) return `is less than ${limits.min}`
    return limits.max !== undefined && value > limits.max ? `is more than ${limits.max}` : undefined
  }
  return { kind: "number", description, isOptional: false, limits, check }
}

/** True or left out. */
export function flag(description: string): Field<boolean | undefined> {
  return { kind: "flag", description, isOptional: true }
}

export function list<Item>(item: Field<Item>, description: string, separator?: string): Field<readonly Item[]> {
  return { kind: "list", description, isOptional: false, item: item as Field<unknown>, separator }
}

/** An object with any content. */
export function record(description: string): Field<Record<string, unknown>> {
  return { kind: "record", description, isOptional: false }
}

export function optional<Value>(field: Field<Value>): Field<Value | undefined> {
  return { ...field, isOptional: true }
}

/** Null where there is nothing to say. */
export function nullable<Value>(field: Field<Value>): Field<Value | null> {
  return { ...field, isOptional: true, isNullable: true }
}

/** May be left out, and then has this value. */
export function withDefault<Value>(field: Field<Value>, fallback: Value): Field<Value> {
  return { ...field, isOptional: true, fallback }
}

export type Checked<F extends Fields> =
  | { readonly ok: true; readonly values: InputOf<F> }
  | { readonly ok: false; readonly field: string; readonly isMissing: boolean; readonly problem: string }

/** Checks foreign values against the table, fills in what was left out, and drops what the table does not know. */
export function checkFields<F extends Fields>(fields: F, given: Readonly<Record<string, unknown>>): Checked<F> {
  const values: Record<string, unknown> = {}
  for (const name in fields) {
    const field = fields[name] as Field<unknown>
    const value = given[name] ?? field.fallback
    if (value === undefined) {
      if (!field.isOptional) return { ok: false, field: name, isMissing: true, problem: "is missing" }
    } else {
      const problem = problemWith(field, value)
      if (problem !== undefined) return { ok: false, field: name, isMissing: false, problem }
      values[name] = value
    }
  }
  return { ok: true, values: values as InputOf<F> }
}

/** What is wrong with a foreign value; undefined when it is as the field says. */
export function problemWith(field: Field<unknown>, value: unknown): string | undefined {
  const kind = Array.isArray(value) ? "list" : typeof value
  switch (field.kind) {
    case "text":
      if (kind !== "string") return "is not a text"
      break
    case "number":
      if (kind !== "number" || Number.isNaN(value)) return "is not a number"
      break
    case "flag":
      if (kind !== "boolean") return "is not true or false"
      break
    case "record":
      if (kind !== "object" || value === null) return "is not an object"
      break
    case "list":
      return kind === "list" ? problemWithItems(field, value as unknown[]) : "is not a list"
    default:
      return unreachable(field.kind)
  }
  if (field.choices !== undefined && !field.choices.includes(value as string))
    return `is not one of ${field.choices.join(", ")}`
  return field.check?.(value as never)
}

function problemWithItems(field: Field<unknown>, items: readonly unknown[]): string | undefined {
  if (field.item === undefined) return undefined
  for (const item of items) {
    const problem = problemWith(field.item, item)
    if (problem !== undefined) return problem
  }
  return undefined
}
