import * as v from "valibot"

/**
 * Every durable event: a past-tense fact with a version. A stored shape never changes; a new shape is a new version.
 * Writers import only the types, so that starting a command does not load the schemas.
 */
const text = v.string()
const taskFields = { task: text }

export const EVENT_SCHEMAS = {
  "team.created": v.object({ goal: text }),
  "team.updated": v.object({ goal: v.optional(text), mode: v.optional(text), schedule: v.optional(text) }),
  "team.phase_changed": v.object({ from: text, to: text }),
  "team.paused": v.object({ reason: v.nullable(text) }),
  "team.resumed": v.object({}),
  "team.cleaned": v.object({ tasks: v.number() }),
  "task.created": v.object({ ...taskFields, title: text, blocked_by: v.array(text) }),
  "task.updated": v.object({ ...taskFields, fields: v.array(text) }),
  "task.needs_changed": v.object({ ...taskFields, added: v.array(text), removed: v.array(text) }),
  "task.claimed": v.object({ ...taskFields, token: v.number(), taken_over_from: v.nullable(text) }),
  "task.released": v.object({ ...taskFields, owner: v.nullable(text), reason: text }),
  "task.resolved": v.object({ ...taskFields, token: v.number(), attempt: v.number() }),
  "task.status_changed": v.object({ ...taskFields, from: text, to: text, reason: v.nullable(text) }),
  "task.reopened": v.object({ ...taskFields, attempt: v.number(), reason: v.nullable(text) }),
  "task.deleted": v.object({ ...taskFields, forced: v.boolean() }),
  "evidence.added": v.object({ ...taskFields, type: text, trust: text }),
  "evidence.withdrawn": v.object({ ...taskFields, number: v.number(), reason: v.nullable(text) }),
  "waves.calculated": v.object({ total: v.number() }),
  "wave.updated": v.object({ wave: v.number(), from: text, to: text }),
  "verdict.recorded": v.object({ scope: text, subject: v.nullable(text), status: text }),
  "worker.set_up": v.object({ worker: text, role: v.nullable(text) }),
  "worker.paused": v.object({ worker: text, reason: v.nullable(text) }),
  "worker.resumed": v.object({ worker: text }),
  "message.sent": v.object({ id: text, from: text, to: text, type: text }),
  "message.read": v.object({ inbox: text, ids: v.array(text) }),
} as const

export type EventType = keyof typeof EVENT_SCHEMAS
export type EventData<T extends EventType> = v.InferOutput<(typeof EVENT_SCHEMAS)[T]>

/** An event as a writer gives it; the store adds number and time. */
export type NewEvent = { [T in EventType]: { readonly type: T; readonly data: EventData<T> } }[EventType]

export interface Event {
  readonly seq: number
  /** Where a reader that has seen this event goes on. */
  readonly cursor: string
  readonly type: EventType
  readonly version: number
  readonly timestamp: string
  /** The worker that acted, or `person` for whoever named no owner. */
  readonly by: string
  readonly data: Record<string, unknown>
}

/** Checks that stored data still has the shape its type promises. */
export function parseEventData(type: string, data: unknown): Record<string, unknown> {
  const schema = EVENT_SCHEMAS[type as EventType] as v.GenericSchema<unknown, Record<string, unknown>> | undefined
  if (schema === undefined) throw new Error(`unknown event type ${type}`)
  return v.parse(schema, data)
}
