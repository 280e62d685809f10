import * as v from "valibot"
import { list, text } from "../lib/schema.ts"
import { AppError } from "./errors.ts"
import { type EventShape, shape } from "./event-versions.ts"
import {
  FIRST_SETBACKS,
  ROLES,
  SETBACKS,
  TASK_STATUSES,
  VERDICT_SCOPES,
  VERDICT_STATUSES,
  WAVE_STATUSES,
} from "./event-words.ts"
import type { TaskId, WorkerId } from "./ids.ts"
import { PHASES } from "./phase.ts"
import { RECORD_KINDS } from "./record.ts"
import { TEAM_PHASES, TEAM_STATUSES } from "./team.ts"

/**
 * Every durable event: a past-tense fact with a version. A stored shape never changes; a new shape is a new version,
 * see `event-versions.ts`. The type, the check of what was stored, the row, and which exported files the event changes
 * all come from this table, and for a simple event also its line in `run` and `watch`.
 */
const word = v.string()
const count = v.number()
const yes = v.boolean()
const words = list(word)
const maybe = v.nullish(word, null)
const maybeCount = v.nullish(count, null)
const task = text<TaskId>()
const tasks = list(task)
const worker = text<WorkerId>()
const oneOf = <const Word extends string>(choices: readonly Word[]) => v.picklist(choices)
const role = v.nullish(oneOf(ROLES), null)
const phase = v.nullish(oneOf(PHASES), null)
/** A planner or reviewer stands in the place of the worker. */
const aboutRun = { run: word, task: v.nullish(task, null), worker: word, agent: word }
const grant = { task, attempt: count, number: count, pattern: word, reason: maybe }
const aboutSetback = { task, attempt: count, worker, agent: maybe, reason: word, advice: maybe }
const aboutRecord = { kind: oneOf(RECORD_KINDS), number: count, task: v.nullish(task, null), status: word, about: word }
const aboutFinding = { number: count, task: v.nullish(task, null), severity: word, place: maybe }
const move = { target: word, from: word, to: word }
/** The machine, folder and id of a repository. */
const place = { machine: word, folder: word, repository: maybe }
const startedProcess = { runtime: word, machine: word, pid: count, process_start: word }

export const EVENTS = {
  "team.created": shape("nothing", { goal: word }),
  "team.updated": shape("nothing", {
    goal: v.optional(word),
    mode: v.optional(word),
    schedule: v.optional(word),
    protocol: v.optional(word),
    qa: v.optional(word),
  }),
  "team.phase_changed": shape("nothing", { from: oneOf(TEAM_PHASES), to: oneOf(TEAM_PHASES) }, "phase {to}"),
  /** `trigger`: why the engine paused it. */
  "team.paused": shape("nothing", { reason: maybe, trigger: v.optional(word) }),
  "team.resumed": shape("nothing", {}),
  "team.cleaned": shape("all", { tasks: count }),
  /** The next run began; this one is read-only. */
  "team.closed": shape("nothing", { next: count }),
  "team.status_changed": shape("nothing", { from: oneOf(TEAM_STATUSES), to: oneOf(TEAM_STATUSES), reason: maybe }),
  /** An orchestrator leads the team; `settings` is JSON. */
  "team.led": shape("nothing", { holder: word, token: count, settings: word }),
  /** `done`, `failed`, `interrupted`, `cancelled`, `lost`. */
  "team.left": shape("nothing", { holder: word, token: count, reason: word }),
  /** The team came from files of another program. */
  "team.imported": shape("all", { layout: word, source: word, fingerprint: word }),
  /** An entry of such files, with its time. */
  "history.imported": shape("all", { entry: word }),
  /** A plan created or changed tasks. */
  "plan.applied": shape("all", {
    created: count,
    updated: count,
    workers: maybe,
    template: maybe,
    follow_ups: v.optional(yes),
    budget: v.optional(word),
  }),
  "task.created": shape("task", { task, title: word, blocked_by: tasks }),
  "task.updated": shape("task", { task, fields: words }),
  "task.needs_changed": shape("task", { task, added: tasks, removed: tasks }),
  "task.claimed": shape("task", { task, token: count, taken_over_from: maybe }),
  "task.released": shape("task", { task, owner: maybe, reason: word }),
  "task.resolved": shape("task", { task, token: count, attempt: count }),
  "task.status_changed": shape("task", { task, from: oneOf(TASK_STATUSES), to: oneOf(TASK_STATUSES), reason: maybe }),
  "task.reopened": shape("task", { task, attempt: count, reason: maybe }),
  /** It builds on `of`, which was revised, and must be checked again. */
  "task.recheck_asked": shape("task", { task, attempt: count, of: word }),
  /** The result of that check, made without an agent. */
  "task.rechecked": shape("task", { task, attempt: count, commit: word, holds: yes, reason: maybe }),
  /** The assigned worker was told that the last need, `by`, is met. */
  "task.unblocked": shape("nothing", { task, by: task, to: worker }),
  /** The base and last commit of an attempt, and the repository that has them. */
  "task.committed": shape("nothing", { task, attempt: count, token: count, base: word, commit: word, ...place }),
  /** The merging repository lacks the commit; `command` brings it there. */
  "task.work_missing": shape("nothing", { task, attempt: count, commit: word, ...place, command: word }),
  /** Others moved or deleted the pin. It is back; `kept` has what it was moved to. */
  "task.pin_restored": shape("nothing", { task, attempt: count, ref: word, from: maybe, to: word, kept: maybe }),
  "task.merged": shape("task", { task, attempt: count, commit: word }),
  "task.merge_failed": shape("task", { task, attempt: count, reason: word, fix: task }),
  /** It is merged after a repair of the same files. */
  "task.merge_queued": shape("nothing", { task, attempt: count, behind: task }, "task {task} is merged after {behind}"),
  /** `reason`: why a plan was rejected. */
  "task.phase_changed": shape("task", { task, attempt: count, from: phase, to: phase, reason: maybe }),
  "task.qa_changed": shape("task", { task, attempt: count, from: maybe, to: maybe }),
  "task.disagreed": shape("task", { task, attempt: count, between: words, about: word, round: count }),
  "task.deleted": shape("all", { task, forced: yes }, "task {task} deleted"),
  "task.step": shape("nothing", { task, attempt: count, worker, step: word }),
  "task.setback": shape("task", { ...aboutSetback, kind: oneOf(FIRST_SETBACKS) }).next(
    { ...aboutSetback, kind: oneOf(SETBACKS) },
    (data) => data,
  ),
  /** Without a task, the agent plans or reviews. */
  "run.started": shape("nothing", {
    ...aboutRun,
    attempt: maybeCount,
    model: maybe,
    turn: count,
    // Estimates: what it was sent, and teamwork's own part of that.
    sent_tokens: v.optional(count),
    own_tokens: v.optional(count),
  }),
  /** Usage so far. The only record of it when the worker is killed. */
  "run.progress": shape("nothing", { ...aboutRun, tokens: count, dollars: maybeCount }),
  "run.ended": shape("nothing", {
    ...aboutRun,
    reason: word,
    error: maybe,
    session: maybe,
    duration_ms: count,
    input_tokens: count,
    output_tokens: count,
    cached_tokens: count,
    dollars: maybeCount,
    dollars_are_estimated: yes,
  }),
  "evidence.added": shape("task", { task, type: word, trust: word }),
  "evidence.withdrawn": shape("task", { task, number: count, reason: maybe }),
  "ownership.asked": shape("task", { ...grant, reason: word }),
  "ownership.granted": shape("task", grant),
  "ownership.denied": shape("task", grant),
  /** Changes outside of a task's files are kept in a commit and not delivered. */
  "ownership.set_aside": shape("task", { task, attempt: count, commit: word, ref: word, paths: words }),
  /** The engine merged shared files by rules; `how` says for each. */
  "task.shared_files_merged": shape("task", { task, attempt: count, commit: word, paths: words, how: words }),
  /** With waves, the tasks of one wave. */
  "merge.started": shape("nothing", { tasks, wave: maybeCount }),
  /** Each task has its own outcome event. */
  "merge.ended": shape("nothing", { tasks, wave: maybeCount }),
  /** Where teamwork left the integration branch, its start and its target. */
  "integration.moved": shape("nothing", { commit: word, start: word, target: word, ...place }),
  /** Others moved or deleted the branch. It is back; `kept` has what it was moved to. */
  "integration.restored": shape("nothing", { branch: word, from: maybe, to: word, kept: maybe, commits: words }),
  /** Others changed refs of the branch. They are back. */
  "integration.refs_restored": shape("nothing", { refs: words }),
  "waves.calculated": shape("all", { total: count }),
  "wave.updated": shape("nothing", { wave: count, from: oneOf(WAVE_STATUSES), to: oneOf(WAVE_STATUSES) }),
  /** The state of every gate on the base commit, as JSON. */
  "preflight.done": shape("nothing", { commit: word, tree: word, gates: word }),
  /** The verdict of the same scope and subject ends it. */
  "gate.started": shape("nothing", {
    scope: oneOf(VERDICT_SCOPES),
    subject: maybe,
    task: v.nullish(task, null),
    commit: word,
    checks: words,
  }),
  /** `failure`: why in one line, then the last lines of the check. */
  "verdict.recorded": shape("verdicts", {
    scope: oneOf(VERDICT_SCOPES),
    subject: maybe,
    status: oneOf(VERDICT_STATUSES),
    failure: v.optional(words),
    /** What a passed final gate could not judge. */
    warnings: v.optional(words),
  }),
  "record.added": shape("records", aboutRecord),
  "record.changed": shape("records", aboutRecord),
  "record.removed": shape("records", { kind: oneOf(RECORD_KINDS), number: count }),
  /** `is_again`: it was known as fixed. */
  "finding.recorded": shape("records", {
    ...aboutFinding,
    source: word,
    commit: maybe,
    is_again: v.optional(yes),
    about: word,
  }),
  /** A review of the commit says so. */
  "finding.fixed": shape("records", { ...aboutFinding, commit: word }),
  /** A person accepts it. */
  "finding.waived": shape("records", { ...aboutFinding, reason: word }),
  "finding.reopened": shape("records", { ...aboutFinding, reason: maybe }),
  /** `left_out`: the tasks that a partial delivery lacks. */
  "target.delivered": shape("nothing", { ...move, left_out: v.optional(words), notes: v.optional(words) }),
  "target.undone": shape("nothing", move),
  /** The target has foreign commits; the next delivery includes them. */
  "target.moved": shape("nothing", { ...move, commits: words }),
  /** The user dropped commits that the work began on. `former` pins the branch as it was. */
  "target.rewritten": shape("nothing", { ...move, dropped: words, former: word }),
  /** A session or terminal joined, as a worker or as the lead. */
  "seat.taken": shape("nothing", { terminal: word, part: word, worker: v.nullish(worker, null), delegation: word }),
  "seat.left": shape("nothing", {
    terminal: word,
    part: word,
    worker: v.nullish(worker, null),
    released: tasks,
    reason: word,
  }),
  "worker.set_up": shape("nothing", { worker, role }),
  "worker.paused": shape("nothing", { worker, reason: maybe }),
  "worker.resumed": shape("nothing", { worker }),
  /** The process may not have reported yet. */
  "worker.spawned": shape("nothing", { worker, ...startedProcess }),
  /** Process id and start time identify it. */
  "worker.started": shape("nothing", { worker, role, ...startedProcess }),
  /** `done`, `stopped`, `crashed`, `lost` (unseen) or `unresponsive`. */
  "worker.exited": shape("nothing", { worker, reason: word, detail: maybe }),
  "worker.quarantined": shape("nothing", { worker, reason: word }),
  "worker.status_checked": shape("nothing", { worker, task }),
  "agent.rate_limited": shape("nothing", { agent: word, until: word }),
  "agent.rate_limit_lifted": shape("nothing", { agent: word }),
  /** `is_open`: it failed repeatedly, or waiting cannot help. */
  "agent.left_out": shape("nothing", { agent: word, until: word, reason: word, error: word, is_open: yes }),
  /** It works again, or a person reset it. */
  "agent.taken_back": shape("nothing", { agent: word }),
  "workspace.created": shape("nothing", { worker, path: word, branch: word, base: word }),
  /** Its branch is gone too; the refs keep its content. */
  "workspace.removed": shape("nothing", { worker, path: word, pins: words }),
  "workspace.synced": shape("nothing", { worker, result: word, onto: word, head: word }),
  /** A note about set-up for the user, once in a run. */
  "workspace.noted": shape("nothing", { worker, note: word }),
  "message.sent": shape("messages", { id: word, from: word, to: word, type: word }),
  "message.read": shape("messages", { inbox: word, ids: words }),
} as const satisfies Record<string, EventShape<object>>

/** What a reader looks types up in. A map, since names that come from rows are slow as keys of an object. */
export type EventTable = ReadonlyMap<string, EventShape<object>>
export const EVENT_TABLE: EventTable = new Map(Object.entries(EVENTS))

export type EventType = keyof typeof EVENTS
/** In its newest version, which is the only one that writers and readers know. */
export type EventData<T extends EventType> = (typeof EVENTS)[T] extends EventShape<infer Data> ? Data : never

/** An event as a writer gives it; the store adds number, time and version. */
export type NewEvent = { [T in EventType]: { readonly type: T; readonly data: EventData<T> } }[EventType]

/** An event as a reader gets it, told apart by its type. */
export type Event = EventPlace & (Fact | UnrecognizedFact)
export type EventOf<T extends EventType> = Extract<Event, { readonly type: T }>

interface EventPlace {
  readonly seq: number
  /** Where a reader that has seen this event goes on. */
  readonly cursor: string
  readonly timestamp: string
  /** The worker that acted, or `person` without an owner. */
  readonly by: string
}

/** `version` is the newest one of the type: that of the data here, whatever the row says. */
type Fact = {
  [T in EventType]: { readonly type: T; readonly version: number; readonly data: EventData<T> }
}[EventType]

export const UNRECOGNIZED = "event.unrecognized"

/** Of a type that this program does not know. A newer one wrote it; nothing that this one decides can depend on it. */
interface UnrecognizedFact {
  readonly type: typeof UNRECOGNIZED
  readonly version: number
  readonly data: StoredFact
}

/** What a row or a line of a file holds, before anything of it is checked. */
export interface StoredFact {
  readonly type: string
  readonly version: number
  readonly data: Record<string, unknown>
}

/**
 * Checks what was stored and brings it to the newest version of its type. A type that is not known becomes an
 * `event.unrecognized`: it is passed on, counted and exported as it is. A newer version of a type that is known throws
 * `store.too_new`, since going on without it would mean deciding by half of the facts.
 */
export function readEvent<Stored extends StoredFact>(
  stored: Stored,
  table: EventTable = EVENT_TABLE,
): Omit<Stored, keyof StoredFact> & (Fact | UnrecognizedFact) {
  return readWith(table, stored) as Omit<Stored, keyof StoredFact> & (Fact | UnrecognizedFact)
}

function readWith(table: EventTable, stored: StoredFact): StoredFact | UnrecognizedFact {
  const { type, version, data } = stored
  const known = table.get(type)
  if (known === undefined) return { ...stored, type: UNRECOGNIZED, data: { type, version, data } }
  if (version > known.version) {
    throw new AppError(
      "store.too_new",
      `${type} has version ${version}, and this teamwork knows up to ${known.version}; update teamwork`,
      { type, version, known: known.version },
    )
  }
  const read = known.read(version, data)
  return read === data ? stored : { ...stored, version: known.version, data: { ...read } }
}

/** For exports and other stores: unknown events keep their original form. */
export function toStored({ type, version, data }: Fact | UnrecognizedFact): {
  type: string
  version: number
  data: object
} {
  return type === UNRECOGNIZED ? data : { type, version, data }
}

/** Those of these types, with their data. */
export function ofType<T extends EventType>(events: readonly Event[], ...types: readonly T[]): EventOf<T>[] {
  return events.filter((event): event is EventOf<T> => types.some((type) => type === event.type))
}

/** The task that an event is about, if it is about one. */
export function taskOfEvent({ data }: Fact | UnrecognizedFact): TaskId | undefined {
  return "task" in data ? (data.task ?? undefined) : undefined
}
