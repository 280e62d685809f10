import { AppError } from "../../kernel/errors.ts"
import { LATEST_VERSION } from "./migrations.ts"

/** Of the migrations a store has seen: the newest, and the newest that older binaries cannot live with. */
export const VERSION_QUERY =
  "select coalesce(max(version), 0) as newest, coalesce(max(case when breaking = 1 then version end), 0) as breaking from migration"

export interface SchemaVersion {
  readonly newest: number
  readonly breaking: number
}

/** A newer schema is fine as long as nothing in it breaks us. True when migrations are missing. */
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
