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
/** Whoever plans or reviews has a name in the place of a worker, and is none. */
const aboutRun = { run: word, task: v.nullish(task, null), worker: word, agent: word }
const grant = { task, attempt: count, number: count, pattern: word, reason: maybe }
const aboutSetback = { task, attempt: count, worker, agent: maybe, reason: word, advice: maybe }
const aboutRecord = { kind: oneOf(RECORD_KINDS), number: count, task: v.nullish(task, null), status: word, about: word }
const aboutFinding = { number: count, task: v.nullish(task, null), severity: word, place: maybe }
const move = { target: word, from: word, to: word }
/** A repository: the machine and folder it is in, and its id where it has one. */
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
  /** `trigger` where the engine paused it. */
  "team.paused": shape("nothing", { reason: maybe, trigger: v.optional(word) }),
  "team.resumed": shape("nothing", {}),
  "team.cleaned": shape("all", { tasks: count }),
  /** The last of a run: the next run of the team began, and this one can only be read. */
  "team.closed": shape("nothing", { next: count }),
  "team.status_changed": shape("nothing", { from: oneOf(TEAM_STATUSES), to: oneOf(TEAM_STATUSES), reason: maybe }),
  /** An orchestrator leads the team from now on; the settings, as JSON, are what it was started with. */
  "team.led": shape("nothing", { holder: word, token: count, settings: word }),
  /** It leads no longer: `done`, `failed`, `interrupted`, `cancelled`, `lost`. */
  "team.left": shape("nothing", { holder: word, token: count, reason: word }),
  /** The first of a team that came from files of another program. */
  "team.imported": shape("all", { layout: word, source: word, fingerprint: word }),
  /** Something that such files tell of the time before, at the time they name. */
  "history.imported": shape("all", { entry: word }),
  /** Tasks were made or changed as a plan says; who is to work on them, the template and follow-ups, where it says so. */
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
  /** It is resolved and builds on `of`, which was revised: whether it still holds is to be found out. */
  "task.recheck_asked": shape("task", { task, attempt: count, of: word }),
  /** Found out without an agent; the reason is why it no longer holds. */
  "task.rechecked": shape("task", { task, attempt: count, commit: word, holds: yes, reason: maybe }),
  /** The worker it is meant for was told that its last need, `by`, is met. */
  "task.unblocked": shape("nothing", { task, by: task, to: worker }),
  /** What an attempt came to: its last commit, the one it began from, and the repository that has them. */
  "task.committed": shape("nothing", { task, attempt: count, token: count, base: word, commit: word, ...place }),
  /** It is done, and the repository in which work is merged does not have its commit; the command brings it there. */
  "task.work_missing": shape("nothing", { task, attempt: count, commit: word, ...place, command: word }),
  /** The ref of its commit was moved or deleted by somebody, and is back; `kept` has what it was moved to. */
  "task.pin_restored": shape("nothing", { task, attempt: count, ref: word, from: maybe, to: word, kept: maybe }),
  /** Its commits are on the integration branch. */
  "task.merged": shape("task", { task, attempt: count, commit: word }),
  "task.merge_failed": shape("task", { task, attempt: count, reason: word, fix: task }),
  /** Its work is done, and is merged after the repair that touches the same files. */
  "task.merge_queued": shape("nothing", { task, attempt: count, behind: task }, "task {task} is merged after {behind}"),
  /** The next of the seven phases; the reason is why a plan was rejected. */
  "task.phase_changed": shape("task", { task, attempt: count, from: phase, to: phase, reason: maybe }),
  "task.qa_changed": shape("task", { task, attempt: count, from: maybe, to: maybe }),
  /** Two parties did not agree about it once more. */
  "task.disagreed": shape("task", { task, attempt: count, between: words, about: word, round: count }),
  "task.deleted": shape("all", { task, forced: yes }, "task {task} deleted"),
  /** What a worker is doing with the task now. */
  "task.step": shape("nothing", { task, attempt: count, worker, step: word }),
  /** A worker could not bring it to an end. */
  "task.setback": shape("task", { ...aboutSetback, kind: oneOf(FIRST_SETBACKS) }).next(
    { ...aboutSetback, kind: oneOf(SETBACKS) },
    (data) => data,
  ),
  /** One run of an agent; without a task it plans or reviews. */
  "run.started": shape("nothing", {
    ...{ ...aboutRun, attempt: maybeCount, model: maybe, turn: count },
    // Estimates: what it was sent before it began to work, and how much of that is teamwork's own words.
    ...{ sent_tokens: v.optional(count), own_tokens: v.optional(count) },
  }),
  /** What a run has used up so far. A run whose worker is killed has no other record of it. */
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
  /** Changes outside of a task's files were kept from being delivered; the commit holds them. */
  "ownership.set_aside": shape("task", { task, attempt: count, commit: word, ref: word, paths: words }),
  /** The engine merged files that several tasks changed by their rules, and how each of them. */
  "task.shared_files_merged": shape("task", { task, attempt: count, commit: word, paths: words, how: words }),
  /** What is about to be merged together; those of one wave where they are merged by waves. */
  "merge.started": shape("nothing", { tasks, wave: maybeCount }),
  /** Whatever became of it: each task has its own `task.merged` or `task.merge_failed`, or waits for the next merge. */
  "merge.ended": shape("nothing", { tasks, wave: maybeCount }),
  /** Where teamwork left the integration branch, where that began, and the branch it is for. */
  "integration.moved": shape("nothing", { commit: word, start: word, target: word, ...place }),
  /** Somebody else had moved or deleted the branch. It is back; `kept` has what it was moved to, with these commits. */
  "integration.restored": shape("nothing", { branch: word, from: maybe, to: word, kept: maybe, commits: words }),
  /** Refs that say where the branch began and which branch it is for were changed by somebody, and are back. */
  "integration.refs_restored": shape("nothing", { refs: words }),
  "waves.calculated": shape("all", { total: count }),
  "wave.updated": shape("nothing", { wave: count, from: oneOf(WAVE_STATUSES), to: oneOf(WAVE_STATUSES) }),
  /** How every gate stood on the commit that a run starts from; `gates` is a list of standings, as JSON. */
  "preflight.done": shape("nothing", { commit: word, tree: word, gates: word }),
  /** A gate begins to judge a commit, and is about to run these commands; the verdict of the same scope and subject ends it. */
  "gate.started": shape("nothing", {
    scope: oneOf(VERDICT_SCOPES),
    subject: maybe,
    task: v.nullish(task, null),
    commit: word,
    checks: words,
  }),
  /** Of one that failed: why in one line, then the last lines of the check that failed. */
  "verdict.recorded": shape("verdicts", {
    scope: oneOf(VERDICT_SCOPES),
    subject: maybe,
    status: oneOf(VERDICT_STATUSES),
    failure: v.optional(words),
    /** Of a final one that passed: what it could not judge or found odd. */
    warnings: v.optional(words),
  }),
  /** Something was written down; `about` says in a few words what. */
  "record.added": shape("records", aboutRecord),
  "record.changed": shape("records", aboutRecord),
  "record.removed": shape("records", { kind: oneOf(RECORD_KINDS), number: count }),
  /** A review found something, or found it again: `is_again` where it was known as fixed. `task` is what it is about. */
  "finding.recorded": shape("records", {
    ...aboutFinding,
    source: word,
    commit: maybe,
    is_again: v.optional(yes),
    about: word,
  }),
  /** A review of the commit says that it is fixed. */
  "finding.fixed": shape("records", { ...aboutFinding, commit: word }),
  /** A person accepts it as it is. */
  "finding.waived": shape("records", { ...aboutFinding, reason: word }),
  /** A person took the waiver back. */
  "finding.reopened": shape("records", { ...aboutFinding, reason: maybe }),
  /** Of a part: which tasks it leaves out, each with the reason. */
  "target.delivered": shape("nothing", { ...move, left_out: v.optional(words), notes: v.optional(words) }),
  "target.undone": shape("nothing", move),
  /** The target has commits that are not teamwork's; they are taken in before the next delivery. */
  "target.moved": shape("nothing", { ...move, commits: words }),
  /** The user dropped commits that the work began on: it was carried over without them. `former` pins it as it was. */
  "target.rewritten": shape("nothing", { ...move, dropped: words, former: word }),
  /** A session, or a terminal, takes part in the team: as this worker, or as the lead. */
  "seat.taken": shape("nothing", { terminal: word, part: word, worker: v.nullish(worker, null), delegation: word }),
  /** It does no longer; what it held went back. */
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
  /** Somebody started its process, which may not have said a word yet. */
  "worker.spawned": shape("nothing", { worker, ...startedProcess }),
  /** Its process runs: number and start tell it from a later one with the same number. */
  "worker.started": shape("nothing", { worker, role, ...startedProcess }),
  /** `done`, `stopped`, `crashed`, `lost` (nobody saw how) or `unresponsive`. */
  "worker.exited": shape("nothing", { worker, reason: word, detail: maybe }),
  "worker.quarantined": shape("nothing", { worker, reason: word }),
  /** It showed no sign of work and was asked for one. */
  "worker.status_checked": shape("nothing", { worker, task }),
  /** The time is the first at which it can be asked again. */
  "agent.rate_limited": shape("nothing", { agent: word, until: word }),
  "agent.rate_limit_lifted": shape("nothing", { agent: word }),
  /** The program failed. Nobody uses it before that time; `is_open`: it failed again and again, or waiting cannot heal it. */
  "agent.left_out": shape("nothing", { agent: word, until: word, reason: word, error: word, is_open: yes }),
  /** It works again, or a person said so. */
  "agent.taken_back": shape("nothing", { agent: word }),
  "workspace.created": shape("nothing", { worker, path: word, branch: word, base: word }),
  /** Gone together with its branch; what it held is in these refs. */
  "workspace.removed": shape("nothing", { worker, path: word, pins: words }),
  "workspace.synced": shape("nothing", { worker, result: word, onto: word, head: word }),
  /** What a person should know of how worktrees are made ready, such as a tool that is missing; once in a run. */
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
  /** The worker that acted, or `person` for whoever named no owner. */
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
 * `store.too_new`, since whoever goes on without it would decide by half of the facts.
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

/** What an export or another store gets: the words of whoever wrote it, where they are not known here. */
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
