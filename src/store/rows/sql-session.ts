/** A value as both databases take it. */
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
  /** Appended to a `select` to keep its rows unchanged by others until the transaction ends. */
  readonly forUpdate: string
  readonly forShare: string
}

export function placeholders(count: number): string {
  return Array.from({ length: count }, () => "?").join(", ")
}

let lastSecond = Number.NaN
let lastPrefix = ""

/** Rows are read in the order of their times, mostly: so most of the text is that of the row before. */
export function iso(ms: number): string {
  const second = Math.floor(ms / 1000)
  if (second !== lastSecond) {
    lastPrefix = new Date(second * 1000).toISOString().slice(0, -"000Z".length)
    lastSecond = second
  }
  return `${lastPrefix}${String(Math.floor(ms - second * 1000)).padStart(3, "0")}Z`
}

export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : iso(ms)
}

const ROWS_AT_ONCE = 40

/** Many rows by few statements: a server that is far away answers each of them only after a while. */
export async function insertRows(
  session: Session,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly Param[])[],
): Promise<void> {
  const row = `(${placeholders(columns.length)})`
  const insert = (count: number) =>
    `insert into ${table} (${columns.join(", ")}) values ${Array.from({ length: count }, () => row).join(", ")}`
  // One text for all, or a cache of statements would have to read through it each time.
  const full = rows.length < ROWS_AT_ONCE ? "" : insert(ROWS_AT_ONCE)
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const some = rows.slice(at, at + ROWS_AT_ONCE)
    await session.run(some.length === ROWS_AT_ONCE ? full : insert(some.length), some.flat())
  }
}
