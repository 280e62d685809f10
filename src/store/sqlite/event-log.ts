import { EVENT_TABLE, type EventTable } from "../../kernel/events.ts"
import type { EventQuery, EventStore } from "../port.ts"
import { type EventRow, toEvent, toEventRow, whichEvents } from "../rows/event-rows.ts"
import { insertRows, type Session } from "../rows/sql-session.ts"
import { appendEvent } from "./append-event.ts"

/**
 * Writers take turns, so numbers follow the order of commits. The cursor is `<team>.<number>`: a cursor of a team that
 * was purged does not match a new team of the same name, which is then read from its beginning.
 */
export function eventStore(session: Session, table: EventTable = EVENT_TABLE): EventStore {
  return {
    append: (key, by, event) => appendEvent(session, key, by, event),
    restore: (key, events) =>
      insertRows(
        session,
        "event",
        events.map((event, place) => ({ seq: place + 1, ...toEventRow(key, event) })),
      ),
    async list(key, query) {
      const which = whichEvents(query)
      const rows = await session.all<EventRow>(
        `select seq, type, version, recorded_at, actor, data from ${tableFor(query)}
         where team_id = ? and seq > ?${which.sql}
         order by seq limit ${Math.trunc(query.limit)}`,
        [key, positionOf(key, query.after), ...which.params],
      )
      const events = rows.map((row) => toEvent(row, `${key}.${row.seq}`, table))
      return { events, cursor: events.at(-1)?.cursor ?? query.after ?? "0" }
    },
    async tailCursor(key, tail) {
      const which = whichEvents(tail)
      const row = await session.get<{ seq: number }>(
        `select seq from ${tableFor(tail)} where team_id = ?${which.sql} order by seq desc limit 1 offset ${Math.trunc(tail.count)}`,
        [key, ...which.params],
      )
      return `${key}.${row?.seq ?? 0}`
    },
  }
}

/** SQLite would scan all events of the team: it does not know that a task has only a few. */
function tableFor({ task }: Pick<EventQuery, "task">): string {
  return task === undefined ? "event" : "event indexed by event_by_task"
}

function positionOf(key: number, cursor = "0"): number {
  const [team, position] = cursor.split(".")
  return Number(team) === key ? Number(position ?? 0) : 0
}
