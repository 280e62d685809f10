// Stores of another version of the program: one that 0.1.0 wrote is opened and worked on, and what a newer one wrote is
// handled on purpose.
import { Database } from "bun:sqlite"
import { describe, expect, it } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as v from "valibot"
import { exportTeam } from "../../src/files/mirror/mirror.ts"
import { shape } from "../../src/kernel/event-versions.ts"
import { EVENTS, type EventTable, ofType } from "../../src/kernel/events.ts"
import { parseTaskId, parseWorkerId } from "../../src/kernel/ids.ts"
import type { RepositoryId } from "../../src/kernel/repository.ts"
import { systemClock } from "../../src/lib/clock.ts"
import { choice, number, text } from "../../src/lib/schema.ts"
import { connect } from "../../src/store/sqlite/connection.ts"
import { eventStore } from "../../src/store/sqlite/event-log.ts"
import { openSqliteStore } from "../../src/store/sqlite/store.ts"
import { setBack } from "../../src/tasks/operations/set-back.ts"
import { nameProject } from "../../src/teams/operations/own-project.ts"
import { plainEvents } from "../support/plain-events.ts"
import { makeScratch, type Scratch } from "../support/sandbox.ts"
import { allEvents, claimRequest, context, finishRequest, makeTask, makeTeam, refusal } from "../support/stores.ts"

const FIXTURES = join(import.meta.dir, "../fixtures/stores")
const LEGACY = { project: "legacy", team: "old" }

function makeOldStore(scratch: Scratch): string {
  const path = join(scratch.path, "store.db")
  using db = new Database(path, { create: true })
  db.run(readFileSync(join(FIXTURES, "0.1.0.sql"), "utf8"))
  return path
}

describe("a store that 0.1.0 wrote", () => {
  it("gives the same files to the byte", async () => {
    using scratch = makeScratch("old")
    await using store = await openSqliteStore({ path: makeOldStore(scratch), clock: systemClock })
    const made: Record<string, string> = {}
    for (const name of [{ project: "repo", team: "main" }, LEGACY]) {
      const folder = join(scratch.path, name.project)
      await exportTeam(context(store), name, { folder })
      for (const path of new Bun.Glob("**/*").scanSync({ cwd: folder, dot: true }))
        if (!path.startsWith(".teamwork-export"))
          made[`${name.project}/${path}`] = new Bun.CryptoHasher("sha256")
            .update(readFileSync(join(folder, path)))
            .digest("hex")
    }
    expect(made).toEqual(JSON.parse(readFileSync(join(FIXTURES, "0.1.0.exports.json"), "utf8")))
  })

  it("is worked on, with what happened before", async () => {
    using scratch = makeScratch("old")
    await using store = await openSqliteStore({ path: makeOldStore(scratch), clock: systemClock })
    const task = parseTaskId("1")
    const key = (await store.read((tx) => tx.teams.find(LEGACY)))?.key ?? 0
    const claimed = await store.claimTask({ ...claimRequest("w3"), ...LEGACY, taskId: task })
    expect(claimed?.task).toMatchObject({ id: "1", status: "in_progress" })
    const { next } = await setBack(context(store), {
      ...{ ...LEGACY, taskId: task, worker: parseWorkerId("w3"), agent: null, kind: "timed-out", reason: "again" },
      ...{ advice: null, limits: { maxRuns: 0, maxRestarts: 3, maxTimeoutRestarts: 1 } },
    })
    // The first time was before the change of schema.
    expect(next).toBe("fail")
    const found = await store.read((tx) => tx.events.list(key, { task, limit: 1000 }))
    const all = plainEvents(await allEvents(store, key)).filter(({ data }) => data.task === "1")
    expect(found.events.map(({ seq }) => seq)).toEqual(all.map(({ seq }) => seq))
    expect(ofType(found.events, "task.setback").map(({ data }) => data.reason)).toEqual([
      "no answer for 600 s",
      "again",
    ])
  })

  it("has projects that belong to no repository yet, and go to the one that has their work", async () => {
    using scratch = makeScratch("old")
    await using store = await openSqliteStore({ path: makeOldStore(scratch), clock: systemClock })
    const place = (name: string) => ({
      ...{ id: "a".repeat(32) as RepositoryId, gitDir: `/${name}/.git`, folder: `/${name}`, name, earlierName: name },
    })
    expect(await store.read((tx) => tx.projects.list())).toEqual([])
    expect(await nameProject({ store }, place("repo"), async () => false)).toBe("repo-2")
    expect(await nameProject({ store }, place("repo"), async () => true)).toBe("repo")
    // Nobody worked on it in a repository.
    expect(await nameProject({ store }, place("legacy"), async () => false)).toBe("legacy")
  })

  it("may go on being written by 0.1.0, which does not know that events carry their task", async () => {
    using scratch = makeScratch("old")
    const path = makeOldStore(scratch)
    await using store = await openSqliteStore({ path, clock: systemClock })
    const key = (await store.read((tx) => tx.teams.find(LEGACY)))?.key ?? 0
    using db = new Database(path)
    db.run(
      `insert into event (team_id, seq, type, recorded_at, actor, data)
       values (?1, (select ifnull(max(seq), 0) + 1 from event where team_id = ?1), 'task.updated', 1, 'w1', ?2)`,
      [key, '{"task":"new","fields":[]}'],
    )
    const task = parseTaskId("new")
    expect((await store.read((tx) => tx.events.list(key, { task, limit: 5 }))).events).toMatchObject([
      { type: "task.updated", version: 1, data: { task: "new" } },
    ])
  })
})

describe("a row", () => {
  async function makeRow(scratch: Scratch, type: string, version: number, data: string) {
    const path = join(scratch.path, "store.db")
    const store = await openSqliteStore({ path, clock: systemClock })
    const { key } = await makeTeam(store)
    using db = new Database(path)
    db.run(
      "insert into event (team_id, seq, type, version, recorded_at, actor, data) values (?, 7, ?, ?, 1, 'w1', ?)",
      [...[key, type, version, data]],
    )
    return { store, key, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
  }

  it("that does not fit its type is named by its number and type", async () => {
    using scratch = makeScratch("row")
    await using house = await makeRow(scratch, "task.setback", 1, '{"task":"1"}')
    const reading = allEvents(house.store, house.key)
    await expect(reading).rejects.toThrow("event 7 of type task.setback cannot be read: attempt is missing")
  })

  it("of a version that only a newer program knows is refused as the store of one", async () => {
    using scratch = makeScratch("row")
    await using house = await makeRow(scratch, "task.updated", 9, "{}")
    const error = await refusal(allEvents(house.store, house.key))
    expect(error).toMatchObject({ code: "store.too_new", message: expect.stringContaining("event 7: task.updated") })
  })

  it("of a type that only a newer program knows is passed on, and exported as it was written", async () => {
    using scratch = makeScratch("row")
    await using house = await makeRow(scratch, "roof.painted", 2, '{"task":"1","colour":"red"}')
    const unknown = { type: "roof.painted", version: 2, data: { task: "1", colour: "red" } }
    expect(await allEvents(house.store, house.key)).toMatchObject([
      { seq: 7, type: "event.unrecognized", data: unknown },
    ])
    const folder = join(scratch.path, "out")
    await exportTeam(context(house.store), { project: "house", team: "main" }, { folder })
    const line = readFileSync(join(folder, "events.jsonl"), "utf8")
    expect(JSON.parse(line)).toMatchObject({ place: 1, ...unknown })
  })
})

describe("a type with three versions", () => {
  const painted = shape("nothing", { wall: text("") })
    .next({ wall: text(""), colour: choice(["red", "white"], "") }, ({ wall }) => ({ wall, colour: "white" as const }))
    .next({ wall: text(""), colour: choice(["red", "white"], ""), coats: v.nullish(number("")) }, (data) => ({
      ...data,
      coats: null,
    }))
  const table: EventTable = new Map(Object.entries({ "wall.painted": painted }))

  it("is read as the newest, whatever its rows hold, and they stay as they are", async () => {
    using scratch = makeScratch("versions")
    const path = join(scratch.path, "store.db")
    await using store = await openSqliteStore({ path, clock: systemClock })
    const { key } = await makeTeam(store)
    using db = new Database(path)
    const rows = [
      [1, '{"wall":"north"}'],
      [2, '{"wall":"east","colour":"red"}'],
      [3, '{"wall":"south","colour":"red","coats":2}'],
    ] as const
    for (const [version, data] of rows)
      db.run(
        "insert into event (team_id, seq, type, version, recorded_at, actor, data) values (?, ?, ?, ?, 1, 'w1', ?)",
        [...[key, version, "wall.painted", version, data]],
      )
    const connection = await connect(path, systemClock)
    try {
      const { events } = await eventStore(connection.session, table).list(key, { limit: 10 })
      expect(plainEvents(events).map(({ version, data }) => ({ version, data }))).toEqual([
        { version: 3, data: { wall: "north", colour: "white", coats: null } },
        { version: 3, data: { wall: "east", colour: "red", coats: null } },
        { version: 3, data: { wall: "south", colour: "red", coats: 2 } },
      ])
    } finally {
      connection.close()
    }
    expect(db.query("select version, data from event order by seq").values()).toEqual(rows.map((row) => [...row]))
  })

  it("is what the store writes, also where a claim or a resolve writes by itself", async () => {
    using scratch = makeScratch("versions")
    const path = join(scratch.path, "store.db")
    await using store = await openSqliteStore({ path, clock: systemClock })
    const { key } = await makeTeam(store)
    await makeTask(store, key, "1")
    await store.claimTask(claimRequest("w1"))
    await store.finishTask(finishRequest("1", { owner: "w1" }))
    using db = new Database(path)
    const written = db.query("select distinct type, version from event").values() as [keyof typeof EVENTS, number][]
    expect(written.length).toBeGreaterThan(1)
    for (const [type, version] of written) expect([type, version]).toEqual([type, EVENTS[type].version])
  })
})
