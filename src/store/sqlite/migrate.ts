import { loadMigrations } from "../migrations/migrations.ts"
import { enterMigration, mustMigrate, type SchemaVersion, VERSION_QUERY } from "../migrations/version.ts"
import type { Connection } from "./connection.ts"

/** Brings the schema up to date. Several processes may do so at once: each migration is applied by one of them. */
export async function migrate(connection: Connection, place: string): Promise<void> {
  if (!mustMigrate(await readVersion(connection), place)) return
  await connection.runScript("pragma journal_mode = wal") // a property of the file, so once is enough
  for (const migration of await loadMigrations("sqlite")) {
    await connection.transaction("begin immediate", async () => {
      const { session } = connection
      await session.run(
        "create table if not exists migration (version integer primary key, name text not null, breaking integer not null, applied_at integer not null) strict",
      )
      // The version row comes first, so that two processes meet here and not halfway.
      if (!(await enterMigration(session, migration))) return
      await connection.runScript(migration.sql)
      // An ordinary start reads only this.
      await connection.runScript(`pragma user_version = ${migration.version}`)
    })
  }
}

export async function readVersion({ session, transaction }: Connection): Promise<SchemaVersion> {
  return transaction("begin", async () => {
    const table = await session.get("select 1 as found from sqlite_master where type = 'table' and name = 'migration'")
    const version = table === undefined ? undefined : await session.get<SchemaVersion>(VERSION_QUERY)
    return version ?? { newest: 0, breaking: 0 }
  })
}
