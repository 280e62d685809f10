import * as v from "valibot"
import { ID_RULE, isId, quoteInput, type TaskId, type WorkerId } from "../domain/ids.ts"
import { ROLES } from "../domain/task.ts"
import type { Ids } from "../lib/ids.ts"
import type { Store } from "../store/port.ts"

/** What an operation works with. */
export interface Context {
  readonly store: Store
  readonly ids: Ids
  readonly settings: Settings
}

/** The part of the configuration that operations read. */
export interface Settings {
  readonly leaseSeconds: number
  readonly freshStartIntervalSeconds: number
  readonly blockedPatterns: readonly string[]
  readonly warnPatterns: readonly string[]
}

/** Something a person, an agent or the engine may ask for: one schema for every surface, and what it does. */
export interface Operation<Schema extends v.GenericSchema, Result> {
  readonly name: string
  readonly summary: string
  readonly input: Schema
  readonly run: (context: Context, input: v.InferOutput<Schema>) => Promise<Result>
}

export function operation<Schema extends v.GenericSchema, Result>(
  definition: Operation<Schema, Result>,
): Operation<Schema, Result> {
  return definition
}

/** An id of any kind that a caller types. */
export function idField(what: string, description: string) {
  return v.pipe(
    v.string(),
    v.check(isId, (issue) => `${what} ${quoteInput(issue.input)} is not valid; use ${ID_RULE}`),
    v.description(description),
  )
}

/** Longest text a single field takes; a description may be a document. */
const MAX_TEXT = 1_000_000

export function textField(description: string, maxLength = MAX_TEXT) {
  return v.pipe(
    v.string(),
    v.check((text) => !text.includes("\0"), "must not contain a NUL character"),
    v.check((text) => text.length <= maxLength, `must be at most ${maxLength} characters`),
    v.description(description),
  )
}

export function titleField(description: string) {
  return v.pipe(
    textField(description, 500),
    v.check((text) => text.trim() !== "", "must not be empty"),
    v.check((text) => !/[\r\n]/.test(text), "must be a single line"),
  )
}

export const teamFields = {
  project: idField("project", "project name; the repository's folder by default"),
  team: idField("team", "team name; the branch by default"),
}

export const taskIdField = v.pipe(
  idField("task id", "id of the task"),
  v.transform((id) => id as TaskId),
)
export const workerIdField = v.pipe(
  idField("worker id", "id of the worker"),
  v.transform((id) => id as WorkerId),
)
export const ownerField = idField("owner", "who claims or holds the task; without it a person acts")
export const roleField = v.pipe(v.picklist(ROLES), v.description(`role: ${ROLES.join(", ")}`))
/** A list whose items cannot contain a comma, so that a command line may separate them by one. */
export function commaList<Item extends v.GenericSchema>(item: Item, description: string) {
  return v.pipe(v.array(item), v.metadata({ separator: "," }), v.description(description))
}

export const tokenField = v.pipe(v.number(), v.integer(), v.minValue(1), v.description("fencing token of the claim"))
