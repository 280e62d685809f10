import type { Event, EventType, NewEvent } from "../../domain/events.ts"
import { iso, type Session } from "./session.ts"

export interface EventRow {
  seq: number
  cursor: string
  type: EventType
  version: number
  recorded_at: number
  actor: string
  data: string
}

export async function appendEvent(session: Session, key: number, by: string, event: NewEvent): Promise<void> {
  await session.run("insert into event (team_id, type, recorded_at, actor, data) values (?, ?, ?, ?, ?)", [
    key,
    event.type,
    await session.now(),
    by,
    JSON.stringify(event.data),
  ])
}

export function toEvent(row: EventRow): Event {
  return {
    seq: row.seq,
    cursor: row.cursor,
    type: row.type,
    version: row.version,
    timestamp: iso(row.recorded_at),
    by: row.actor,
    data: JSON.parse(row.data),
  }
}
