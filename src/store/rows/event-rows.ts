import type { PastEvent } from "../../files/snapshot.ts"
import { AppError } from "../../kernel/errors.ts"
import { EVENT_TABLE, type Event, type EventTable, readEvent, toStored } from "../../kernel/events.ts"
import type { EventQuery } from "../port.ts"
import { iso, type Param, type Row } from "./sql-session.ts"

export interface EventRow {
  seq: number
  type: string
  version: number
  recorded_at: number
  actor: string
  data: string
}

/** The only place where rows become events: the data is checked here, and every reader can rely on its type. */
export function toEvent(row: EventRow, cursor: string, table: EventTable = EVENT_TABLE): Event {
  const { seq, type, version } = row
  try {
    const data = JSON.parse(row.data)
    return readEvent({ seq, cursor, type, version, timestamp: iso(row.recorded_at), by: row.actor, data }, table)
  } catch (error) {
    if (error instanceof AppError) throw new AppError(error.code, `event ${seq}: ${error.message}`, error.details)
    const what = error instanceof Error ? error.message : error
    throw new Error(`event ${seq} of type ${type} cannot be read: ${what}`, { cause: error })
  }
}

/** The filter of a query, as the end of a `where` and its parameters. */
export function whichEvents({ type, task }: Pick<EventQuery, "type" | "task">): { sql: string; params: Param[] } {
  return {
    sql: `${type === undefined ? "" : " and type = ?"}${task === undefined ? "" : " and task = ?"}`,
    params: [type, task].filter((each) => each !== undefined),
  }
}

/** An event of an earlier time, as it is. */
export function toEventRow(key: number, event: PastEvent): Row {
  const { type, version, data } = toStored(event)
  const recorded_at = Date.parse(event.timestamp)
  return { team_id: key, type, version, recorded_at, actor: event.by, data: JSON.stringify(data) }
}
