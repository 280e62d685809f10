import type { EventStore } from "../port.ts"
import { appendEvent, type EventRow, toEvent } from "../sql/events.ts"
import type { Param, Session } from "../sql/session.ts"

/** Writers take turns here, so numbers come in the order of commits and the number itself is the cursor. */
export function eventStore(session: Session): EventStore {
  return {
    append: (key, by, event) => appendEvent(session, key, by, event),
    async list(key, query) {
      const params: Param[] = [key, Number(query.after ?? 0)]
      if (query.type !== undefined) params.push(query.type)
      const rows = await session.all<EventRow>(
        `select seq, cast(seq as text) as cursor, type, version, recorded_at, actor, data from event
         where team_id = ? and seq > ?${query.type === undefined ? "" : " and type = ?"}
         order by seq limit ${Math.trunc(query.limit)}`,
        params,
      )
      return { events: rows.map(toEvent), cursor: rows.at(-1)?.cursor ?? query.after ?? "0" }
    },
    async tailCursor(key, { count, type }) {
      const row = await session.get<{ seq: number }>(
        `select seq from event where team_id = ?${type === undefined ? "" : " and type = ?"}
         order by seq desc limit 1 offset ${Math.trunc(count)}`,
        type === undefined ? [key] : [key, type],
      )
      return String(row?.seq ?? 0)
    },
  }
}
