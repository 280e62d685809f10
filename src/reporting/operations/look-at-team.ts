import type { WorkerId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import { readQuestionsSince } from "../../requests/operations/questions.ts"
import type { Context } from "../../store/operation.ts"
import type { Tx, WorkerNow } from "../../store/port.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"
import { readEventsSince, readTasksSince } from "../../teams/operations/follow-team.ts"
import { applyEvent, emptyHistory } from "../history.ts"
import { countByWave, describeProgress } from "../status.ts"
import type { TeamView } from "../team-view.ts"

export interface Look extends TeamView {
  readonly key: number
  readonly cursor: string
}

const FIRST_EVENTS = 20

/**
 * Reads a team. With the look before, it reads only new events and the tasks they concern, so watching thousands of
 * tasks costs no more than ten. The look before must not be used again.
 */
export async function lookAtTeam({ store }: Pick<Context, "store">, name: TeamName, before?: Look): Promise<Look> {
  const seen = await store.read((tx) => readNews(tx, name, before))
  const { last, events, ...rest } = seen
  // Outside of the transaction, which may run more than once.
  const history = last?.history ?? emptyHistory()
  for (const event of events) applyEvent(history, event)
  const alive = [...history.workers.values()].filter(({ exitedAt }) => exitedAt === null).map(({ id }) => id)
  const workers = await store.read((tx) => readWorkers(tx, rest.key, alive))
  return { ...rest, history, workers, events: last === undefined ? events.slice(-FIRST_EVENTS) : events }
}

async function readNews(tx: Tx, name: TeamName, before: Look | undefined) {
  const { key, isCurrent: _, ...team } = await getTeam(tx, name)
  const last = before?.key === key ? before : undefined // deleted and made anew meanwhile
  const { events, cursor } = await readEventsSince(tx, key, last?.cursor)
  const [waves, now, leader] = [await tx.waves.list(key), await tx.now(), await tx.leaders.find(key)]
  const tasks = await readTasksSince(tx, { key, known: last?.tasks, events })
  const counts = countByWave(tasks.values())
  const questions = await readQuestionsSince(tx, key, { known: last?.questions, events })
  return {
    ...describeProgress({ waves, counts, questions }),
    last,
    key,
    cursor,
    team,
    events,
    now,
    tasks,
    lead: leader !== undefined && leader.leaseUntil > now ? leader : null,
  }
}

async function readWorkers(tx: Tx, key: number, ids: readonly string[]): Promise<WorkerNow[]> {
  const workers: WorkerNow[] = []
  for (const id of ids) {
    const worker = await tx.workers.find(key, id as WorkerId)
    if (worker !== undefined && worker.status !== "stopped") workers.push(worker)
  }
  return workers
}
