import { AppError } from "../../kernel/errors.ts"
import { insertRow, type Session } from "../rows/sql-session.ts"
import { LATEST_VERSION, type Migration } from "./migrations.ts"

/** The newest migration of a store, and the newest one that older programs cannot work with. */
export const VERSION_QUERY =
  "select coalesce(max(version), 0) as newest, coalesce(max(case when breaking = 1 then version end), 0) as breaking from migration"

export interface SchemaVersion {
  readonly newest: number
  readonly breaking: number
}

/** True when migrations are missing. A newer schema is accepted as long as nothing in it breaks this program. */
export function mustMigrate(version: SchemaVersion, place: string): boolean {
  if (version.breaking > LATEST_VERSION) {
    throw new AppError(
      "store.too_new",
      (say) =>
        `${place} was written by a newer teamwork (schema ${version.breaking}, this one knows ${LATEST_VERSION}); update teamwork, or use another store with ${say.field("store")}`,
      { schema: version.breaking, known: LATEST_VERSION },
    )
  }
  return version.newest < LATEST_VERSION
}

/** Enters a migration that is about to be applied. False when another process has entered it before. */
export async function enterMigration(session: Session, { version, name, breaking }: Migration): Promise<boolean> {
  const row = { version, name, breaking: breaking ? 1 : 0, applied_at: await session.now() }
  return (await insertRow(session, "migration", row, "on conflict do nothing returning version")) !== undefined
}
