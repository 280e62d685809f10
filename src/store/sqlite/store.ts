import type { Clock } from "../../lib/clock.ts"
import { sleep } from "../../lib/sleep.ts"
import { LATEST_VERSION } from "../migrations/migrations.ts"
import type { Store, StoreReport, Tx, Watch } from "../port.ts"
import { claimTask } from "./claim.ts"
import { type Connection, connect } from "./connection.ts"

// A look at data_version costs microseconds; at this pace a waiting process stays under 0.2 % of a core and still wakes
// within 100 ms.
const LOOK_EVERY_MS = 60

export async function openSqliteStore(options: { path: string; clock: Clock }): Promise<Store> {
  const connection = await connect(options.path, options.clock)
  try {
    if ((await connection.headerVersion()) !== LATEST_VERSION) {
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
    watch: async () => watch(connection),
    inspect: () => inspect(connection, options.path),
    async [Symbol.asyncDispose]() {
      connection.close()
    },
  }
}

function watch(connection: Connection): Watch {
  let seen = connection.version()
  return {
    async next(timeoutMs, signal) {
      const deadline = performance.now() + timeoutMs
      for (;;) {
        const version = connection.version()
        if (version !== seen) {
          seen = version
          return true
        }
        const left = deadline - performance.now()
        if (left <= 0 || signal?.aborted === true) return false
        await sleep(Math.min(left, LOOK_EVERY_MS), signal)
      }
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
