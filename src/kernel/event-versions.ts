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
  /** The newest version, which is written. */
  readonly version: Version
  readonly fields: Fields
  /**
   * Checks stored data of a known version and returns it in the newest version; the same object where that is
   * possible.
   */
  read(version: number, data: Record<string, unknown>): Data
  next<F extends Fields>(fields: F, upgrade: (data: Data) => InputOf<F>): EventShape<InputOf<F>, Next<Version>>
}

/**
 * The exported files that an event changes, besides those that are always written: its task's file, messages,
 * verdicts or records. `all`: many tasks, or their order.
 */
export type FileChange = "task" | "messages" | "verdicts" | "records" | "nothing" | "all"

/** As types too, so that `written-versions.ts` cannot forget one. */
const NEXT = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] as const
type Next<Version extends number> = (typeof NEXT)[Version]

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
    // Built at the first read, since most commands read no event. Unknown fields stay.
    schema ??= v.looseObject(fields) as v.GenericSchema<unknown, InputOf<F>>
    const { issues, output } = v.safeParse(schema, data, { abortEarly: true })
    if (issues !== undefined) throw new Error(problemAt(issues[0]))
    // Exports keep the stored order of fields, so change the same object.
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
