import type { PastEvent } from "../../files/snapshot.ts"
import { AppError } from "../../kernel/errors.ts"
import { EVENT_TABLE, type Event, type EventTable, readEvent, toStored } from "../../kernel/events.ts"
import type { EventQuery } from "../port.ts"
import { iso, type Param } from "./sql-session.ts"

export interface EventRow {
  seq: number
  type: string
  version: number
  recorded_at: number
  actor: string
  data: string
}

/** The one place where rows become events: everybody behind it can rely on what the type promises. */
export function toEvent(row: EventRow, cursor: string, table: EventTable = EVENT_TABLE): Event {
  try {
    return readEvent(
      {
        seq: row.seq,
        cursor,
        type: row.type,
        version: row.version,
        timestamp: iso(row.recorded_at),
        by: row.actor,
        data: JSON.parse(row.data),
      },
      table,
    )
  } catch (error) {
    if (error instanceof AppError) throw new AppError(error.code, `event ${row.seq}: ${error.message}`, error.details)
    throw new Error(
      `event ${row.seq} of type ${row.type} cannot be read: ${error instanceof Error ? error.message : error}`,
      {
        cause: error,
      },
    )
  }
}

/** What of the events is asked for, as a part of a `where`, and its parameters. */
export function whichEvents({ type, task }: Pick<EventQuery, "type" | "task">): { sql: string; params: Param[] } {
  return {
    sql: `${type === undefined ? "" : " and type = ?"}${task === undefined ? "" : " and task = ?"}`,
    params: [type, task].filter((each) => each !== undefined),
  }
}

/** Type, version, time, actor and data. */
export function eventColumns(event: PastEvent): Param[] {
  const { type, version, data } = toStored(event)
  return [type, version, Date.parse(event.timestamp), event.by, JSON.stringify(data)]
}
