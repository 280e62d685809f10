import type { Clock } from "../../lib/clock.ts"
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
  const connection = await connect(options.path, options.clock)
  try {
    const version = await connection.headerVersion()
    if (version !== LATEST_VERSION) {
      if (version === 0) options.onNew?.()
      await (await import("./migrate.ts")).migrate(connection, options.path)
    }
  } catch (error) {
    connection.close()
    throw error
  }
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

async function inspect(connection: Connection, path: string): Promise<StoreReport> {
  const { readVersion } = await import("./migrate.ts")
  const { newest } = await readVersion(connection)
  const rows = await connection.transaction("begin", () =>
    connection.session.all<{ quick_check: string }>("pragma quick_check"),
  )
  const problems = rows.map((row) => row.quick_check).filter((line) => line !== "ok")
  return { kind: "sqlite", place: path, schemaVersion: newest, problems }
}
