import { AppError } from "../../kernel/errors.ts"
import type { Clock } from "../../lib/clock.ts"
import { sleep } from "../../lib/sleep.ts"
import { LATEST_VERSION } from "../migrations/migrations.ts"
import type { Store, StoreReport, Tx } from "../port.ts"
import { claimTask } from "./claim.ts"
import { type Connection, connect } from "./connection.ts"

export interface SqliteOptions {
  readonly path: string
  readonly clock: Clock
  /** The file was not there, or empty. */
  onNew?(): void
}

export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const connection = await openCurrent(options)
  const { session, transaction } = connection
  const loaded: { read?: Promise<Tx>; write?: Promise<Tx> } = {}
  const tx = (access: "read" | "write") =>
    (loaded[access] ??= import("./transaction.ts").then(({ openTransaction }) => openTransaction(session, access)))
  return {
    async read(work) {
      const all = await tx("read")
      return transaction("begin", () => work(all))
    },
    async write(work) {
      const all = await tx("write")
      return transaction("begin immediate", () => work(all))
    },
    claimTask: (request) => transaction("begin immediate", () => claimTask(session, request)),
    async finishTask(request) {
      const all = await tx("write")
      return transaction("begin immediate", () => all.finishTask(request))
    },
    watch: async () => (await import("./watch.ts")).openWatch(connection, options.path),
    inspect: () => inspect(connection, options.path),
    async [Symbol.asyncDispose]() {
      connection.close()
    },
  }
}

const MOST_TRIES = 5
const PAUSE_MS = 20

/**
 * A connection to a file with the newest schema. While several starters make one file, it may look read-only to one of
 * them for a moment: that one tries again.
 */
async function openCurrent(options: SqliteOptions, tries = 1): Promise<Connection> {
  const connection = await connect(options.path, options.clock)
  try {
    const version = await connection.headerVersion()
    if (version !== LATEST_VERSION) {
      if (version === 0 && tries === 1) options.onNew?.()
      await (await import("./migrate.ts")).migrate(connection, options.path)
    }
    return connection
  } catch (error) {
    connection.close()
    if (tries >= MOST_TRIES || !(error instanceof AppError && error.code === "store.read_only")) throw error
    await sleep(PAUSE_MS)
    return openCurrent(options, tries + 1)
  }
}

async function inspect(connection: Connection, path: string): Promise<StoreReport> {
  const { readVersion } = await import("./migrate.ts")
  const { newest } = await readVersion(connection)
  const rows = await connection.transaction("begin", () =>
    connection.session.all<{ quick_check: string }>("pragma quick_check"),
  )
  const problems = rows.map((row) => row.quick_check).filter((line) => line !== "ok")
  return { kind: "sqlite", place: path, schemaVersion: newest, problems }
}
