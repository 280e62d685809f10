import type { TaskId } from "../../kernel/ids.ts"
import type { RecordKind, TeamRecord } from "../../kernel/record.ts"
import type { RecordStore } from "../port.ts"
import { iso, type Param, type Session } from "./sql-session.ts"

interface RecordRow {
  kind: RecordKind
  number: number
  task_id: TaskId | null
  attempt: number | null
  status: string
  data: string
  author: string
  created_at: number
  updated_at: number
}

export const RECORD_COLUMNS = "kind, number, task_id, attempt, status, data, author, created_at, updated_at"

export function recordStore(session: Session): RecordStore {
  return {
    async add(key, { kind, taskId, attempt, status, data, by }) {
      const now = await session.now()
      const row = await session.get<RecordRow>(
        `insert into record (team_id, ${RECORD_COLUMNS}) values (?, ?,
           (select coalesce(max(number), 0) + 1 from record where team_id = ? and kind = ?), ?, ?, ?, ?, ?, ?, ?)
         returning ${RECORD_COLUMNS}`,
        [key, kind, key, kind, taskId, attempt, status, JSON.stringify(data), by, now, now],
      )
      if (row === undefined) throw new Error("insert left no row")
      return toRecord(row)
    },
    async find(key, kind, number) {
      const row = await session.get<RecordRow>(
        `select ${RECORD_COLUMNS} from record where team_id = ? and kind = ? and number = ?`,
        [key, kind, number],
      )
      return row && toRecord(row)
    },
    list: (key, filter = {}) => listRecords(session, key, filter),
    async change(key, { kind, number, status }, { status: next, data }) {
      const rows = await session.all<RecordRow>(
        `update record set status = ?, data = coalesce(?, data), updated_at = ?
         where team_id = ? and kind = ? and number = ? and status = ? returning ${RECORD_COLUMNS}`,
        [next, data === undefined ? null : JSON.stringify(data), await session.now(), key, kind, number, status],
      )
      return rows[0] && toRecord(rows[0])
    },
    async remove(key, kind, number) {
      await session.run("delete from record where team_id = ? and kind = ? and number = ?", [key, kind, number])
    },
  }
}

export async function listRecords(
  session: Session,
  key: number,
  { kind, status, taskId }: Parameters<RecordStore["list"]>[1] & object = {},
): Promise<TeamRecord[]> {
  const conditions = { kind, status, task_id: taskId ?? undefined }
  const ofTeam = taskId === null ? ["task_id is null"] : []
  const set = Object.entries(conditions).filter((entry): entry is [string, Param & string] => entry[1] !== undefined)
  const rows = await session.all<RecordRow>(
    `select ${RECORD_COLUMNS} from record where ${["team_id = ?", ...ofTeam, ...set.map(([column]) => `${column} = ?`)].join(" and ")}
     order by seq`,
    [key, ...set.map(([, value]) => value)],
  )
  return rows.map(toRecord)
}

function toRecord(row: RecordRow): TeamRecord {
  return {
    kind: row.kind,
    number: row.number,
    taskId: row.task_id,
    attempt: row.attempt,
    status: row.status,
    data: JSON.parse(row.data) as TeamRecord["data"],
    by: row.author,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
  }
}
