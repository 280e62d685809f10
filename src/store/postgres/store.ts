import type { Store, StoreReport, Tx } from "../port.ts"
import { evidenceStore } from "../sql/evidence.ts"
import { loopStore } from "../sql/loops.ts"
import { messageStore } from "../sql/messages.ts"
import type { Session } from "../sql/session.ts"
import { taskStore } from "../sql/tasks.ts"
import { teamStore } from "../sql/teams.ts"
import { verdictStore } from "../sql/verdicts.ts"
import { waveStore } from "../sql/waves.ts"
import { workerStore } from "../sql/workers.ts"
import { parseAddress } from "./address.ts"
import { claimTask } from "./claim.ts"
import { followCommits } from "./commits.ts"
import { type Connection, connect } from "./connection.ts"
import { eventStore } from "./events.ts"
import { finishTask } from "./finish.ts"
import { migrate, readVersion } from "./migrate.ts"

const DEFAULT_CONNECTIONS = 8

/** `url` names the database and, with `?schema=`, the schema. Besides the connections given here, a watch takes one. */
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
      return connection.transaction("read", (session) => work(openTx(session)))
    },
    async write(work) {
      const result = await connection.transaction("write", (session) => work(openTx(session)))
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

function openTx(session: Session): Tx {
  return {
    now: session.now,
    claimTask: async (request) => claimTask(session.all, request, await session.now()),
    finishTask: async (request) => finishTask(session.all, request, await session.now()),
    teams: teamStore(session),
    tasks: taskStore(session),
    waves: waveStore(session),
    workers: workerStore(session),
    messages: messageStore(session),
    evidence: evidenceStore(session),
    verdicts: verdictStore(session),
    events: eventStore(session),
    loops: loopStore(session),
  }
}

async function inspect(connection: Connection, place: string): Promise<StoreReport> {
  const { newest } = await readVersion(connection)
  return { kind: "postgres", place, schemaVersion: newest, problems: [] }
}
