import type { Store, StoreReport, Tx } from "../port.ts"
import type { Session } from "../rows/sql-session.ts"
import { transactionOf } from "../rows/sql-transaction.ts"
import { parseAddress } from "./address.ts"
import { claimTask } from "./claim.ts"
import { followCommits } from "./commits.ts"
import { type Connection, connect } from "./connection.ts"
import { eventStore } from "./event-log.ts"
import { finishTask } from "./finish.ts"
import { migrate, readVersion } from "./migrate.ts"

const DEFAULT_CONNECTIONS = 8

/** `url` names the database and, with `?schema=`, the schema. A watch opens one more connection. */
export async function openPostgresStore(options: { url: string; maxConnections?: number }): Promise<Store> {
  const address = parseAddress(options.url)
  const connection = connect(address, options.maxConnections ?? DEFAULT_CONNECTIONS)
  try {
    await migrate(connection, address)
  } catch (error) {
    await connection.close()
    throw error
  }
  const commits = followCommits(connection, address)
  const announced = async <T>(work: Promise<T>) => {
    const result = await work
    if (result !== undefined) commits.announce()
    return result
  }
  return {
    async read(work) {
      await commits.settled()
      return connection.transaction("read", (session) => work(openTx(session, "read")))
    },
    async write(work) {
      const result = await connection.transaction("write", (session) => work(openTx(session, "write")))
      commits.announce()
      return result
    },
    claimTask: (request) => announced(claimTask(connection.query, request, null)),
    finishTask: (request) => announced(finishTask(connection.query, request, null)),
    watch: commits.watch,
    inspect: () => inspect(connection, address.place),
    async [Symbol.asyncDispose]() {
      await commits.close()
      await connection.close()
    },
  }
}

function openTx(session: Session, access: "read" | "write"): Tx {
  return transactionOf(session, access, {
    claimTask: async (request) => claimTask(session.all, request, await session.now()),
    finishTask: async (request) => finishTask(session.all, request, await session.now()),
    events: eventStore(session),
  })
}

async function inspect(connection: Connection, place: string): Promise<StoreReport> {
  const { newest } = await readVersion(connection)
  return { kind: "postgres", place, schemaVersion: newest, problems: [] }
}
