import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { join } from "node:path"
import { systemClock } from "../../src/lib/clock.ts"
import { loadMigrations } from "../../src/store/migrations/migrations.ts"
import { openSqliteStore } from "../../src/store/sqlite/store.ts"
import { makeScratch } from "../support/sandbox.ts"
import { describePostgresSchema, describeSqliteSchema } from "../support/schema.ts"
import { claimRequest } from "../support/stores.ts"

// `UPDATE_SCHEMA=1 npm test test/integration/schema.test.ts` writes the files anew, for a reviewer to read the difference.
async function compare(file: string, described: string): Promise<void> {
  if (process.env.UPDATE_SCHEMA === "1") await Bun.write(file, described)
  expect(described).toBe(await Bun.file(file).text())
}

test("schema.sqlite.txt is what the migrations make", async () => {
  using scratch = makeScratch("schema")
  const described = await describeSqliteSchema(join(scratch.path, "store.db"))
  await compare("src/store/migrations/schema.sqlite.txt", described)
})

test("schema.postgres.txt is what the migrations make", async () => {
  await compare("src/store/migrations/schema.postgres.txt", await describePostgresSchema())
})

/** A store as the first version left it, with a team of that schedule. */
async function makeFirst(path: string, schedule: "waves" | "eager"): Promise<Database> {
  const db = new Database(path)
  const [first] = await loadMigrations("sqlite")
  db.run(first?.sql ?? "")
  db.run("create table migration (version integer primary key, name text, breaking integer, applied_at integer) strict")
  db.run("insert into migration values (1, 'kernel', 0, 1)")
  db.run("pragma user_version = 1")
  db.run(`insert into team (project, name, goal, phase, status, mode, schedule, created_at, updated_at)
    values ('house', 'main', '', 'PLANNING', 'active', 'FULL_AUTO', '${schedule}', 1, 1)`)
  return db
}

test.each([
  ["waves", ["a", "b"]],
  ["eager", ["b", "a"]],
] as const)("tasks of a store of the first version are claimed by its schedule: %s", async (schedule, order) => {
  using scratch = makeScratch("schema")
  const path = join(scratch.path, "store.db")
  using db = await makeFirst(path, schedule)
  for (const [id, wave, height] of [
    ["a", 1, 0],
    ["b", 2, 5],
  ] as const)
    db.run(`insert into task (team_id, id, title, description, role, complexity, acceptance, checks, files, assignee,
        status, unmet, wave, height, created_at, updated_at)
      values (1, '${id}', '', '', 'worker', 'standard', '[]', '[]', '[]', '', 'open', 0, ${wave}, ${height}, 1, 1)`)
  await using store = await openSqliteStore({ path, clock: systemClock })
  const taken = [await store.claimTask(claimRequest("w1")), await store.claimTask(claimRequest("w1"))]
  expect(taken.map((claimed) => claimed?.task.id as string)).toEqual([...order])
})

test("a store of the first version keeps its messages when it is brought up to date", async () => {
  using scratch = makeScratch("schema")
  const path = join(scratch.path, "store.db")
  using db = await makeFirst(path, "waves")
  db.run(`insert into message (seq, id, team_id, sender, recipient, type, payload, sent_at, read_at)
    values (7, 'm1', 1, 'w1', 'w2', 'text', '{"message":"hi"}', 5, 6)`)
  await using store = await openSqliteStore({ path, clock: systemClock })
  expect(await store.read((tx) => tx.messages.list(1, "w2", {}))).toMatchObject([
    { id: "m1", from: "w1", payload: { message: "hi" }, read: true },
  ])
})
