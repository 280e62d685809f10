import type { PastEvent, SnapshotTask, SnapshotTeam, TeamSnapshot } from "../../files/snapshot.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { Exception } from "../../ownership/exception.ts"
import type { Evidence } from "../../tasks/evidence.ts"
import { isMet } from "../../tasks/task.ts"
import type { ArchiveStore, EventStore } from "../port.ts"
import { DOCUMENT, documentStore } from "./document-rows.ts"
import { EVIDENCE, listEvidence } from "./evidence-rows.ts"
import { EXCEPTION, listExceptions } from "./exception-rows.ts"
import { listMessages, MESSAGE } from "./message-rows.ts"
import { listRecords, RECORD } from "./record-rows.ts"
import { insertRow, insertRows, type Row, returned, type Session } from "./sql-session.ts"
import { TASK, toTask } from "./task-row.ts"
import { insertNeeds, needsByTask } from "./task-rows.ts"
import { TEAM } from "./team-rows.ts"
import { LOOP, listLoops } from "./terminal-rows.ts"
import { VERDICT, verdictStore } from "./verdict-rows.ts"
import { WAVE, waveStore } from "./wave-rows.ts"
import { listSnapshotWorkers, WORKER } from "./worker-rows.ts"

/** Whole teams: read for an export, and restored as they were. */
export function archiveStore(session: Session, events: EventStore): ArchiveStore {
  return {
    async read(key) {
      const { isCurrent, ...team } = await readRun(session, key)
      return {
        team,
        tasks: await readTasks(session, key),
        waves: await waveStore(session).list(key),
        workers: await listSnapshotWorkers(session, key),
        messages: await listMessages(session, key, 0),
        verdicts: await verdictStore(session).list(key),
        records: await listRecords(session, key),
        // Loops belong to the team as it is now.
        loops: isCurrent ? await listLoops(session, team) : [],
        documents: await documentStore(session).list(key),
      }
    },
    async team(key) {
      const { isCurrent: _, ...team } = await readRun(session, key)
      return team
    },
    tasks: (key, ids) => readTasks(session, key, ids),
    workers: (key) => listSnapshotWorkers(session, key),
    loops: (name) => listLoops(session, name),
    messages: (key, from) => listMessages(session, key, from),
    restore: (snapshot, history, isCurrent = true) => restore(session, events, { snapshot, history, isCurrent }),
  }
}

async function readRun(session: Session, key: number): Promise<SnapshotTeam & { readonly isCurrent: boolean }> {
  const row = returned(
    await session.get<{ next_task: number; next_worker: number }>(
      `select ${TEAM.columns}, next_task, next_worker from team where id = ?`,
      [key],
    ),
  )
  const { key: _, ...team } = TEAM.read(row)
  return { ...team, nextTask: row.next_task, nextWorker: row.next_worker }
}

interface WholeTaskRow {
  readonly id: TaskId
  readonly height: number
  readonly lease_ms: number
  readonly previous_owner: string | null
}

async function readTasks(session: Session, key: number, ids?: readonly TaskId[]): Promise<SnapshotTask[]> {
  const select = `select ${TASK.columns}, height, lease_ms, previous_owner from task where team_id = ?`
  if (ids === undefined) {
    const needs = await needsByTask(session, key)
    const evidence = Map.groupBy(await listEvidence(session, key), (entry) => entry.taskId)
    const exceptions = Map.groupBy(await listExceptions(session, key), (entry) => entry.taskId)
    const rows = await session.all<WholeTaskRow>(`${select} order by seq`, [key])
    return rows.map((row) =>
      toSnapshot(row, needs.get(row.id) ?? [], {
        evidence: evidence.get(row.id) ?? [],
        exceptions: exceptions.get(row.id) ?? [],
      }),
    )
  }
  const tasks: SnapshotTask[] = []
  for (const id of ids) {
    const row = await session.get<WholeTaskRow>(`${select} and id = ?`, [key, id])
    if (row === undefined) continue
    const needs = (await needsByTask(session, key, id)).get(id) ?? []
    const evidence = await listEvidence(session, key, id)
    tasks.push(toSnapshot(row, needs, { evidence, exceptions: await listExceptions(session, key, id) }))
  }
  return tasks
}

function toSnapshot(
  row: WholeTaskRow,
  needs: readonly TaskId[],
  records: { readonly evidence: readonly Evidence[]; readonly exceptions: readonly Exception[] },
): SnapshotTask {
  const { unmet: _, ...task } = toTask(row, needs.toSorted())
  return { ...task, height: row.height, leaseMs: row.lease_ms, previousOwner: row.previous_owner, ...records }
}

async function restore(
  session: Session,
  events: EventStore,
  { snapshot, history, isCurrent }: { snapshot: TeamSnapshot; history: readonly PastEvent[]; isCurrent: boolean },
): Promise<number | undefined> {
  const { nextTask, nextWorker, ...team } = snapshot.team
  const counters = { next_task: nextTask, next_worker: nextWorker }
  const row = { ...TEAM.toRow({ ...team, isCurrent }), ...counters }
  const added = await insertRow<{ id: number }>(session, "team", row, "on conflict do nothing returning id")
  if (added === undefined) return undefined
  const key = added.id
  const insert = (table: string, rows: readonly Row[]) =>
    insertRows(
      session,
      table,
      rows.map((each) => ({ team_id: key, ...each })),
    )
  await insert("task", restoreTasks(snapshot))
  await insertNeeds(session, key, snapshot.tasks)
  await insert(
    "evidence",
    snapshot.tasks.flatMap(({ evidence }) => evidence.map(EVIDENCE.toRow)),
  )
  await insert(
    "file_exception",
    snapshot.tasks.flatMap(({ exceptions }) => exceptions.map(EXCEPTION.toRow)),
  )
  await insert("wave", snapshot.waves.map(WAVE.toRow))
  await insert("worker", snapshot.workers.map(WORKER.toRow))
  await insert("message", snapshot.messages.map(MESSAGE.toRow))
  await insert("verdict", snapshot.verdicts.map(VERDICT.toRow))
  await insert("record", snapshot.records.map(RECORD.toRow))
  await insert("document", snapshot.documents.map(DOCUMENT.toRow))
  for (const loop of snapshot.loops) {
    // A terminal that runs a loop of its own keeps that one.
    await insertRow(session, "loop_state", LOOP.toRow(loop), "on conflict (terminal_id) do nothing")
  }
  await events.restore(key, history)
  return key
}

function restoreTasks({ team, tasks }: TeamSnapshot): Row[] {
  const met = new Set(tasks.filter((task) => isMet(task.status)).map((task) => task.id))
  return tasks.map((task) => ({
    ...TASK.toRow({ ...task, unmet: task.blockedBy.filter((need) => !met.has(need)).length }),
    claim_wave: team.schedule === "eager" ? 0 : (task.wave ?? 0),
    height: task.height,
    lease_ms: task.leaseMs,
    previous_owner: task.previousOwner,
  }))
}
