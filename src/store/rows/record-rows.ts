import type { TeamRecord } from "../../kernel/record.ts"
import type { RecordStore } from "../port.ts"
import { insertRow, type Param, returned, type Session } from "./sql-session.ts"
import { json, table, time } from "./sql-table.ts"

export const RECORD = table<TeamRecord>("record", {
  kind: "kind",
  number: "number",
  taskId: "task_id",
  attempt: "attempt",
  status: "status",
  data: json("data"),
  by: "author",
  createdAt: time("created_at"),
  updatedAt: time("updated_at"),
})

export function recordStore(session: Session): RecordStore {
  return {
    async add(key, record) {
      const now = await session.now()
      // The team is locked, so no one else takes this number.
      const last = await session.get<{ last: number | null }>(
        "select max(number) as last from record where team_id = ? and kind = ?",
        [key, record.kind],
      )
      const number = (last?.last ?? 0) + 1
      const row = { team_id: key, ...RECORD.toRow({ ...record, number, createdAt: now, updatedAt: now }) }
      return RECORD.read(returned(await insertRow<object>(session, "record", row, `returning ${RECORD.columns}`)))
    },
    find: (key, kind, number) =>
      RECORD.find(session, "where team_id = ? and kind = ? and number = ?", [key, kind, number]),
    list: (key, filter) => listRecords(session, key, filter),
    async change(key, { kind, number, status }, { status: next, data }) {
      const rows = await session.all<object>(
        `update record set status = ?, data = coalesce(?, data), updated_at = ?
         where team_id = ? and kind = ? and number = ? and status = ? returning ${RECORD.columns}`,
        [next, data === undefined ? null : JSON.stringify(data), await session.now(), key, kind, number, status],
      )
      return rows[0] && RECORD.read(rows[0])
    },
    async remove(key, kind, number) {
      await session.run("delete from record where team_id = ? and kind = ? and number = ?", [key, kind, number])
    },
  }
}

export function listRecords(
  session: Session,
  key: number,
  { kind, status, taskId }: Parameters<RecordStore["list"]>[1] & object = {},
): Promise<TeamRecord[]> {
  const conditions = Object.entries({ team_id: key, kind, status, task_id: taskId ?? undefined })
  const set = conditions.filter((entry): entry is [string, Param & (string | number)] => entry[1] !== undefined)
  const where = [...set.map(([column]) => `${column} = ?`), ...(taskId === null ? ["task_id is null"] : [])]
  return RECORD.list(
    session,
    `where ${where.join(" and ")} order by seq`,
    set.map(([, value]) => value),
  )
}
