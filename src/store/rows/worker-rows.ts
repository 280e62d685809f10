import type { TaskId, WorkerId } from "../../kernel/ids.ts"
import type { Role } from "../../tasks/task.ts"
import type { Worker, WorkerAvailability } from "../../workers/worker.ts"
import type { WorkerNow, WorkerStore } from "../port.ts"
import { iso, type Param, type Session } from "./sql-session.ts"

export interface WorkerRow {
  id: WorkerId
  role: Role | null
  session_id: string | null
  pane: string | null
  worktree: string | null
  branch: string | null
  availability: WorkerAvailability
  heartbeat_at: number
  created_at: number
}

/** A task as far as its worker is concerned, oldest first. */
interface WorkRow {
  worker_id: WorkerId
  id: TaskId
  status: "in_progress" | "resolved"
}

/** A worker that was heard of this long ago need not be written down again by a claim. */
export const HEARD_WITHIN_MS = 1000

const COLUMNS = "id, role, session_id, pane, worktree, branch, availability, heartbeat_at, created_at"

export async function listWorkerRows(session: Session, key: number): Promise<WorkerRow[]> {
  const rows = await session.all<WorkerRow>(`select ${COLUMNS} from worker where team_id = ?`, [key])
  // Sorted here: databases differ in how they compare texts.
  return rows.sort((a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1))
}

export function workerStore(session: Session): WorkerStore {
  /** With everything they have done: reads all tasks of the team that were ever claimed. */
  const select = async (key: number, id?: WorkerId): Promise<Worker[]> => {
    const params: Param[] = id === undefined ? [key] : [key, id]
    const rows = await session.all<WorkerRow>(
      `select ${COLUMNS} from worker where team_id = ?${id === undefined ? "" : " and id = ?"} order by created_at, id`,
      params,
    )
    if (rows.length === 0) return []
    const work = await session.all<WorkRow>(
      `select worker_id, id, status from task where team_id = ? and status in ('in_progress', 'resolved')
         and ${id === undefined ? "worker_id is not null" : "worker_id = ?"}
       order by coalesce(completed_at, claimed_at), seq`,
      params,
    )
    const byWorker = Map.groupBy(work, (row) => row.worker_id)
    return rows.map((row) => {
      const own = byWorker.get(row.id) ?? []
      const current = own.findLast((task) => task.status === "in_progress")
      const done = own.filter((task) => task.status === "resolved").map((task) => task.id)
      return { ...toWorker(row, current?.id ?? null), tasksCompleted: done }
    })
  }
  return {
    async find(key, id) {
      const row = await session.get<WorkerRow>(`select ${COLUMNS} from worker where team_id = ? and id = ?`, [key, id])
      if (row === undefined) return undefined
      // No index knows a task's worker: every claim would have to write it. The few tasks in progress have one for their
      // leases, which the planner takes because of the words status = 'in_progress', and they are all there is to ask.
      const current = await session.get<{ id: TaskId }>(
        `select id from task where team_id = ? and status = 'in_progress' and worker_id = ?
         order by claimed_at desc, seq desc limit 1`,
        [key, id],
      )
      return toWorker(row, current?.id ?? null)
    },
    list: (key) => select(key),
    async put(key, id, change) {
      const now = await session.now()
      await session.run(
        `insert into worker (team_id, id, role, session_id, availability, heartbeat_at, created_at)
         values (?, ?, ?, ?, ?, ?, ?)
         on conflict (team_id, id) do update set
           role = coalesce(excluded.role, worker.role),
           session_id = coalesce(excluded.session_id, worker.session_id),
           heartbeat_at = excluded.heartbeat_at`,
        [key, id, change.role ?? null, change.sessionId ?? null, change.availability ?? "idle", now, now],
      )
      if (change.availability !== undefined) {
        await session.run("update worker set availability = ? where team_id = ? and id = ?", [
          change.availability,
          key,
          id,
        ])
      }
      if (change.workspace !== undefined) {
        await session.run("update worker set worktree = ?, branch = ? where team_id = ? and id = ?", [
          ...[change.workspace?.worktree ?? null, change.workspace?.branch ?? null],
          ...[key, id],
        ])
      }
      if (change.pane !== undefined) {
        await session.run("update worker set pane = ? where team_id = ? and id = ?", [change.pane, key, id])
      }
      const worker = (await select(key, id))[0]
      if (worker === undefined) throw new Error(`worker ${id} vanished inside a transaction`)
      return worker
    },
    async heard(key, id) {
      const now = await session.now()
      await session.run(
        `insert into worker (team_id, id, availability, heartbeat_at, created_at) values (?, ?, 'idle', ?, ?)
         on conflict (team_id, id) do update set heartbeat_at = excluded.heartbeat_at`,
        [key, id, now, now],
      )
    },
    async count(key) {
      const row = await session.get<{ total: number; working: number }>(
        `select (select count(*) from worker where team_id = ?) as total,
           (select count(distinct worker_id) from task where team_id = ? and status = 'in_progress') as working`,
        [key, key],
      )
      return row ?? { total: 0, working: 0 }
    },
    async takeId(key) {
      for (;;) {
        const row = await session.get<{ taken: number }>(
          "update team set next_worker = next_worker + 1 where id = ? returning next_worker - 1 as taken",
          [key],
        )
        const id = `w${row?.taken ?? 1}` as WorkerId
        const used = await session.get("select 1 as used from worker where team_id = ? and id = ?", [key, id])
        if (used === undefined) return id
      }
    },
  }
}

function toWorker(row: WorkerRow, currentTask: TaskId | null): WorkerNow {
  const free = row.availability === "idle" || row.availability === "working"
  return {
    id: row.id,
    role: row.role,
    pane: row.pane,
    worktree: row.worktree,
    branch: row.branch,
    sessionId: row.session_id,
    status: free ? (currentTask === null ? "idle" : "working") : row.availability,
    currentTask,
    lastHeartbeat: iso(row.heartbeat_at),
    createdAt: iso(row.created_at),
  }
}
