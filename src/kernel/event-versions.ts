import { type Field, type Fields, type InputOf, problemWith } from "../lib/fields.ts"

/**
 * The shapes that one type of event ever had. Rows keep the version they were written with; readers only ever see the
 * newest one, since data of an older version is brought from each version to the next when it is read.
 *
 * A new version takes one call, `.next(fields, upgrade)`, behind the shape of the type in `events.ts`; the compiler then
 * asks for its number in `written-versions.ts`. What changes the meaning of a field, adds one that must be there, or adds a
 * word to a closed list is a new version.
 */
export interface EventShape<Data, Version extends number = number> {
  /** The newest version, which is the one that is written. */
  readonly version: Version
  /** Of the newest version. */
  readonly fields: Fields
  /** Checks data that was stored as a known version, and gives it in the newest. The same object where that is one. */
  read(version: number, data: Record<string, unknown>): Data
  /** The same type with one version more. */
  next<F extends Fields>(fields: F, upgrade: (data: Data) => InputOf<F>): EventShape<InputOf<F>, Next<Version>>
}

/** Counted as types as well, so that `written-versions.ts` cannot forget one. */
const NEXT = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] as const
type Next<Version extends number> = (typeof NEXT)[Version]

/** The first version of a type. */
export function shape<F extends Fields>(fields: F): EventShape<InputOf<F>, 1> {
  return makeShape(1, fields, (version) => {
    throw new Error(`there is no version ${version}`)
  })
}

function makeShape<F extends Fields, Version extends number>(
  newest: Version,
  fields: F,
  readOlder: (version: number, data: Record<string, unknown>) => InputOf<F>,
): EventShape<InputOf<F>, Version> {
  let rules: readonly Rule[] | undefined
  const read = (version: number, data: Record<string, unknown>): InputOf<F> => {
    if (version !== newest) return readOlder(version, data)
    // Most commands read no event, so the rules wait for the first one.
    rules ??= rulesOf(fields)
    assertFits<F>(rules, data)
    return data
  }
  return {
    version: newest,
    fields,
    read,
    next: (more, upgrade) => makeShape(nextOf(newest), more, (version, data) => upgrade(read(version, data))),
  }
}

function nextOf<Version extends number>(version: Version): Next<Version> {
  return NEXT[version]
}

/** One field, with what the common case needs at hand: this runs for each field of each event that is read. */
interface Rule {
  readonly name: string
  readonly field: Field<unknown>
  /** What `typeof` says of a value that needs no further look; empty where the type alone does not settle it. */
  readonly plainType: string
  /** The words of a closed list. */
  readonly words: ReadonlySet<unknown> | null
}

const PLAIN_TYPE = { text: "string", number: "number", flag: "boolean", list: "", record: "" } as const

function rulesOf(fields: Fields): Rule[] {
  return Object.entries(fields).map(([name, field]) => {
    const words = field.choices === undefined ? null : new Set(field.choices)
    return { name, field, plainType: words === null && field.check === undefined ? PLAIN_TYPE[field.kind] : "", words }
  })
}

function assertFits<F extends Fields>(
  rules: readonly Rule[],
  data: Record<string, unknown>,
): asserts data is Record<string, unknown> & InputOf<F> {
  for (let at = 0; at < rules.length; at++) {
    const rule = rules[at] as Rule
    const value = data[rule.name]
    if (typeof value === rule.plainType || rule.words?.has(value) === true) continue
    if (value === null && rule.field.isNullable === true) continue
    fill(rule, data, value)
  }
}

/** Whatever is rare: lists, what was left out, and what is wrong. */
function fill({ name, field }: Rule, data: Record<string, unknown>, value: unknown): void {
  if (value !== undefined && value !== null) {
    const problem = problemWith(field, value)
    if (problem !== undefined) throw new Error(`${name} ${problem}`)
  } else if (field.isNullable === true) data[name] = null
  else if (value === null || !field.isOptional) throw new Error(`${name} is missing`)
}
