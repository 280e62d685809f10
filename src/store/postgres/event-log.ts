import { AppError } from "../../kernel/errors.ts"
import { writtenVersion } from "../../kernel/written-versions.ts"
import type { EventStore } from "../port.ts"
import { type EventRow, toEvent, toEventRow, whichEvents } from "../rows/event-rows.ts"
import { insertRows, type Session } from "../rows/sql-session.ts"

// Numbers follow the order in which writers took them, not the order of commits. So readers order by transaction first
// and stop before the oldest one that still runs: a late commit comes late, and no event is skipped.
const VISIBLE = "xid < pg_snapshot_xmin(pg_current_snapshot())"

export function eventStore(session: Session): EventStore {
  return {
    async append(key, by, event) {
      const data = JSON.stringify(event.data)
      await session.run(
        "insert into event (team_id, type, version, recorded_at, actor, data) values (?, ?, ?, ?, ?, ?)",
        [key, event.type, writtenVersion(event.type), await session.now(), by, data],
      )
    },
    restore: (key, events) =>
      insertRows(
        session,
        "event",
        events.map((event) => toEventRow(key, event)),
      ),
    async list(key, query) {
      const which = whichEvents(query)
      const rows = await session.all<EventRow & { cursor: string }>(
        `select seq, xid::text || '.' || seq as cursor, type, version, recorded_at, actor, data from event
         where team_id = ? and (xid, seq) > (?::text::xid8, ?::bigint) and ${VISIBLE}${which.sql}
         order by xid, seq limit ${Math.trunc(query.limit)}`,
        [key, ...parseCursor(query.after ?? "0"), ...which.params],
      )
      return {
        events: rows.map((row) => toEvent(row, row.cursor)),
        cursor: rows.at(-1)?.cursor ?? query.after ?? "0.0",
      }
    },
    async tailCursor(key, tail) {
      const which = whichEvents(tail)
      const row = await session.get<{ cursor: string }>(
        `select xid::text || '.' || seq as cursor from event where team_id = ? and ${VISIBLE}${which.sql}
         order by xid desc, seq desc limit 1 offset ${Math.trunc(tail.count)}`,
        [key, ...which.params],
      )
      return row?.cursor ?? "0.0"
    },
  }
}

/** Transaction and number of the last event seen. */
function parseCursor(cursor: string): [xid: string, seq: string] {
  const [, xid, seq] = /^(\d{1,19})(?:\.(\d{1,18}))?$/.exec(cursor) ?? []
  if (xid === undefined)
    throw new AppError("input.invalid", `cursor ${JSON.stringify(cursor)} is not one that an earlier answer gave`)
  return [xid, seq ?? "0"]
}
