// A store of before there were runs: every team in it becomes the first run of itself.
import { Database } from "bun:sqlite"
import { expect, it, setDefaultTimeout } from "bun:test"
import { join } from "node:path"
import postgres from "postgres"
import { systemClock } from "../../src/lib/clock.ts"
import { loadMigrations } from "../../src/store/migrations/migrations.ts"
import type { Store } from "../../src/store/port.ts"
import { openPostgresStore } from "../../src/store/postgres/store.ts"
import { openSqliteStore } from "../../src/store/sqlite/store.ts"
import { freshSchema } from "../support/postgres.ts"
import { makeScratch } from "../support/sandbox.ts"
import { claimRequest } from "../support/stores.ts"

setDefaultTimeout(60_000)

const BEFORE_RUNS = 11
const MIGRATION = (time: string) =>
  `create table migration (version integer primary key, name text not null, breaking integer not null, applied_at ${time} not null)`
const TEAM = `insert into team (project, name, goal, phase, status, mode, schedule, next_task, next_worker, created_at, updated_at)
  values ('house', 'main', 'walls', 'EXECUTION', 'active', 'FULL_AUTO', 'eager', 2, 5, 1000, 2000)`
const TASK = (key: string) =>
  `insert into task (team_id, id, title, description, role, complexity, acceptance, checks, files, assignee, status, unmet, created_at, updated_at)
  select ${key}, '1', 'Walls', '', 'worker', 'standard', '[]', '[]', '[]', '', 'open', 0, 1000, 1000 from team where name = 'main'`

it("sqlite: keeps the team and its tasks, and never gives an id again", async () => {
  using scratch = makeScratch("runs")
  const path = join(scratch.path, "teamwork.db")
  const db = new Database(path)
  db.run(`${MIGRATION("integer")} strict`)
  for (const { version, name, sql } of await loadMigrations("sqlite")) {
    if (version > BEFORE_RUNS) continue
    db.run(sql)
    db.run("insert into migration values (?, ?, 0, 0)", [version, name])
  }
  db.run(`pragma user_version = ${BEFORE_RUNS}`)
  db.run(TEAM)
  db.run(TASK("id"))
  db.run(TEAM.replace("'main'", "'gone'"))
  db.run("delete from team where name = 'gone'")
  db.close()
  await using store = await openSqliteStore({ path, clock: systemClock })
  await expectFirstRun(store)
  const other = { project: "house", team: "other", goal: "", phase: "PLANNING", status: "active" } as const
  const settings = { mode: "FULL_AUTO", schedule: "eager", protocol: "none", hasQa: false } as const
  const made = await store.write((tx) => tx.teams.create({ ...other, ...settings }))
  // 2 was the id of a team that is forgotten.
  expect(made?.key).toBe(3)
})

it("postgres: keeps the team and its tasks", async () => {
  await using schema = await freshSchema()
  const url = new URL(schema.url)
  url.searchParams.delete("schema")
  const sql = postgres(url.href, { max: 1, onnotice: () => {}, connection: { search_path: schema.schema } })
  await sql.unsafe(MIGRATION("bigint"))
  for (const { version, name, sql: text } of await loadMigrations("postgres")) {
    if (version > BEFORE_RUNS) continue
    await sql.unsafe(text)
    await sql`insert into migration values (${version}, ${name}, 0, 0)`
  }
  await sql.unsafe(TEAM)
  await sql.unsafe(TASK("id"))
  await sql.end()
  await using store = await openPostgresStore({ url: schema.url, maxConnections: 2 })
  await expectFirstRun(store)
})

async function expectFirstRun(store: Store): Promise<void> {
  const runs = await store.read((tx) => tx.teams.runs({ project: "house", team: "main" }))
  expect(runs).toMatchObject([{ run: 1, isCurrent: true, goal: "walls", schedule: "eager", hasQa: false }])
  expect((await store.claimTask(claimRequest("w1")))?.task).toMatchObject({ id: "1", title: "Walls" })
  const key = runs[0]?.key ?? 0
  expect(await store.write((tx) => tx.workers.takeId(key))).toBe("w5" as never)
}
