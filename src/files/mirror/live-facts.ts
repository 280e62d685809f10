import type { FileChange } from "../../kernel/event-versions.ts"
import { EVENTS, type Event, ofType, taskOfEvent, UNRECOGNIZED } from "../../kernel/events.ts"
import type { TaskId, WorkerId } from "../../kernel/ids.ts"
import type { Archive, Changes, Wanted } from "../operations/read-archive.ts"
import type { TeamFacts } from "../own/facts.ts"
import type { SnapshotMessage, SnapshotTask } from "../snapshot.ts"

/**
 * The facts of a team, kept up to date. Events say which tasks, messages and verdicts to read again. Small parts,
 * and those that change without an event, are read each time. Where that is not enough, everything is read again.
 */
export interface LiveFacts {
  readonly key: number
  readonly facts: Changeable<Omit<TeamFacts, "tasks">> & { readonly tasks: Map<TaskId, SnapshotTask> }
  readonly places: Map<TaskId, number>
  /** Their leases are renewed without an event. */
  readonly inProgress: Set<TaskId>
  cursor: string
  eventCount: number
}

type Changeable<T> = { -readonly [K in keyof T]: T[K] }

export interface Touched {
  readonly tasks: readonly SnapshotTask[]
  readonly workers: ReadonlySet<WorkerId>
  readonly inboxes: ReadonlySet<string>
  readonly hasVerdicts: boolean
  readonly hasRecords: boolean
  readonly hasLoops: boolean
  /** Also true when only the team or its waves changed. */
  readonly hasAny: boolean
  readonly events: readonly Event[]
}

const LATEST_EVENTS = 10

export function startFacts({ key, snapshot, events, cursor }: Archive): LiveFacts {
  const { tasks, ...rest } = snapshot
  return {
    key,
    facts: {
      ...rest,
      tasks: new Map(tasks.map((task) => [task.id, task])),
      latestEvents: latest(events),
      setbacks: ofType(events, "task.setback"),
    },
    places: new Map(tasks.map((task, index) => [task.id, index + 1])),
    inProgress: new Set(tasks.filter((task) => task.status === "in_progress").map((task) => task.id)),
    cursor,
    eventCount: events.length,
  }
}

/** An unknown event of a newer program may change anything. */
function changesOf(type: Event["type"]): FileChange {
  return type === UNRECOGNIZED ? "all" : EVENTS[type].changes
}

/** Undefined for everything. */
export function chooseWanted({ facts, inProgress }: LiveFacts, events: readonly Event[]): Wanted | undefined {
  const changed = new Set(events.map(({ type }) => changesOf(type)))
  if (changed.has("all")) return undefined
  const touched = events.flatMap((event) => (changesOf(event.type) === "task" ? (taskOfEvent(event) ?? []) : []))
  return {
    tasks: [...new Set([...inProgress, ...touched])],
    messagesFrom: changed.has("messages") ? firstMessage(facts.messages, events) : undefined,
    verdicts: changed.has("verdicts"),
    records: changed.has("records"),
  }
}

/** The place of the first message that is new or newly read. */
function firstMessage(messages: readonly SnapshotMessage[], events: readonly Event[]): number {
  const read = new Set(ofType(events, "message.read").flatMap(({ data }) => data.ids))
  const first = read.size === 0 ? -1 : messages.findIndex((message) => read.has(message.id))
  return first === -1 ? messages.length : first
}

/** Undefined when the changes do not fit the known facts: read everything again. */
export function applyChanges(live: LiveFacts, changes: Changes, wanted: Wanted): Touched | undefined {
  const { facts } = live
  const known = new Set(changes.workers.map((worker) => worker.id))
  const hasLost = changes.tasks.length < wanted.tasks.length || facts.workers.some((worker) => !known.has(worker.id))
  const messages = mergeMessages(facts.messages, changes, wanted.messagesFrom)
  if (hasLost || messages === undefined) return undefined

  const tasks = changes.tasks.filter((task) => !Bun.deepEquals(facts.tasks.get(task.id), task))
  const workers = touchedWorkers(facts, changes, tasks)
  for (const task of tasks) setTask(live, task)
  const hasLoops = !Bun.deepEquals(facts.loops, changes.loops)
  const hasTeam = !Bun.deepEquals([facts.team, facts.waves], [changes.team, changes.waves])
  const { team, waves, loops, verdicts, records, events, cursor } = changes
  Object.assign(facts, { team, waves, loops, workers: changes.workers, messages: messages.all })
  facts.verdicts = verdicts ?? facts.verdicts
  facts.records = records ?? facts.records
  facts.latestEvents = latest([...facts.latestEvents, ...events])
  facts.setbacks = [...facts.setbacks, ...ofType(events, "task.setback")]
  live.cursor = cursor
  live.eventCount += events.length
  const hasAny = hasLoops || hasTeam || tasks.length + workers.size + messages.inboxes.size + events.length > 0
  return {
    tasks,
    workers,
    inboxes: messages.inboxes,
    hasLoops,
    hasAny,
    events,
    hasVerdicts: verdicts !== undefined,
    hasRecords: records !== undefined,
  }
}

function setTask({ facts, places, inProgress }: LiveFacts, task: SnapshotTask): void {
  facts.tasks.set(task.id, task)
  if (!places.has(task.id)) places.set(task.id, places.size + 1)
  if (task.status === "in_progress") inProgress.add(task.id)
  else inProgress.delete(task.id)
}

/** Workers whose row changed, and those that have or had one of the tasks. */
function touchedWorkers(facts: TeamFacts, changes: Changes, tasks: readonly SnapshotTask[]): Set<WorkerId> {
  const before = new Map(facts.workers.map((worker) => [worker.id, worker]))
  const rows = changes.workers.filter((worker) => !Bun.deepEquals(before.get(worker.id), worker))
  const holders = tasks.flatMap((task) => [facts.tasks.get(task.id)?.workerId, task.workerId])
  const touched = new Set([...rows.map((worker) => worker.id), ...holders])
  return new Set(changes.workers.map((worker) => worker.id).filter((id) => touched.has(id)))
}

/** Undefined when a message came in between: with several writers, a newer one may appear before an older one. */
function mergeMessages(
  before: readonly SnapshotMessage[],
  { messages, events }: Changes,
  from = before.length,
): { all: readonly SnapshotMessage[]; inboxes: Set<string> } | undefined {
  if (messages === undefined) return { all: before, inboxes: new Set() }
  const all = [...before.slice(0, from), ...messages]
  const ids = new Set(all.map((message) => message.id))
  const isComplete = events.every((event) => event.type !== "message.sent" || ids.has(event.data.id))
  if (ids.size < all.length || all.length < before.length || !isComplete) return undefined
  const changed = all.filter((message, index) => index >= from && !Bun.deepEquals(before[index], message))
  return { all, inboxes: new Set(changed.map((message) => message.to)) }
}

function latest(events: TeamFacts["latestEvents"]): TeamFacts["latestEvents"] {
  // Messages would fill the whole whiteboard.
  return events.filter((event) => !event.type.startsWith("message.")).slice(-LATEST_EVENTS)
}
