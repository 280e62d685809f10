import { AppError } from "../../kernel/errors.ts"
import { loadMigrations } from "../migrations/migrations.ts"
import { enterMigration, mustMigrate, type SchemaVersion, VERSION_QUERY } from "../migrations/version.ts"
import type { Address } from "./address.ts"
import type { Connection } from "./connection.ts"
import { isMissingTable } from "./driver-errors.ts"

/** Any number, as long as every version of this program uses the same one. */
const MIGRATION_LOCK = 8_326_511
const OLDEST_SERVER = 130_000

/** Brings the schema up to date. Several processes may do so at once: each migration is applied by one of them. */
export async function migrate(connection: Connection, { schema, place }: Address): Promise<void> {
  if (!mustMigrate(await readVersion(connection), place)) return
  for (const migration of await loadMigrations("postgres")) {
    await connection.transaction("write", async (session, script) => {
      // The lock is needed: of two processes that run "create if not exists" at once, one fails.
      const server = await session.get<{ version: number; found: boolean }>(
        `select current_setting('server_version_num')::int as version, to_regnamespace(?) is not null as found
         from pg_advisory_xact_lock(?)`,
        [schema, MIGRATION_LOCK],
      )
      if ((server?.version ?? 0) < OLDEST_SERVER) {
        throw new AppError("store.unavailable", `${place} is older than PostgreSQL 13; update the server`, { place })
      }
      if (server?.found !== true) await session.run(`create schema if not exists ${schema}`)
      await session.run(
        "create table if not exists migration (version integer primary key, name text not null, breaking integer not null, applied_at bigint not null)",
      )
      if (await enterMigration(session, migration)) await script(migration.sql)
    })
  }
}

export async function readVersion(connection: Connection): Promise<SchemaVersion> {
  try {
    const [version] = await connection.query<SchemaVersion>(VERSION_QUERY)
    return version ?? { newest: 0, breaking: 0 }
  } catch (error) {
    if (isMissingTable(error)) return { newest: 0, breaking: 0 }
    throw error
  }
}
