import { AppError } from "../../kernel/errors.ts"
import { loadMigrations } from "../migrations/migrations.ts"
import { mustMigrate, type SchemaVersion, VERSION_QUERY } from "../migrations/version.ts"
import type { Address } from "./address.ts"
import type { Connection } from "./connection.ts"
import { isMissingTable } from "./driver-errors.ts"

/** Any number will do, as long as every version of this program uses the same. */
const MIGRATION_LOCK = 8_326_511
const OLDEST_SERVER = 130_000

/** Brings the schema up to date. Any number of starters may do so at once: each migration is applied by one of them. */
export async function migrate(connection: Connection, { schema, place }: Address): Promise<void> {
  if (!mustMigrate(await readVersion(connection), place)) return
  for (const migration of await loadMigrations("postgres")) {
    await connection.transaction("write", async (session, script) => {
      // "if not exists" alone is not safe: of two that create the same thing at once, one fails.
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
      // The version row comes first, so two starters meet here and not halfway.
      const mine = await session.get(
        "insert into migration (version, name, breaking, applied_at) values (?, ?, ?, ?) on conflict do nothing returning version",
        [migration.version, migration.name, migration.breaking ? 1 : 0, await session.now()],
      )
      if (mine !== undefined) await script(migration.sql)
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
