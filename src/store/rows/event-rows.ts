import type { PastEvent } from "../../files/snapshot.ts"
import type { Event, EventType } from "../../kernel/events.ts"
import { iso, type Param } from "./sql-session.ts"

export interface EventRow {
  seq: number
  cursor: string
  type: EventType
  version: number
  recorded_at: number
  actor: string
  data: string
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

/** Type, version, time, actor and data. */
export function eventColumns(event: PastEvent): Param[] {
  return [event.type, event.version, Date.parse(event.timestamp), event.by, JSON.stringify(event.data)]
}
