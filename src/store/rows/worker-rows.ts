import type { SnapshotWorker } from "../../files/snapshot.ts"
import type { TaskId, WorkerId } from "../../kernel/ids.ts"
import type { Worker } from "../../workers/worker.ts"
import type { WorkerNow, WorkerStore } from "../port.ts"
import { insertRow, type Param, returned, type Session } from "./sql-session.ts"
import { table, time } from "./sql-table.ts"

export const WORKER = table<SnapshotWorker>("worker", {
  id: "id",
  role: "role",
  sessionId: "session_id",
  pane: "pane",
  worktree: "worktree",
  branch: "branch",
  availability: "availability",
  heartbeatAt: time("heartbeat_at"),
  createdAt: time("created_at"),
})

/** A task as its worker sees it, oldest first. */
interface WorkRow {
  worker_id: WorkerId
  id: TaskId
  status: "in_progress" | "resolved"
}

/** A claim does not write the heartbeat again within this time. */
export const HEARD_WITHIN_MS = 1000

export async function listSnapshotWorkers(session: Session, key: number): Promise<SnapshotWorker[]> {
  const workers = await WORKER.list(session, "where team_id = ?", [key])
  // Sorted here: databases differ in how they compare texts.
  return workers.sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt) || (a.id < b.id ? -1 : 1))
}

export function workerStore(session: Session): WorkerStore {
  /** With the tasks they completed: reads every task of the team that was ever claimed. */
  const select = async (key: number, id?: WorkerId): Promise<Worker[]> => {
    const params: Param[] = id === undefined ? [key] : [key, id]
    const which = id === undefined ? "" : " and id = ?"
    const rows = await WORKER.list(session, `where team_id = ?${which} order by created_at, id`, params)
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
      const row = await WORKER.find(session, "where team_id = ? and id = ?", [key, id])
      if (row === undefined) return undefined
      // There is no index by worker, because every claim would have to update it. `status = 'in_progress'` makes the
      // planner use the index of leases, which has only the few tasks in progress.
      const current = await session.get<{ id: TaskId }>(
        `select id from task where team_id = ? and status = 'in_progress' and worker_id = ?
         order by claimed_at desc, seq desc limit 1`,
        [key, id],
      )
      return toWorker(row, current?.id ?? null)
    },
    list: (key) => select(key),
    async put(key, id, change) {
      const { role = null, sessionId = null, availability, workspace, pane } = change
      const now = await session.now()
      const worker = { id, role, sessionId, availability: availability ?? "idle", heartbeatAt: now, createdAt: now }
      await insertRow(
        session,
        "worker",
        { team_id: key, ...WORKER.toRow(worker) },
        `on conflict (team_id, id) do update set role = coalesce(excluded.role, worker.role),
           session_id = coalesce(excluded.session_id, worker.session_id), heartbeat_at = excluded.heartbeat_at`,
      )
      const place = workspace === null ? { worktree: null, branch: null } : workspace
      const row = WORKER.toRow({ availability, pane, ...place })
      const set = Object.keys(row).map((column) => `${column} = ?`)
      if (set.length > 0)
        await session.run(`update worker set ${set.join(", ")} where team_id = ? and id = ?`, [
          ...Object.values(row),
          key,
          id,
        ])
      return returned((await select(key, id))[0])
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

function toWorker(row: SnapshotWorker, currentTask: TaskId | null): WorkerNow {
  const { id, role, pane, worktree, branch, sessionId, availability, heartbeatAt, createdAt } = row
  const isFree = availability === "idle" || availability === "working"
  const status = isFree ? (currentTask === null ? "idle" : "working") : availability
  return { id, role, pane, worktree, branch, sessionId, status, currentTask, lastHeartbeat: heartbeatAt, createdAt }
}
