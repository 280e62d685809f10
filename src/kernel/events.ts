import {
  checkFields,
  type Field,
  type Fields,
  flag,
  type InputOf,
  list,
  number,
  optional,
  text,
} from "../lib/fields.ts"

/**
 * Every durable event: a past-tense fact with a version. A stored shape never changes; a new shape is a new version.
 * Writers import only the types, so that starting a command does not load the schemas.
 */
const word = text("")
const count = number("")
const yes = { ...flag(""), isOptional: false } as Field<boolean>
const words = list(word, "")
/** Null where there was nothing to say. */
const maybe = { ...word, isOptional: true } as Field<string | null>
const maybeCount = { ...count, isOptional: true } as Field<number | null>
const taskFields = { task: word }

export const EVENT_SCHEMAS = {
  "team.created": { goal: word },
  "team.updated": {
    goal: optional(word),
    mode: optional(word),
    schedule: optional(word),
    protocol: optional(word),
    qa: optional(word),
  },
  "team.phase_changed": { from: word, to: word },
  "team.paused": { reason: maybe },
  "team.resumed": {},
  "team.cleaned": { tasks: count },
  "team.status_changed": { from: word, to: word, reason: maybe },
  /** An orchestrator leads the team from now on; the settings, as JSON, are what it was started with. */
  "team.led": { holder: word, token: count, settings: word },
  /** It leads no longer: `done`, `failed`, `interrupted`, `cancelled`, `lost`. */
  "team.left": { holder: word, token: count, reason: word },
  /** The first of a team that came from files of another program. */
  "team.imported": { layout: word, source: word, fingerprint: word },
  /** Something that such files tell of the time before, at the time they name. */
  "history.imported": { entry: word },
  /** Tasks were made or changed as a plan says; who is to work on them and the template, where it says so. */
  "plan.applied": { created: count, updated: count, workers: maybe, template: maybe },
  "task.created": { ...taskFields, title: word, blocked_by: words },
  "task.updated": { ...taskFields, fields: words },
  "task.needs_changed": { ...taskFields, added: words, removed: words },
  "task.claimed": { ...taskFields, token: count, taken_over_from: maybe },
  "task.released": { ...taskFields, owner: maybe, reason: word },
  "task.resolved": { ...taskFields, token: count, attempt: count },
  "task.status_changed": { ...taskFields, from: word, to: word, reason: maybe },
  "task.reopened": { ...taskFields, attempt: count, reason: maybe },
  /** The worker it is meant for was told that its last need, `by`, is met. */
  "task.unblocked": { ...taskFields, by: word, to: word },
  /** Its commits are on the integration branch. */
  "task.merged": { ...taskFields, attempt: count, commit: word },
  "task.merge_failed": { ...taskFields, attempt: count, reason: word, fix: word },
  /** The next of the seven phases; the reason is why a plan was rejected. */
  "task.phase_changed": { ...taskFields, attempt: count, from: maybe, to: maybe, reason: maybe },
  "task.qa_changed": { ...taskFields, attempt: count, from: maybe, to: maybe },
  /** Two parties did not agree about it once more. */
  "task.disagreed": { ...taskFields, attempt: count, between: words, about: word, round: count },
  "task.deleted": { ...taskFields, forced: yes },
  /** What a worker is doing with the task now. */
  "task.step": { ...taskFields, attempt: count, worker: word, step: word },
  /** A worker could not bring it to an end; the kind is one of `domain/retry.ts`. */
  "task.setback": {
    ...taskFields,
    attempt: count,
    worker: word,
    agent: maybe,
    kind: word,
    reason: word,
    advice: maybe,
  },
  /** One run of an agent; without a task it plans or reviews. */
  "run.started": {
    ...{ run: word, task: maybe, attempt: maybeCount, worker: word, agent: word, model: maybe, turn: count },
  },
  "run.ended": {
    ...{ run: word, task: maybe, worker: word, agent: word, reason: word, error: maybe, session: maybe },
    ...{ duration_ms: count, input_tokens: count, output_tokens: count, cached_tokens: count },
    ...{ dollars: maybeCount, dollars_are_estimated: yes },
  },
  "evidence.added": { ...taskFields, type: word, trust: word },
  "evidence.withdrawn": { ...taskFields, number: count, reason: maybe },
  "ownership.asked": { ...taskFields, attempt: count, number: count, pattern: word, reason: word },
  "ownership.granted": { ...taskFields, attempt: count, number: count, pattern: word, reason: maybe },
  "ownership.denied": { ...taskFields, attempt: count, number: count, pattern: word, reason: maybe },
  /** Changes outside of a task's files were kept from being delivered; the commit holds them. */
  "ownership.set_aside": { ...taskFields, attempt: count, commit: word, ref: word, paths: words },
  "waves.calculated": { total: count },
  "wave.updated": { wave: count, from: word, to: word },
  "verdict.recorded": { scope: word, subject: maybe, status: word },
  /** Something was written down; `kind` is one of `domain/record.ts`, `about` says in a few words what. */
  "record.added": { kind: word, number: count, task: maybe, status: word, about: word },
  "record.changed": { kind: word, number: count, task: maybe, status: word, about: word },
  "record.removed": { kind: word, number: count },
  "target.delivered": { target: word, from: word, to: word },
  "target.undone": { target: word, from: word, to: word },
  /** A session, or a terminal, takes part in the team: as this worker, or as the lead. */
  "seat.taken": { terminal: word, part: word, worker: maybe, delegation: word },
  /** It does no longer; what it held went back. */
  "seat.left": { terminal: word, part: word, worker: maybe, released: words, reason: word },
  "worker.set_up": { worker: word, role: maybe },
  "worker.paused": { worker: word, reason: maybe },
  "worker.resumed": { worker: word },
  /** Somebody started its process, which may not have said a word yet. */
  "worker.spawned": { worker: word, runtime: word, machine: word, pid: count, process_start: word },
  /** Its process runs: number and start tell it from a later one with the same number. */
  "worker.started": { worker: word, role: maybe, runtime: word, machine: word, pid: count, process_start: word },
  /** `done`, `stopped`, `crashed`, `lost` (nobody saw how) or `unresponsive`. */
  "worker.exited": { worker: word, reason: word, detail: maybe },
  "worker.quarantined": { worker: word, reason: word },
  /** It showed no sign of work and was asked for one. */
  "worker.status_checked": { worker: word, task: word },
  /** The time is the first at which it can be asked again. */
  "agent.rate_limited": { agent: word, until: word },
  "agent.rate_limit_lifted": { agent: word },
  "workspace.created": { worker: word, path: word, branch: word, base: word },
  /** Gone together with its branch; what it held is in these refs. */
  "workspace.removed": { worker: word, path: word, pins: words },
  "workspace.synced": { worker: word, result: word, onto: word, head: word },
  "message.sent": { id: word, from: word, to: word, type: word },
  "message.read": { inbox: word, ids: words },
} as const satisfies Record<string, Fields>

export type EventType = keyof typeof EVENT_SCHEMAS
export type EventData<T extends EventType> = InputOf<(typeof EVENT_SCHEMAS)[T]>

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
export function parseEventData(type: string, data: Record<string, unknown>): Record<string, unknown> {
  const fields = EVENT_SCHEMAS[type as EventType] as Fields | undefined
  if (fields === undefined) throw new Error(`unknown event type ${type}`)
  const checked = checkFields(fields, data)
  if (!checked.ok) throw new Error(`event ${type}: ${checked.field} ${checked.problem}`)
  return data
}
