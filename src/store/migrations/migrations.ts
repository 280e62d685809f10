export interface Migration {
  readonly version: number
  readonly name: string
  readonly sql: string
  /** Binaries that do not know this migration cannot live with it. */
  readonly breaking: boolean
}

export const LATEST_VERSION = 12

/** Loaded only when a store is behind, so that an ordinary start does not pay for it. */
export async function loadMigrations(dialect: "sqlite" | "postgres"): Promise<Migration[]> {
  const files =
    dialect === "sqlite"
      ? [
          await import("./0001_kernel.sqlite.sql", { with: { type: "text" } }),
          await import("./0002_archives.sqlite.sql", { with: { type: "text" } }),
          await import("./0003_rate_limits.sqlite.sql", { with: { type: "text" } }),
          await import("./0004_judged.sqlite.sql", { with: { type: "text" } }),
          await import("./0005_exceptions.sqlite.sql", { with: { type: "text" } }),
          await import("./0006_engine.sqlite.sql", { with: { type: "text" } }),
          await import("./0007_claim_order.sqlite.sql", { with: { type: "text" } }),
          await import("./0008_records.sqlite.sql", { with: { type: "text" } }),
          await import("./0009_priority.sqlite.sql", { with: { type: "text" } }),
          await import("./0010_seats.sqlite.sql", { with: { type: "text" } }),
          await import("./0011_event_task.sqlite.sql", { with: { type: "text" } }),
          await import("./0012_projects.sqlite.sql", { with: { type: "text" } }),
        ]
      : [
          await import("./0001_kernel.postgres.sql", { with: { type: "text" } }),
          await import("./0002_archives.postgres.sql", { with: { type: "text" } }),
          await import("./0003_rate_limits.postgres.sql", { with: { type: "text" } }),
          await import("./0004_judged.postgres.sql", { with: { type: "text" } }),
          await import("./0005_exceptions.postgres.sql", { with: { type: "text" } }),
          await import("./0006_engine.postgres.sql", { with: { type: "text" } }),
          await import("./0007_claim_order.postgres.sql", { with: { type: "text" } }),
          await import("./0008_records.postgres.sql", { with: { type: "text" } }),
          await import("./0009_priority.postgres.sql", { with: { type: "text" } }),
          await import("./0010_seats.postgres.sql", { with: { type: "text" } }),
          await import("./0011_event_task.postgres.sql", { with: { type: "text" } }),
          await import("./0012_projects.postgres.sql", { with: { type: "text" } }),
        ]
  const names = [
    "kernel",
    "archives",
    "rate_limits",
    "judged",
    "exceptions",
    "engine",
    "claim_order",
    "records",
    "priority",
    "seats",
    "event_task",
    "projects",
  ]
  return files.map((file, index) => ({
    version: index + 1,
    name: names[index] ?? "",
    sql: file.default,
    breaking: file.default.startsWith("-- breaking"),
  }))
}
