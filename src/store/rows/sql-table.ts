import type { TaskId } from "../../kernel/ids.ts"
import { iso, type Param, type Row, type Session } from "./sql-session.ts"

/**
 * The columns of a table, written once: `read` makes domain objects of rows, `toRow` makes rows of domain objects. A
 * field whose value is stored as it is names its column; others say how the value is converted.
 */
export interface Table<T> {
  /** `a, b, c`, for `select` and `returning`. */
  readonly columns: string
  read(row: object): T
  /** Converts the given fields; those that are left out or undefined are left out of the row. */
  toRow(object: { readonly [Field in keyof T]?: unknown }): Row
  /** `rest` follows the table's name: `where`, `order by`. */
  list(session: Session, rest: string, params?: readonly Param[]): Promise<T[]>
  find(session: Session, rest: string, params?: readonly Param[]): Promise<T | undefined>
}

interface Column<Value> {
  readonly name: string
  readonly read: (stored: never) => Value
  readonly write: (value: never) => Param
  /** The field may be missing; its column is null then. */
  readonly isOptional?: boolean
  /** Added to the row by the reader; no column of the table. */
  readonly isComputed?: boolean
}

type Columns<T> = {
  readonly [Field in keyof T]-?: Column<T[Field]> | ([T[Field]] extends [Param] ? string : never)
}

export function table<T extends object>(name: string, columns: Columns<T>): Table<T> {
  const fields = Object.entries<string | Column<unknown>>(columns).map(([field, column]) =>
    typeof column === "string" ? { field, column: plain(column) } : { field, column },
  )
  const stored = fields.filter(({ column }) => column.isComputed !== true)
  const list = stored.map(({ column }) => column.name).join(", ")
  const read = (row: object) => {
    const object: Record<string, unknown> = {}
    for (const { field, column } of fields) {
      const value = column.read((row as Record<string, unknown>)[column.name] as never)
      if (value !== undefined) object[field] = value
    }
    return object as T
  }
  return {
    columns: list,
    read,
    toRow(object) {
      const row: Record<string, Param> = {}
      for (const { field, column } of stored) {
        const value = (object as Record<string, unknown>)[field]
        if (value !== undefined || column.isOptional === true) row[column.name] = column.write(value as never)
      }
      return row
    },
    list: async (session, rest, params) =>
      (await session.all<object>(`select ${list} from ${name} ${rest}`, params)).map(read),
    async find(session, rest, params) {
      const row = await session.get<object>(`select ${list} from ${name} ${rest}`, params)
      return row && read(row)
    },
  }
}

function plain(name: string): Column<unknown> {
  return { name, read: (stored: unknown) => stored, write: (value: Param) => value }
}

/** An ISO time, stored as milliseconds. Milliseconds can be written too. */
export function time(name: string): Column<string> {
  return { name, read: iso, write: toMs }
}

export function timeOrNull(name: string): Column<string | null> {
  return {
    name,
    read: (ms: number | null) => (ms === null ? null : iso(ms)),
    write: (value: string | number | null) => (value === null ? null : toMs(value)),
  }
}

function toMs(time: string | number): number {
  return typeof time === "number" ? time : Date.parse(time)
}

export function flag(name: string): Column<boolean> {
  return { name, read: (stored: number) => Number(stored) === 1, write: (value: boolean) => (value ? 1 : 0) }
}

export function json<Value>(name: string): Column<Value> {
  return { name, read: (text: string) => JSON.parse(text), write: (value: Value) => JSON.stringify(value) }
}

/** Null is stored as an empty text, so that an index and a plain comparison find it. */
export function emptyIfNull<Value extends string>(name: string): Column<Value | null> {
  return { name, read: (text: Value | "") => (text === "" ? null : text), write: (value: Value | null) => value ?? "" }
}

/** A field that may be missing, stored as null. */
export function optional(name: string): Column<string | undefined> {
  const read = (stored: string | null) => stored ?? undefined
  return { name, read, write: (value: string | undefined) => value ?? null, isOptional: true }
}

/** A field that is read from elsewhere: the reader puts it into the row under this name. */
export function computed<Value>(name: string): Column<Value> {
  return { name, read: (value: Value) => value, write: () => null, isComputed: true }
}

/** Entries that belong to tasks and count from 1 within each: those of one task, or of all. */
export async function listNumbered<Entry extends { readonly taskId: TaskId }>(
  entries: Table<Entry>,
  session: Session,
  key: number,
  taskId?: TaskId,
): Promise<(Entry & { readonly number: number })[]> {
  const where = `where team_id = ?${taskId === undefined ? "" : " and task_id = ?"} order by seq`
  const counts = new Map<TaskId, number>()
  return (await entries.list(session, where, taskId === undefined ? [key] : [key, taskId])).map((entry) => {
    const number = (counts.get(entry.taskId) ?? 0) + 1
    counts.set(entry.taskId, number)
    return { number, ...entry }
  })
}

/** The n-th entry of a task, by team, task and n - 1. Entries are never removed, so it stays the n-th. */
export function nthOf(name: string): string {
  return `seq = (select seq from ${name} where team_id = ? and task_id = ? order by seq limit 1 offset ?)`
}
