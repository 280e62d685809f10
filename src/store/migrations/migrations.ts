export interface Migration {
  readonly version: number
  readonly name: string
  readonly sql: string
  /** Programs that do not know this migration cannot work with a store that has it. */
  readonly breaking: boolean
}

export const LATEST_VERSION = 15

/** In the order of their numbers. Loaded only when a store is behind: an ordinary start needs none of them. */
export async function loadMigrations(dialect: "sqlite" | "postgres"): Promise<Migration[]> {
  const files =
    dialect === "sqlite"
      ? {
          kernel: await import("./0001_kernel.sqlite.sql", { with: { type: "text" } }),
          archives: await import("./0002_archives.sqlite.sql", { with: { type: "text" } }),
          rate_limits: await import("./0003_rate_limits.sqlite.sql", { with: { type: "text" } }),
          judged: await import("./0004_judged.sqlite.sql", { with: { type: "text" } }),
          exceptions: await import("./0005_exceptions.sqlite.sql", { with: { type: "text" } }),
          engine: await import("./0006_engine.sqlite.sql", { with: { type: "text" } }),
          claim_order: await import("./0007_claim_order.sqlite.sql", { with: { type: "text" } }),
          records: await import("./0008_records.sqlite.sql", { with: { type: "text" } }),
          priority: await import("./0009_priority.sqlite.sql", { with: { type: "text" } }),
          seats: await import("./0010_seats.sqlite.sql", { with: { type: "text" } }),
          event_task: await import("./0011_event_task.sqlite.sql", { with: { type: "text" } }),
          projects: await import("./0012_projects.sqlite.sql", { with: { type: "text" } }),
          runs: await import("./0013_runs.sqlite.sql", { with: { type: "text" } }),
          claim_rank: await import("./0014_claim_rank.sqlite.sql", { with: { type: "text" } }),
          agent_faults: await import("./0015_agent_faults.sqlite.sql", { with: { type: "text" } }),
        }
      : {
          kernel: await import("./0001_kernel.postgres.sql", { with: { type: "text" } }),
          archives: await import("./0002_archives.postgres.sql", { with: { type: "text" } }),
          rate_limits: await import("./0003_rate_limits.postgres.sql", { with: { type: "text" } }),
          judged: await import("./0004_judged.postgres.sql", { with: { type: "text" } }),
          exceptions: await import("./0005_exceptions.postgres.sql", { with: { type: "text" } }),
          engine: await import("./0006_engine.postgres.sql", { with: { type: "text" } }),
          claim_order: await import("./0007_claim_order.postgres.sql", { with: { type: "text" } }),
          records: await import("./0008_records.postgres.sql", { with: { type: "text" } }),
          priority: await import("./0009_priority.postgres.sql", { with: { type: "text" } }),
          seats: await import("./0010_seats.postgres.sql", { with: { type: "text" } }),
          event_task: await import("./0011_event_task.postgres.sql", { with: { type: "text" } }),
          projects: await import("./0012_projects.postgres.sql", { with: { type: "text" } }),
          runs: await import("./0013_runs.postgres.sql", { with: { type: "text" } }),
          claim_rank: await import("./0014_claim_rank.postgres.sql", { with: { type: "text" } }),
          agent_faults: await import("./0015_agent_faults.postgres.sql", { with: { type: "text" } }),
        }
  return Object.entries(files).map(([name, { default: sql }], index) => ({
    version: index + 1,
    name,
    sql,
    breaking: sql.startsWith("-- breaking"),
  }))
}
