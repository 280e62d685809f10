import type { Clock } from "../../lib/clock.ts"
import { sleep } from "../../lib/sleep.ts"
import type { Store, StoreReport, Tx, Watch } from "../port.ts"
import { evidenceStore } from "../sql/evidence.ts"
import { loopStore } from "../sql/loops.ts"
import { messageStore } from "../sql/messages.ts"
import { taskStore } from "../sql/tasks.ts"
import { teamStore } from "../sql/teams.ts"
import { verdictStore } from "../sql/verdicts.ts"
import { waveStore } from "../sql/waves.ts"
import { workerStore } from "../sql/workers.ts"
import { claimTask, finishTask } from "./claim.ts"
import { type Connection, connect } from "./connection.ts"
import { eventStore } from "./events.ts"
import { migrate, readVersion } from "./migrate.ts"

// A look at data_version costs microseconds; at this pace a waiting process stays under 0.2 % of a core and still wakes
// within 100 ms.
const LOOK_EVERY_MS = 60

export async function openSqliteStore(options: { path: string; clock: Clock }): Promise<Store> {
  const connection = await connect(options.path, options.clock)
  try {
    await migrate(connection, options.path)
  } catch (error) {
    connection.close()
    throw error
  }
  const { session, transaction } = connection
  const tx: Tx = {
    now: session.now,
    claimTask: (request) => claimTask(session, request),
    finishTask: (request) => finishTask(session, request),
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
  return {
    read: (work) => transaction("begin", () => work(tx)),
    write: (work) => transaction("begin immediate", () => work(tx)),
    claimTask: (request) => transaction("begin immediate", () => claimTask(session, request)),
    finishTask: (request) => transaction("begin immediate", () => finishTask(session, request)),
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
  const { newest } = await readVersion(connection)
  const rows = await connection.transaction("begin", () =>
    connection.session.all<{ quick_check: string }>("pragma quick_check"),
  )
  const problems = rows.map((row) => row.quick_check).filter((line) => line !== "ok")
  return { kind: "sqlite", place: path, schemaVersion: newest, problems }
}
