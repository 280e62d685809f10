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
  // A claim needs none of it, and starts 2 ms sooner (of 13 ms) without loading it.
  const load = async (access: "read" | "write") => (await import("./transaction.ts")).openTransaction(session, access)
  let reading: Promise<Tx> | undefined
  let writing: Promise<Tx> | undefined
  const toRead = () => (reading ??= load("read"))
  const toWrite = () => (writing ??= load("write"))
  return {
    async read(work) {
      const tx = await toRead()
      return transaction("begin", () => work(tx))
    },
    async write(work) {
      const tx = await toWrite()
      return transaction("begin immediate", () => work(tx))
    },
    claimTask: (request) => transaction("begin immediate", () => claimTask(session, request)),
    async finishTask(request) {
      const tx = await toWrite()
      return transaction("begin immediate", () => tx.finishTask(request))
    },
    // Loads `node:fs`, which takes 0.5 ms of a claim.
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
 * Opens the file and brings its schema up to date. While several processes create the file at once, it may look
 * read-only to one of them for a moment, so that one tries again.
 */
async function openCurrent(options: SqliteOptions, tries = 1): Promise<Connection> {
  const connection = await connect(options.path, options.clock)
  try {
    const version = await connection.headerVersion()
    if (version !== LATEST_VERSION) {
      if (version === 0 && tries === 1) options.onNew?.()
      await (await loadMigrate()).migrate(connection, options.path)
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
  const { newest } = await (await loadMigrate()).readVersion(connection)
  const rows = await connection.transaction("begin", () =>
    connection.session.all<{ quick_check: string }>("pragma quick_check"),
  )
  const problems = rows.map((row) => row.quick_check).filter((line) => line !== "ok")
  return { kind: "sqlite", place: path, schemaVersion: newest, problems }
}

/** Only for a new or old store: with every call it takes 0.2 ms of a start. */
const loadMigrate = () => import("./migrate.ts")
