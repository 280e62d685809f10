import type { TaskId } from "../../kernel/ids.ts"
import { PHASES, type Protocol } from "../../kernel/phase.ts"
import type { Schedule } from "../../kernel/team.ts"
import type { TaskCount } from "../../reporting/status.ts"
import { isMet, type Task, type TaskBrief, type TaskStatus } from "../../tasks/task.ts"
import type { GraphNode, OwningTask, TaskFilter, TaskStore } from "../port.ts"
import { insertRow, insertRows, type Param, placeholders, type Row, returned, type Session } from "./sql-session.ts"
import { parseList, TASK, toTask } from "./task-row.ts"

type TaskRow = { readonly id: TaskId }

const MET = "('resolved', 'skipped')"

export function taskStore(session: Session): TaskStore {
  const select = async (key: number, id: TaskId, lock: string) => {
    const row = await session.get<TaskRow>(`select ${TASK.columns} from task where team_id = ? and id = ?${lock}`, [
      key,
      id,
    ])
    return row && toTask(row, await needsOf(session, key, id))
  }
  const get = async (key: number, id: TaskId) => {
    const task = await select(key, id, "")
    if (task === undefined) throw new Error(`task ${id} vanished inside a transaction`)
    return task
  }
  return {
    find: (key, id) => select(key, id, ""),
    lock: (key, id) => select(key, id, session.forUpdate),
    list: (key, filter = {}) => listTasks(session, key, { filter, lock: "" }),
    lockAll: (key) => listTasks(session, key, { filter: {}, lock: session.forUpdate }),
    async graph(key) {
      const rows = await session.all<Omit<GraphNode, "blockedBy"> & { wave: number }>(
        "select id, title, role, status, wave from task where team_id = ? order by seq",
        [key],
      )
      const needs = await needsByTask(session, key)
      return rows.map((row) => ({ ...row, wave: row.wave === 0 ? null : row.wave, blockedBy: needs.get(row.id) ?? [] }))
    },
    owning: (key) => listOwning(session, key),
    create: (key, id, brief, wave) => createTask(session, key, { id, brief, wave }),
    createAll: (key, tasks) => createTasks(session, key, tasks),
    async update(key, id, change) {
      const row = { ...TASK.toRow(change), updated_at: await session.now() }
      const set = Object.keys(row).map((column) => `${column} = ?`)
      await session.run(`update task set ${set.join(", ")}, version = version + 1 where team_id = ? and id = ?`, [
        ...Object.values(row),
        key,
        id,
      ])
      return get(key, id)
    },
    async renew(key, id) {
      await session.run("update task set lease_until = cast(? as bigint) + lease_ms where team_id = ? and id = ?", [
        await session.now(),
        key,
        id,
      ])
      return get(key, id)
    },
    async take(key, id, claim) {
      await takeTask(session, { key, id, ...claim })
      return get(key, id)
    },
    async setNeeds(key, id, needs) {
      const unmet = await countUnmet(session, key, needs)
      await session.run("delete from need where team_id = ? and task_id = ?", [key, id])
      await insertNeeds(session, key, [{ id, blockedBy: needs }])
      await session.run(
        "update task set unmet = ?, version = version + 1, updated_at = ? where team_id = ? and id = ?",
        [unmet, await session.now(), key, id],
      )
      return get(key, id)
    },
    async remove(key, id) {
      await session.run("delete from need where team_id = ? and task_id = ?", [key, id])
      await session.run("delete from evidence where team_id = ? and task_id = ?", [key, id])
      await session.run("delete from file_exception where team_id = ? and task_id = ?", [key, id])
      await session.run("delete from task where team_id = ? and id = ?", [key, id])
    },
    async dependants(key, id) {
      const rows = await session.all<{ task_id: TaskId }>(
        "select task_id from need where team_id = ? and need_id = ? order by task_id",
        [key, id],
      )
      return rows.map((row) => row.task_id)
    },
    progress: (key) =>
      session.all<TaskCount>(
        "select wave, status, count(*) as count from task where team_id = ? group by wave, status order by wave, status",
        [key],
      ),
    listOverdue: (key, claimedBefore) => listOverdue(session, key, claimedBefore),
    nextLeaseEnd: (key) => nextLeaseEnd(session, key),
    setWaves: (key, places) => setWaves(session, key, places),
    async setRanks(key, ranks) {
      const set = "update task set claim_rank = ? where team_id = ? and id = ? and claim_rank <> ?"
      await Promise.all(ranks.map(({ id, rank }) => session.run(set, [rank, key, id, rank])))
    },
    repairUnmet: (key) => repairUnmet(session, key),
  }
}

async function takeTask(
  session: Session,
  { key, id, owner, leaseMs }: { key: number; id: TaskId; owner: string; leaseMs: number },
): Promise<void> {
  const now = await session.now()
  await session.run(
    `update task set status = 'in_progress', previous_owner = claimed_by, claimed_by = ?, worker_id = ?,
       claim_token = claim_token + 1, claimed_at = ?, lease_ms = ?, lease_until = ?, paused_from = null,
       pause_reason = null, version = version + 1, updated_at = ? where team_id = ? and id = ?`,
    [owner, owner, now, leaseMs, now + leaseMs, now, key, id],
  )
}

async function listTasks(
  session: Session,
  key: number,
  { filter, lock }: { filter: TaskFilter; lock: string },
): Promise<Task[]> {
  const conditions = ["team_id = ?"]
  const params: Param[] = [key]
  const add = (condition: string, ...values: Param[]) => {
    conditions.push(condition)
    params.push(...values)
  }
  if (filter.ready === true) {
    add("unmet = 0 and (status = 'open' or (status = 'in_progress' and lease_until < ?))", await session.now())
  }
  if (filter.role !== undefined && filter.role !== "worker") add("role in (?, 'worker')", filter.role)
  if (filter.status !== undefined) add("status = ?", filter.status)
  if (filter.maxWave !== undefined && Number.isFinite(filter.maxWave)) add("wave <= ?", filter.maxWave)
  const order = filter.ready === true ? "claim_wave, priority desc, claim_rank, height desc, seq" : "seq"
  const limit = filter.limit === undefined ? "" : ` limit ${Math.trunc(filter.limit)}`
  const rows = await session.all<TaskRow>(
    `select ${TASK.columns} from task where ${conditions.join(" and ")} order by ${order}${limit}${lock}`,
    params,
  )
  // A short list asks for its own needs; a long one reads the table once.
  if (rows.length <= 20) return Promise.all(rows.map(async (row) => toTask(row, await needsOf(session, key, row.id))))
  const needs = await needsByTask(session, key)
  return rows.map((row) => toTask(row, needs.get(row.id) ?? []))
}

async function listOwning(session: Session, key: number): Promise<OwningTask[]> {
  const rows = await session.all<Pick<Task, "id" | "status"> & { files: string }>(
    `select id, status, files from task where team_id = ? and files <> '[]'
       and status not in ('resolved', 'failed', 'skipped') order by seq`,
    [key],
  )
  return rows.map((row) => ({ ...row, files: parseList(row.files) }))
}

interface NewTask {
  readonly id: TaskId
  readonly brief: TaskBrief
}

interface Placing {
  readonly unmet: number
  readonly wave: number
  readonly rules: TeamRules
  readonly now: number
}

function toNewRow(key: number, { id, brief }: NewTask, { unmet, wave, rules, now }: Placing): Row {
  const phase = rules.protocol === "planned" ? PHASES[0] : null
  const qa = rules.has_qa === 1 ? "needed" : null
  const given = { ...brief, id, priority: brief.priority ?? 0, status: "open", unmet, wave, phase, qa }
  const claim_wave = rules.schedule === "eager" ? 0 : wave
  return { team_id: key, claim_wave, ...TASK.toRow({ ...given, createdAt: now, updatedAt: now }) }
}

async function createTask(
  session: Session,
  key: number,
  { wave, ...task }: NewTask & { wave: number | null },
): Promise<Task | undefined> {
  const { id, brief } = task
  const unmet = await countUnmet(session, key, brief.blockedBy)
  const rules = await rulesOf(session, key)
  const row = await insertRow<TaskRow>(
    session,
    "task",
    toNewRow(key, task, { unmet, wave: wave ?? 0, rules, now: await session.now() }),
    `on conflict (team_id, id) do nothing returning ${TASK.columns}`,
  )
  if (row === undefined) return undefined
  await insertNeeds(session, key, [{ id, ...brief }])
  return toTask(row, brief.blockedBy)
}

async function createTasks(session: Session, key: number, tasks: readonly NewTask[]): Promise<void> {
  if (tasks.length === 0) return
  const now = await session.now()
  const rules = await rulesOf(session, key)
  const rows = tasks.map((task) => toNewRow(key, task, { unmet: 0, wave: 0, rules, now }))
  await insertRows(session, "task", rows)
  await insertNeeds(
    session,
    key,
    tasks.map(({ id, brief }) => ({ id, ...brief })),
  )
  await repairUnmet(session, key)
}

async function listOverdue(session: Session, key: number, claimedBefore: number | null): Promise<Task[]> {
  const rows = await session.all<TaskRow>(
    `select ${TASK.columns} from task where team_id = ? and status = 'in_progress'
       and (lease_until < ? or claimed_at <= ?) order by seq`,
    [key, await session.now(), claimedBefore ?? -1],
  )
  return rows.map((row) => toTask(row, []))
}

async function nextLeaseEnd(session: Session, key: number): Promise<number | null> {
  const row = await session.get<{ ends: number | null }>(
    "select min(lease_until) as ends from task where team_id = ? and status = 'in_progress' and lease_until >= ?",
    [key, await session.now()],
  )
  return row?.ends ?? null
}

/** What a team asks of its tasks from the start. */
interface TeamRules {
  readonly schedule: Schedule
  readonly protocol: Protocol
  readonly has_qa: number
}

async function rulesOf(session: Session, key: number): Promise<TeamRules> {
  return returned(await session.get<TeamRules>("select schedule, protocol, has_qa from team where id = ?", [key]))
}

async function setWaves(session: Session, key: number, places: Parameters<TaskStore["setWaves"]>[1]): Promise<void> {
  // The wave by which a task is claimed is 0 for all of an eager team, whose longest chain then comes first.
  const eager = (await rulesOf(session, key)).schedule === "eager"
  const set = "update task set wave = ?, height = ?, claim_wave = ? where team_id = ? and id = ?"
  // Sent one behind the other without waiting for each answer.
  await Promise.all(
    places.map(({ id, wave, height }) =>
      session.run(`${set} and (wave <> ? or height <> ?)`, [wave, height, eager ? 0 : wave, key, id, wave, height]),
    ),
  )
}

async function repairUnmet(session: Session, key: number): Promise<TaskId[]> {
  const truth = `(select count(*) from need join task other on other.team_id = need.team_id and other.id = need.need_id
    where need.team_id = task.team_id and need.task_id = task.id and other.status not in ${MET})`
  const rows = await session.all<{ id: TaskId }>(
    `update task set unmet = ${truth} where team_id = ? and unmet <> ${truth} returning id`,
    [key],
  )
  return rows.map((row) => row.id)
}

async function needsOf(session: Session, key: number, id: TaskId): Promise<TaskId[]> {
  return (await needsByTask(session, key, id)).get(id) ?? []
}

export async function needsByTask(session: Session, key: number, id?: TaskId): Promise<Map<string, TaskId[]>> {
  const one = id === undefined ? "" : " and task_id = ?"
  const rows = await session.all<{ task_id: string; need_id: TaskId }>(
    `select task_id, need_id from need where team_id = ?${one} order by task_id, need_id`,
    id === undefined ? [key] : [key, id],
  )
  const needs = new Map<string, TaskId[]>()
  for (const row of rows) {
    const list = needs.get(row.task_id)
    if (list === undefined) needs.set(row.task_id, [row.need_id])
    else list.push(row.need_id)
  }
  return needs
}

/** Locks the needs first: one of them may be resolved at this moment, and must then wait for us or be seen by us. */
async function countUnmet(session: Session, key: number, needs: readonly TaskId[]): Promise<number> {
  if (needs.length === 0) return 0
  const rows = await session.all<{ status: TaskStatus }>(
    `select status from task where team_id = ? and id in (${placeholders(needs.length)}) order by seq${session.forShare}`,
    [key, ...needs],
  )
  return rows.filter((row) => !isMet(row.status)).length
}

/** Writes down what these tasks need. */
export async function insertNeeds(
  session: Session,
  key: number,
  tasks: readonly Pick<Task, "id" | "blockedBy">[],
): Promise<void> {
  const rows = tasks.flatMap(({ id, blockedBy }) =>
    blockedBy.map((need) => ({ team_id: key, task_id: id, need_id: need })),
  )
  await insertRows(session, "need", rows)
}
