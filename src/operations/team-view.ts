import type { Event } from "../domain/events.ts"
import { emptyHistory, tell } from "../domain/history.ts"
import type { TaskId, WorkerId } from "../domain/ids.ts"
import { countTasks, summarizeWaves, type TaskCount } from "../domain/status.ts"
import type { Task, TaskStatus } from "../domain/task.ts"
import type { TeamName } from "../domain/team.ts"
import type { TeamView } from "../domain/team-view.ts"
import { currentWave } from "../domain/wave.ts"
import type { Tx, WorkerNow } from "../store/port.ts"
import { getTeam } from "./lookup.ts"
import type { Context } from "./operation.ts"

/** A look at a team, from which the next one goes on. */
export interface Look extends TeamView {
  readonly key: number
  /** Behind the newest event it knows. */
  readonly cursor: string
}

/** How much of the past the first look shows. */
const FIRST_EVENTS = 20
const EVENTS_AT_ONCE = 10_000

/**
 * Looks at a team. Given the look before, it reads only what happened since and the tasks that concerns, so that watching
 * a team of thousands costs no more than one of ten; that look is used up.
 */
export async function lookAtTeam({ store }: Pick<Context, "store">, name: TeamName, before?: Look): Promise<Look> {
  const seen = await store.read((tx) => readNews(tx, name, before))
  const { last, events, ...rest } = seen
  // Told outside of the transaction, which may run more than once.
  const history = last?.history ?? emptyHistory()
  for (const event of events) tell(history, event)
  const alive = [...history.workers.values()].filter(({ exitedAt }) => exitedAt === null).map(({ id }) => id)
  const workers = await store.read((tx) => readWorkers(tx, rest.key, alive))
  return { ...rest, history, workers, events: last === undefined ? events.slice(-FIRST_EVENTS) : events }
}

async function readNews(tx: Tx, name: TeamName, before: Look | undefined) {
  const { key, ...team } = await getTeam(tx, name)
  const last = before?.key === key ? before : undefined // deleted and made anew meanwhile
  const { events, cursor } = await readEvents(tx, key, last?.cursor)
  const [waves, now, leader] = [await tx.waves.list(key), await tx.now(), await tx.leaders.find(key)]
  const tasks = await readTasks(tx, { key, known: last?.tasks, events })
  const counts = countByWave(tasks.values())
  return {
    ...{ last, key, cursor, team, events, now, tasks },
    stats: countTasks(counts),
    waves: summarizeWaves(waves, counts),
    currentWave: currentWave(waves),
    lead: leader !== undefined && leader.leaseUntil > now ? leader : null,
  }
}

/** As the store would count them, which would read all of them for it. */
function countByWave(tasks: Iterable<Task>): TaskCount[] {
  const counts = new Map<string, { wave: number; status: TaskStatus; count: number }>()
  for (const { wave, status } of tasks) {
    const name = `${wave} ${status}`
    const known = counts.get(name)
    if (known === undefined) counts.set(name, { wave: wave ?? 0, status, count: 1 })
    else known.count++
  }
  return [...counts.values()]
}

async function readWorkers(tx: Tx, key: number, ids: readonly string[]): Promise<WorkerNow[]> {
  const workers: WorkerNow[] = []
  for (const id of ids) {
    const worker = await tx.workers.find(key, id as WorkerId)
    if (worker !== undefined && worker.status !== "stopped") workers.push(worker)
  }
  return workers
}

/** These change tasks without naming them. */
const OF_ALL: readonly string[] = ["waves.calculated", "team.cleaned"]

async function readTasks(
  tx: Tx,
  { key, known, events }: { key: number; known: ReadonlyMap<string, Task> | undefined; events: readonly Event[] },
): Promise<ReadonlyMap<string, Task>> {
  if (known === undefined || events.some(({ type }) => OF_ALL.includes(type))) {
    return new Map((await tx.tasks.list(key)).map((task) => [task.id, task]))
  }
  const changed = new Set(events.flatMap(({ data }) => (typeof data.task === "string" ? [data.task] : [])))
  if (changed.size === 0) return known
  const tasks = known as Map<string, Task>
  for (const id of changed) {
    const task = await tx.tasks.find(key, id as TaskId)
    if (task === undefined) tasks.delete(id)
    else tasks.set(id, task)
  }
  return tasks
}

async function readEvents(
  tx: Tx,
  key: number,
  after: string | undefined,
): Promise<{ events: readonly Event[]; cursor: string }> {
  const events: Event[] = []
  let cursor = after
  for (;;) {
    const page = await tx.events.list(key, { after: cursor, limit: EVENTS_AT_ONCE })
    for (const event of page.events) events.push(event)
    cursor = page.cursor
    if (page.events.length < EVENTS_AT_ONCE) return { events, cursor }
  }
}
