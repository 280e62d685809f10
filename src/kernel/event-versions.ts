import * as v from "valibot"
import { type Fields, type InputOf, problemAt } from "../lib/schema.ts"

/**
 * The shapes that one type of event ever had. Rows keep the version they were written with; readers only ever see the
 * newest one, since data of an older version is brought from each version to the next when it is read.
 *
 * A new version takes one call, `.next(fields, upgrade)`, behind the shape of the type in `events.ts`; the compiler then
 * asks for its number in `written-versions.ts`. What changes the meaning of a field, adds one that must be there, or adds a
 * word to a closed list is a new version.
 */
export interface EventShape<Data, Version extends number = number> {
  readonly changes: FileChange
  /** Its line in `run` and `watch`, with fields in braces: `task {task} deleted`. Other lines are in `run-lines.ts`. */
  readonly line?: string
  /** The newest version, which is the one that is written. */
  readonly version: Version
  /** Of the newest version. */
  readonly fields: Fields
  /** Checks data that was stored as a known version, and gives it in the newest. The same object where that is one. */
  read(version: number, data: Record<string, unknown>): Data
  /** The same type with one version more. */
  next<F extends Fields>(fields: F, upgrade: (data: Data) => InputOf<F>): EventShape<InputOf<F>, Next<Version>>
}

/**
 * Which exported files an event changes, besides those of the team, its waves, workers and tasks in progress, which are
 * always written again: that of its task, the messages, verdicts or records. `all`: many tasks, or their order.
 */
export type FileChange = "task" | "messages" | "verdicts" | "records" | "nothing" | "all"

/** Counted as types as well, so that `written-versions.ts` cannot forget one. */
const NEXT = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] as const
type Next<Version extends number> = (typeof NEXT)[Version]

/** The first version of a type. */
export function shape<F extends Fields>(changes: FileChange, fields: F, line?: string): EventShape<InputOf<F>, 1> {
  const common = { changes, ...(line !== undefined && { line }) }
  return makeShape(common, 1, fields, (version) => {
    throw new Error(`there is no version ${version}`)
  })
}

function makeShape<F extends Fields, Version extends number>(
  common: Pick<EventShape<unknown>, "changes" | "line">,
  newest: Version,
  fields: F,
  readOlder: (version: number, data: Record<string, unknown>) => InputOf<F>,
): EventShape<InputOf<F>, Version> {
  let schema: v.GenericSchema<unknown, InputOf<F>> | undefined
  const read = (version: number, data: Record<string, unknown>): InputOf<F> => {
    if (version !== newest) return readOlder(version, data)
    // Most commands read no event, so the schema waits for the first one. Fields of others stay as they are.
    schema ??= v.looseObject(fields) as v.GenericSchema<unknown, InputOf<F>>
    const { issues, output } = v.safeParse(schema, data, { abortEarly: true })
    if (issues !== undefined) throw new Error(problemAt(issues[0]))
    // The same object, with its fields in the order in which they were stored: exports keep it.
    return Object.assign(data, output as InputOf<F>)
  }
  return {
    ...common,
    version: newest,
    fields,
    read,
    next: (more, upgrade) => makeShape(common, nextOf(newest), more, (version, data) => upgrade(read(version, data))),
  }
}

function nextOf<Version extends number>(version: Version): Next<Version> {
  return NEXT[version]
}
