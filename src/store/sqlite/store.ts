import type { Clock } from "../../lib/clock.ts"
import { sleep } from "../../lib/sleep.ts"
import { LATEST_VERSION } from "../migrations/migrations.ts"
import type { Store, StoreReport, Tx, Watch } from "../port.ts"
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
  let loaded: Promise<Tx> | undefined
  const tx = () => (loaded ??= import("./transaction.ts").then(({ openTransaction }) => openTransaction(session)))
  return {
    async read(work) {
      const all = await tx()
      return transaction("begin", () => work(all))
    },
    async write(work) {
      const all = await tx()
      return transaction("begin immediate", () => work(all))
    },
    claimTask: (request) => transaction("begin immediate", () => claimTask(session, request)),
    async finishTask(request) {
      const all = await tx()
      return transaction("begin immediate", () => all.finishTask(request))
    },
    watch: async () => watch(connection, options.path),
    inspect: () => inspect(connection, options.path),
    async [Symbol.asyncDispose]() {
      connection.close()
    },
  }
}

// The log is written before the commit can be seen; in between lies the time the disk takes, which may be long.
const LOOKS_AFTER_WRITE_MS = [0, 1, 2, 4, 8, 16, 32, ...Array.from({ length: 40 }, () => 50)]

function watch(connection: Connection, path: string): Watch {
  let seen = connection.version()
  const isBehind = () => connection.version() !== seen
  const hasChanged = () => {
    const before = seen
    seen = connection.version()
    return seen !== before
  }
  return {
    async next(timeoutMs, signal) {
      const { untilWritten } = await import("./log-watch.ts")
      const deadline = performance.now() + timeoutMs
      while (!hasChanged()) {
        const ms = deadline - performance.now()
        if (ms <= 0 || signal?.aborted === true) return false
        const isWritten = await untilWritten(`${path}-wal`, { ms, signal, isBehind })
        for (const pause of isWritten ? LOOKS_AFTER_WRITE_MS : []) {
          if (isBehind()) break
          await sleep(pause, signal)
        }
      }
      return true
    },
    async [Symbol.asyncDispose]() {},
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
