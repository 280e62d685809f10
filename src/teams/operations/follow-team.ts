import { type Event, taskOfEvent } from "../../kernel/events.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { EventQuery, Tx } from "../../store/port.ts"
import { isHeld, isMet, type Task } from "../../tasks/task.ts"

const EVENTS_AT_ONCE = 10_000

export async function readEventsSince(
  tx: Tx,
  key: number,
  after: string | undefined,
): Promise<{ readonly events: readonly Event[]; readonly cursor: string }> {
  return readPages(tx, key, { after })
}

export async function readEventsOf(tx: Tx, key: number, task: TaskId): Promise<readonly Event[]> {
  return (await readPages(tx, key, { task })).events
}

async function readPages(tx: Tx, key: number, { after, task }: Pick<EventQuery, "after" | "task">) {
  const events: Event[] = []
  let cursor = after
  for (;;) {
    const page = await tx.events.list(key, { after: cursor, task, limit: EVENTS_AT_ONCE })
    for (const event of page.events) events.push(event)
    cursor = page.cursor
    if (page.events.length < EVENTS_AT_ONCE) return { events, cursor }
  }
}

/** These change tasks without naming them. */
const OF_ALL: readonly string[] = ["waves.calculated", "team.cleaned", "task.deleted"]

interface KnownTasks {
  readonly key: number
  /** Undefined in the first call. */
  readonly known: ReadonlyMap<string, Task> | undefined
  readonly events: readonly Event[]
}

/**
 * Reads only tasks that the events name, and claimed ones, because renewing a claim writes no event. So following
 * thousands of tasks costs no more than following ten.
 */
export async function readTasksSince(tx: Tx, { key, known, events }: KnownTasks): Promise<ReadonlyMap<string, Task>> {
  if (known === undefined || events.some(({ type }) => OF_ALL.includes(type))) {
    return new Map((await tx.tasks.list(key)).map((task) => [task.id, task]))
  }
  const named = events.flatMap((event) => taskOfEvent(event) ?? [])
  const held = [...known.values()].filter(({ status }) => isHeld(status)).map(({ id }) => id)
  // A copy: a read may run more than once.
  const tasks = new Map(known)
  // Grows during the loop: a task that became met or unmet changes the tasks that need it.
  const due = new Set([...named, ...held])
  for (const id of due) {
    const task = await tx.tasks.find(key, id)
    const wasMet = isMet(tasks.get(id)?.status ?? "open")
    if (task === undefined) tasks.delete(id)
    else tasks.set(id, task)
    if (isMet(task?.status ?? "open") === wasMet) continue
    for (const other of await tx.tasks.dependants(key, id)) due.add(other)
  }
  return tasks
}
