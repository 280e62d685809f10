export interface Migration {
  readonly version: number
  readonly name: string
  readonly sql: string
  /** Binaries that do not know this migration cannot live with it. */
  readonly breaking: boolean
}

export const LATEST_VERSION = 15

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
          await import("./0013_runs.sqlite.sql", { with: { type: "text" } }),
          await import("./0014_claim_rank.sqlite.sql", { with: { type: "text" } }),
          await import("./0015_agent_faults.sqlite.sql", { with: { type: "text" } }),
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
          await import("./0013_runs.postgres.sql", { with: { type: "text" } }),
          await import("./0014_claim_rank.postgres.sql", { with: { type: "text" } }),
          await import("./0015_agent_faults.postgres.sql", { with: { type: "text" } }),
        ]
  return files.map((file, index) => ({
    ...parseName(NAMES[index] ?? ""),
    sql: file.default,
    breaking: file.default.startsWith("-- breaking"),
  }))
}

/** In the order of the files above. */
const NAMES = [
  "0001_kernel",
  "0002_archives",
  "0003_rate_limits",
  "0004_judged",
  "0005_exceptions",
  "0006_engine",
  "0007_claim_order",
  "0008_records",
  "0009_priority",
  "0010_seats",
  "0011_event_task",
  "0012_projects",
  "0013_runs",
  "0014_claim_rank",
  "0015_agent_faults",
]

function parseName(file: string): Pick<Migration, "version" | "name"> {
  const [number = "", ...name] = file.split("_")
  return { version: Number(number), name: name.join("_") }
}
