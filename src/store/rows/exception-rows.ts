import type { TaskId } from "../../kernel/ids.ts"
import type { Exception, ExceptionStatus } from "../../ownership/exception.ts"
import type { ExceptionStore } from "../port.ts"
import { iso, isoOrNull, type Session } from "./sql-session.ts"

interface ExceptionRow {
  task_id: TaskId
  attempt: number
  pattern: string
  reason: string
  asked_by: string
  asked_at: number
  status: ExceptionStatus
  decided_by: string | null
  decided_at: number | null
  decision: string | null
}

const COLUMNS = "task_id, attempt, pattern, reason, asked_by, asked_at, status, decided_by, decided_at, decision"

export function exceptionStore(session: Session): ExceptionStore {
  return {
    async ask(key, { taskId, attempt, pattern, reason, by }) {
      await session.run(
        `insert into file_exception (team_id, task_id, attempt, pattern, reason, asked_by, asked_at, status)
         values (?, ?, ?, ?, ?, ?, ?, 'asked')`,
        [key, taskId, attempt, pattern, reason, by, await session.now()],
      )
      const all = await listExceptions(session, key, taskId)
      const last = all.at(-1)
      if (last === undefined) throw new Error("insert left no row")
      return last
    },
    list: (key, taskId) => listExceptions(session, key, taskId),
    async decide(key, { taskId, number }, { status, by, decision, attempt }) {
      // Entries are never removed, so the n-th of a task stays the n-th.
      await session.run(
        `update file_exception set status = ?, decided_by = ?, decided_at = ?, decision = ?, attempt = ? where seq = (
           select seq from file_exception where team_id = ? and task_id = ? order by seq limit 1 offset ?)`,
        [status, by, await session.now(), decision, attempt, key, taskId, number - 1],
      )
    },
  }
}

/** Of one task, or of all of them. */
export async function listExceptions(session: Session, key: number, taskId?: TaskId): Promise<Exception[]> {
  const one = taskId === undefined ? "" : " and task_id = ?"
  const rows = await session.all<ExceptionRow>(
    `select ${COLUMNS} from file_exception where team_id = ?${one} order by seq`,
    taskId === undefined ? [key] : [key, taskId],
  )
  const counts = new Map<string, number>()
  return rows.map((row) => {
    const number = (counts.get(row.task_id) ?? 0) + 1
    counts.set(row.task_id, number)
    return {
      number,
      taskId: row.task_id,
      attempt: row.attempt,
      pattern: row.pattern,
      reason: row.reason,
      askedBy: row.asked_by,
      askedAt: iso(row.asked_at),
      status: row.status,
      decidedBy: row.decided_by,
      decidedAt: isoOrNull(row.decided_at),
      decision: row.decision,
    }
  })
}
