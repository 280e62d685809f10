import type { Event, EventType } from "../../domain/events.ts"
import type { PastEvent } from "../../domain/snapshot.ts"
import { iso, type Param } from "./session.ts"

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
