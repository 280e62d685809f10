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
 * One SQLite connection with turns. Within the process one transaction runs at a time; between processes the one that
 * wants to write asks again after a short random pause until it gets the lock. SQLite's own busy handler is off: it
 * blocks the event loop and lets some wait for seconds while others win again and again.
 *
 * Idle -> (begin) -> in a transaction -> (commit or roll back) -> idle. `nowMs` is set by begin.
 */
export interface Connection {
  readonly session: Session
  transaction<T>(begin: "begin" | "begin immediate", work: () => Promise<T>): Promise<T>
  /** Runs many statements at once. */
  runScript(sql: string): Promise<void>
  /** The version the last migration left, from the file's header: one cheap look instead of a query. */
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
      // Somebody mends the log after a crash; the next look will tell.
      if (!isBusy(error)) throw translate(error, path)
    }
    return othersSeen
  }
  const pace = keepPace(others)

  async function begin(statement: "begin" | "begin immediate"): Promise<void> {
    await pace.next(statement)
    const asked = performance.now()
    for (;;) {
      try {
        prepare(statement).run()
        // A plain `begin` takes its lock and snapshot with the first statement, so that one is asked for here as well.
        if (statement === "begin") prepare("pragma user_version").get()
        return
      } catch (error) {
        if (!isBusy(error)) throw error
        if (db.inTransaction) prepare("rollback").run()
      }
      if (performance.now() - asked > GIVE_UP_AFTER_MS) {
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
    runScript: (sql) => patiently(path, () => void db.run(sql)),
    async headerVersion() {
      const row = await patiently(path, () => prepare("pragma user_version").get())
      return (row as { user_version: number }).user_version
    },
    version: () => others() + ownCommits,
    close() {
      if (isClosed) return
      isClosed = true
      for (const statement of statements.values()) statement.finalize()
      // The last one to leave empties the log, or the next would read all of it again. Not earlier: a log that is cut
      // while others write would have to grow again with every commit.
      db.run("pragma journal_size_limit = 0")
      db.close()
    },
  }
}

async function openFile(path: string): Promise<Database> {
  const db = await patiently(path, () => openOrMake(path))
  // Also those of earlier versions. The files of the log get the rights of the file itself when they are made.
  for (const file of [path, `${path}-wal`, `${path}-shm`]) keepPrivate(file)
  // The log's files stay when the last one leaves: making and removing them takes longer than a claim.
  db.fileControl(constants.SQLITE_FCNTL_PERSIST_WAL, 1)
  await patiently(path, () => db.run("pragma synchronous = full"))
  return db
}

/** Outside of a transaction too somebody may hold the file for a moment: while it turns to WAL, or recovers. */
async function patiently<T>(path: string, work: () => T): Promise<T> {
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

function openOrMake(path: string): Database {
  try {
    return new Database(path, { create: true, readwrite: true })
  } catch {
    // Usually the folder is missing; making it is left out of every other start.
    process.getBuiltinModule("node:fs").mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    return new Database(path, { create: true, readwrite: true })
  }
}
