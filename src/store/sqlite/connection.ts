import { constants, Database, type Statement } from "bun:sqlite"
import { AppError } from "../../kernel/errors.ts"
import type { Clock } from "../../lib/clock.ts"
import { keepPrivate } from "../../lib/keep-private.ts"
import { dirname } from "../../lib/paths.ts"
import { jitter } from "../../lib/random.ts"
import { sleep } from "../../lib/sleep.ts"
import { takeTurns } from "../../lib/turns.ts"
import type { Param, Session } from "../rows/sql-session.ts"
import { isBusy, translate } from "./driver-errors.ts"
import { keepPace } from "./pace.ts"

/**
 * One SQLite connection. Within the process one transaction runs at a time. Between processes a writer tries again after
 * a short random pause until it gets the lock. SQLite's own busy handler is off: it blocks the event loop, and some
 * writers wait for seconds while others win again and again.
 *
 * Idle -> (begin) -> in a transaction -> (commit or roll back) -> idle. `nowMs` is set by begin.
 */
export interface Connection {
  readonly session: Session
  transaction<T>(begin: "begin" | "begin immediate", work: () => Promise<T>): Promise<T>
  /** Runs many statements at once. */
  runScript(sql: string): Promise<void>
  /** The schema version in the file's header, which is cheaper than a query. */
  headerVersion(): Promise<number>
  /** Changes with every commit, here or elsewhere. */
  version(): number
  close(): void
}

const GIVE_UP_AFTER_MS = 60_000

export async function connect(path: string, clock: Clock): Promise<Connection> {
  const db = await openFile(path)
  const statements = new Map<string, Statement>()
  const prepare = (text: string) => {
    let statement = statements.get(text)
    if (statement === undefined) {
      statement = db.prepare(text)
      statements.set(text, statement)
    }
    return statement
  }
  const turn = takeTurns()
  let nowMs = 0
  let ownCommits = 0
  let isClosed = false
  let othersSeen = 0
  /** Changes with every commit of another connection. */
  const others = () => {
    try {
      othersSeen = (prepare("pragma data_version").get() as { data_version: number }).data_version
    } catch (error) {
      // Another process recovers the log after a crash; the next look will show the commits.
      if (!isBusy(error)) throw translate(error, path)
    }
    return othersSeen
  }
  const pace = keepPace(others)

  async function begin(statement: "begin" | "begin immediate"): Promise<void> {
    await pace.next(statement)
    const startedAt = performance.now()
    for (;;) {
      try {
        prepare(statement).run()
        // A plain `begin` takes its lock and snapshot with the first statement, so run one here.
        if (statement === "begin") prepare("pragma user_version").get()
        return
      } catch (error) {
        if (!isBusy(error)) throw error
        if (db.inTransaction) prepare("rollback").run()
      }
      if (performance.now() - startedAt > GIVE_UP_AFTER_MS) {
        throw new AppError(
          "store.busy",
          `${path} was locked by another process for ${GIVE_UP_AFTER_MS / 1000} s; try again`,
          { path },
        )
      }
      await pace.retry()
    }
  }

  return {
    session: {
      all: async <Row>(text: string, params: readonly Param[] = []) => prepare(text).all(...params) as Row[],
      get: async <Row>(text: string, params: readonly Param[] = []) =>
        (prepare(text).get(...params) ?? undefined) as Row | undefined,
      run: async (text: string, params: readonly Param[] = []) => void prepare(text).run(...params),
      now: async () => nowMs,
      forUpdate: "",
      forShare: "",
    },
    transaction: (kind, work) =>
      turn(async () => {
        try {
          await begin(kind)
          nowMs = clock.now()
          const result = await work()
          prepare("commit").run()
          if (kind === "begin immediate") ownCommits++
          pace.ended()
          return result
        } catch (error) {
          if (db.inTransaction) prepare("rollback").run()
          throw translate(error, path)
        }
      }),
    runScript: (sql) => retryWhileBusy(path, () => void db.run(sql)),
    async headerVersion() {
      const row = await retryWhileBusy(path, () => prepare("pragma user_version").get())
      return (row as { user_version: number }).user_version
    },
    version: () => others() + ownCommits,
    close() {
      if (isClosed) return
      isClosed = true
      for (const statement of statements.values()) statement.finalize()
      // The last connection empties the log, or the next one would read all of it again. Not earlier: a log that is cut
      // while others write would have to grow again with every commit.
      db.run("pragma journal_size_limit = 0")
      db.close()
    },
  }
}

async function openFile(path: string): Promise<Database> {
  const db = await retryWhileBusy(path, () => openOrCreate(path))
  // Files of earlier versions too. New log files get the permissions of the database file.
  for (const file of [path, `${path}-wal`, `${path}-shm`]) keepPrivate(file)
  // Keep the files of the log: to create and remove them takes longer than a claim.
  db.fileControl(constants.SQLITE_FCNTL_PERSIST_WAL, 1)
  await retryWhileBusy(path, () => db.run("pragma synchronous = full"))
  return db
}

/** Outside of a transaction the file may be locked for a moment too: while it turns to WAL, or recovers. */
async function retryWhileBusy<T>(path: string, work: () => T): Promise<T> {
  const giveUpAt = performance.now() + GIVE_UP_AFTER_MS
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUpAt) throw translate(error, path)
    }
    await sleep(jitter(1))
  }
}

function openOrCreate(path: string): Database {
  try {
    return new Database(path, { create: true, readwrite: true })
  } catch {
    // Usually the folder is missing. Only this case pays for creating it.
    process.getBuiltinModule("node:fs").mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    return new Database(path, { create: true, readwrite: true })
  }
}
