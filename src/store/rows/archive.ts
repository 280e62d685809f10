import type { PastEvent, SnapshotTask, SnapshotTeam, TeamSnapshot } from "../../files/snapshot.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { Exception } from "../../ownership/exception.ts"
import type { Evidence } from "../../tasks/evidence.ts"
import { isMet } from "../../tasks/task.ts"
import type { ArchiveStore, EventStore } from "../port.ts"
import { documentStore } from "./documents.ts"
import { listEvidence } from "./evidence-rows.ts"
import { listExceptions } from "./exception-rows.ts"
import { listLoops } from "./loops.ts"
import { listMessages } from "./message-rows.ts"
import { listRecords, RECORD_COLUMNS } from "./record-rows.ts"
import { insertRows, iso, type Param, placeholders, type Session } from "./sql-session.ts"
import { formatWork, TASK_COLUMNS, type TaskRow, toTask } from "./task-row.ts"
import { needsByTask } from "./task-rows.ts"
import { COLUMNS as TEAM_COLUMNS, type TeamRow, toTeam } from "./team-rows.ts"
import { verdictStore } from "./verdict-rows.ts"
import { waveStore } from "./wave-rows.ts"
import { listWorkerRows, type WorkerRow } from "./worker-rows.ts"

/** Whole teams: read to be written down elsewhere, and brought back as they were. */
export function archiveStore(session: Session, events: EventStore): ArchiveStore {
  return {
    async read(key) {
      const { isCurrent, ...team } = await readRun(session, key)
      return {
        team,
        tasks: await readTasks(session, key),
        waves: await waveStore(session).list(key),
        workers: await readWorkers(session, key),
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
    workers: (key) => readWorkers(session, key),
    loops: (name) => listLoops(session, name),
    messages: (key, from) => listMessages(session, key, from),
    restore: (snapshot, history, isCurrent = true) => restore(session, events, { snapshot, history, isCurrent }),
  }
}

async function readRun(session: Session, key: number): Promise<SnapshotTeam & { readonly isCurrent: boolean }> {
  const row = await session.get<TeamRow & { next_task: number; next_worker: number }>(
    `select ${TEAM_COLUMNS}, next_task, next_worker from team where id = ?`,
    [key],
  )
  if (row === undefined) throw new Error("the team vanished inside a transaction")
  const { key: _, ...team } = toTeam(row)
  return { ...team, nextTask: row.next_task, nextWorker: row.next_worker }
}

type WholeTaskRow = TaskRow & { height: number; lease_ms: number }

async function readTasks(session: Session, key: number, ids?: readonly TaskId[]): Promise<SnapshotTask[]> {
  const select = `select ${TASK_COLUMNS}, height, lease_ms from task where team_id = ?`
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

async function readWorkers(session: Session, key: number): Promise<TeamSnapshot["workers"]> {
  return (await listWorkerRows(session, key)).map((row: WorkerRow) => ({
    id: row.id,
    role: row.role,
    sessionId: row.session_id,
    pane: row.pane,
    worktree: row.worktree,
    branch: row.branch,
    availability: row.availability,
    heartbeatAt: iso(row.heartbeat_at),
    createdAt: iso(row.created_at),
  }))
}

async function restore(
  session: Session,
  events: EventStore,
  { snapshot, history, isCurrent }: { snapshot: TeamSnapshot; history: readonly PastEvent[]; isCurrent: boolean },
): Promise<number | undefined> {
  const key = await restoreTeam(session, snapshot.team, isCurrent)
  if (key === undefined) return undefined
  await restoreTasks(session, key, snapshot)
  await restoreExceptions(session, key, snapshot.tasks)
  await insertRows(
    session,
    "wave",
    ["team_id", "number", "verdict", "started_at", "verified_at"],
    snapshot.waves.map((wave) => [key, wave.number, wave.verdict, ms(wave.startedAt), ms(wave.verifiedAt)]),
  )
  await insertRows(
    session,
    "worker",
    ["team_id", "id", "role", "session_id", "pane", "worktree", "branch", "availability", "heartbeat_at", "created_at"],
    snapshot.workers.map((worker) => [
      key,
      worker.id,
      worker.role,
      worker.sessionId,
      worker.pane,
      worker.worktree,
      worker.branch,
      worker.availability,
      ms(worker.heartbeatAt),
      ms(worker.createdAt),
    ]),
  )
  await restoreRecords(session, key, snapshot)
  await events.restore(key, history)
  return key
}

async function restoreTeam(session: Session, team: SnapshotTeam, isCurrent: boolean): Promise<number | undefined> {
  const row = await session.get<{ id: number }>(
    `insert into team (project, name, run, is_current, goal, phase, status, pause_reason, mode, schedule, protocol, has_qa, next_task, next_worker,
       created_at, updated_at)
     values (${placeholders(16)}) on conflict do nothing returning id`,
    [
      team.project,
      team.team,
      team.run,
      isCurrent ? 1 : 0,
      team.goal,
      team.phase,
      team.status,
      team.pauseReason,
      team.mode,
      team.schedule,
      team.protocol,
      team.hasQa ? 1 : 0,
      team.nextTask,
      team.nextWorker,
      ms(team.createdAt),
      ms(team.updatedAt),
    ],
  )
  return row?.id
}

const EVIDENCE_COLUMNS =
  "team_id, task_id, attempt, type, trust, text, facts, blocked_pattern, author, recorded_at, withdrawn_at"

async function restoreTasks(session: Session, key: number, { team, tasks }: TeamSnapshot): Promise<void> {
  const met = new Set(tasks.filter((task) => isMet(task.status)).map((task) => task.id))
  const columns = `team_id, id, title, description, role, complexity, acceptance, checks, files, agent_type, assignee, work, priority,
    status, paused_from, pause_reason, unmet, wave, claim_wave, height, attempt, result, protocol_phase, qa, claimed_by, claimed_at, claim_token,
    lease_until, lease_ms, worker_id, previous_owner, version, created_at, updated_at, completed_at`
  await insertRows(
    session,
    "task",
    columns.split(/,\s*/),
    tasks.map((task) => [
      key,
      task.id,
      task.title,
      task.description,
      task.role,
      task.complexity,
      JSON.stringify(task.acceptance),
      JSON.stringify(task.checks),
      JSON.stringify(task.files),
      task.agentType,
      task.assignee ?? "",
      formatWork(task.work),
      task.priority,
      task.status,
      task.pausedFrom,
      task.pauseReason,
      task.blockedBy.filter((need) => !met.has(need)).length,
      task.wave ?? 0,
      team.schedule === "eager" ? 0 : (task.wave ?? 0),
      task.height,
      task.attempt,
      task.result,
      task.phase ?? "",
      task.qa ?? "",
      task.claimedBy,
      ms(task.claimedAt),
      task.claimToken,
      ms(task.leaseUntil),
      task.leaseMs,
      task.workerId,
      task.previousOwner,
      task.version,
      ms(task.createdAt),
      ms(task.updatedAt),
      ms(task.completedAt),
    ]),
  )
  const needs = tasks.flatMap((task) => task.blockedBy.map((need): Param[] => [key, task.id, need]))
  await insertRows(session, "need", ["team_id", "task_id", "need_id"], needs)
  await insertRows(
    session,
    "evidence",
    EVIDENCE_COLUMNS.split(", "),
    tasks.flatMap((task) =>
      task.evidence.map((entry): Param[] => [
        key,
        task.id,
        entry.attempt,
        entry.type,
        entry.trust,
        entry.text,
        JSON.stringify(entry.facts),
        entry.blockedPattern,
        entry.by,
        ms(entry.timestamp),
        ms(entry.withdrawnAt),
      ]),
    ),
  )
}

const EXCEPTION_COLUMNS =
  "team_id, task_id, attempt, pattern, reason, asked_by, asked_at, status, decided_by, decided_at, decision"

async function restoreExceptions(session: Session, key: number, tasks: readonly SnapshotTask[]): Promise<void> {
  await insertRows(
    session,
    "file_exception",
    EXCEPTION_COLUMNS.split(", "),
    tasks.flatMap((task) =>
      task.exceptions.map((entry): Param[] => [
        key,
        task.id,
        entry.attempt,
        entry.pattern,
        entry.reason,
        entry.askedBy,
        ms(entry.askedAt),
        entry.status,
        entry.decidedBy,
        ms(entry.decidedAt),
        entry.decision,
      ]),
    ),
  )
}

async function restoreRecords(session: Session, key: number, snapshot: TeamSnapshot): Promise<void> {
  await insertRows(
    session,
    "message",
    ["id", "team_id", "sender", "recipient", "type", "payload", "sent_at", "delivered_at", "read_at"],
    snapshot.messages.map((message) => [
      message.id,
      key,
      message.from,
      message.to,
      message.type,
      JSON.stringify(message.payload),
      ms(message.timestamp),
      ms(message.deliveredAt),
      ms(message.readAt),
    ]),
  )
  await insertRows(
    session,
    "verdict",
    [
      ...["team_id", "scope", "subject", "status", "checks", "issues", "author", "recorded_at"],
      ...["judged_commit", "judged_tree"],
    ],
    snapshot.verdicts.map((verdict) => [
      key,
      verdict.scope,
      verdict.subject,
      verdict.status,
      JSON.stringify(verdict.checks),
      JSON.stringify(verdict.issues),
      verdict.by,
      ms(verdict.timestamp),
      verdict.commit ?? null,
      verdict.tree ?? null,
    ]),
  )
  await insertRows(
    session,
    "record",
    ["team_id", ...RECORD_COLUMNS.split(", ")],
    snapshot.records.map((record) => [
      ...[key, record.kind, record.number, record.taskId, record.attempt, record.status, JSON.stringify(record.data)],
      ...[record.by, ms(record.createdAt), ms(record.updatedAt)],
    ]),
  )
  await insertRows(
    session,
    "document",
    ["team_id", "path", "content", "encoding", "author", "created_at", "updated_at"],
    snapshot.documents.map((document) => [
      key,
      document.path,
      document.content,
      document.encoding,
      document.by,
      ms(document.createdAt),
      ms(document.updatedAt),
    ]),
  )
  for (const loop of snapshot.loops) {
    // A terminal that runs a loop of its own goes on with that one.
    await session.run(
      `insert into loop_state (terminal_id, active, project, team, role, started_at) values (?, ?, ?, ?, ?, ?)
       on conflict (terminal_id) do nothing`,
      [loop.terminalId, loop.active ? 1 : 0, loop.project, loop.team, loop.role, ms(loop.startedAt)],
    )
  }
}

function ms(time: string): number
function ms(time: string | null): number | null
function ms(time: string | null): number | null {
  return time === null ? null : Date.parse(time)
}
