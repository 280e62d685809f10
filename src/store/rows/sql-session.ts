/** A value that both databases accept. */
export type Param = string | number | null

/**
 * One open transaction (or, outside of one, the connection) of either database. Statements are written once, in the SQL
 * both understand, with `?` for each parameter; what differs between the two lies in their own folders.
 */
export interface Session {
  all<Row>(text: string, params?: readonly Param[]): Promise<Row[]>
  get<Row>(text: string, params?: readonly Param[]): Promise<Row | undefined>
  run(text: string, params?: readonly Param[]): Promise<void>
  /** The store's clock in milliseconds, one value for the whole transaction. */
  now(): Promise<number>
  /** Appended to a `select` so that no other transaction changes its rows until this one ends. */
  readonly forUpdate: string
  readonly forShare: string
}

/** Columns with their values. */
export type Row = Readonly<Record<string, Param>>

/** Adds one row. `rest` follows the values: `on conflict`, `returning`. */
export function insertRow<Result>(session: Session, table: string, row: Row, rest = ""): Promise<Result | undefined> {
  const columns = Object.keys(row)
  const text = `insert into ${table} (${columns.join(", ")}) values (${placeholders(columns.length)}) ${rest}`
  return session.get<Result>(text, Object.values(row))
}

const ROWS_AT_ONCE = 40

/** Adds many rows of the same columns by few statements, because a distant server answers each one slowly. */
export async function insertRows(session: Session, table: string, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {})
  const values = `(${placeholders(columns.length)})`
  const insert = (count: number) =>
    `insert into ${table} (${columns.join(", ")}) values ${Array.from({ length: count }, () => values).join(", ")}`
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const some = rows.slice(at, at + ROWS_AT_ONCE)
    await session.run(
      insert(some.length),
      some.flatMap((row) => Object.values(row)),
    )
  }
}

export function placeholders(count: number): string {
  return Array.from({ length: count }, () => "?").join(", ")
}

/** `a = excluded.a, b = excluded.b`: what an upsert replaces. */
export function replaced(...columns: readonly string[]): string {
  return columns.map((column) => `${column} = excluded.${column}`).join(", ")
}

/** A row that the statement must have returned. */
export function returned<Found>(row: Found | undefined): Found {
  if (row === undefined) throw new Error("the statement returned no row")
  return row
}

let lastSecond = Number.NaN
let lastPrefix = ""

/** Keeps the text of the last second, since rows are mostly read in the order of their times. */
export function iso(ms: number): string {
  const second = Math.floor(ms / 1000)
  if (second !== lastSecond) {
    lastPrefix = new Date(second * 1000).toISOString().slice(0, -"000Z".length)
    lastSecond = second
  }
  return `${lastPrefix}${String(Math.floor(ms - second * 1000)).padStart(3, "0")}Z`
}
