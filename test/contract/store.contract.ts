// What src/store/port.ts promises, one test for each promise. Every store passes all of them.

import { describe, expect, it } from "bun:test"
import type { Event, EventType, NewEvent } from "../../src/kernel/events.ts"
import { parseTaskId, parseWorkerId } from "../../src/kernel/ids.ts"
import { UNGUARDED } from "../../src/kernel/team.ts"
import type { Store, StoredTeam, Tx } from "../../src/store/port.ts"
import type { Worker } from "../../src/workers/worker.ts"
import {
  allEvents,
  brief,
  claimRequest,
  finishRequest,
  getTask,
  type MakeDatabase,
  makeTask,
  makeTeam,
  note,
  snapshot,
  TEAM,
  type TestDatabase,
  until,
  untilExpired,
} from "../support/stores.ts"

const SHORT_LEASE_MS = 3

export function storeContract(name: string, makeDatabase: MakeDatabase): void {
  /** A database with one team and one connection, for tests in which nothing races. */
  async function makeHouse(change: Parameters<typeof makeTeam>[1] = {}): Promise<House> {
    const db = await makeDatabase()
    const store = await db.connect()
    const team = await makeTeam(store, change)
    return {
      db,
      store,
      team,
      key: team.key,
      task: (id, change) => makeTask(store, team.key, id, change),
      get: (id) => getTask(store, team.key, id),
      eventTypes: async () => (await allEvents(store, team.key)).map((event) => event.type),
      [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
    }
  }

  describe(`${name}: read and write`, () => {
    it("keeps everything a write did", async () => {
      await using db = await makeDatabase()
      const [first, second] = [await db.connect(), await db.connect()]
      const team = await makeTeam(first)
      await makeTask(first, team.key, "1")
      expect((await getTask(second, team.key, "1")).title).toBe("paint")
    })

    it("keeps what was committed when the connection is closed and opened again", async () => {
      await using db = await makeDatabase()
      const first = await db.connect()
      const team = await makeTeam(first)
      await makeTask(first, team.key, "1")
      await first[Symbol.asyncDispose]()
      expect((await getTask(await db.connect(), team.key, "1")).status).toBe("open")
    })

    it("undoes all of a write that throws, its events included", async () => {
      await using house = await makeHouse()
      const { store, key } = house
      await house.task("1")
      await house.task("2")
      const before = await snapshot(store, key)
      const failing = store.write(async (tx) => {
        await tx.tasks.update(key, parseTaskId("1"), { title: "changed" })
        await tx.tasks.create(key, parseTaskId("3"), brief(), null)
        await tx.claimTask(claimRequest("w1", { taskId: "2" }))
        await tx.finishTask(finishRequest("2", { owner: "w1", evidence: [note("seen")] }))
        await tx.evidence.add(key, { taskId: parseTaskId("1"), attempt: 1, by: "w1", entries: [note("seen")] })
        await tx.messages.send(key, "w1", {
          id: "m",
          from: "w1",
          to: "orchestrator",
          type: "text",
          payload: { message: "hi" },
        })
        await tx.waves.put(key, { number: 1, verdict: null, startedAt: null, verifiedAt: null })
        await tx.workers.put(key, parseWorkerId("w9"), { role: "docs" })
        await tx.verdicts.add(key, {
          scope: "final",
          subject: null,
          status: "passed",
          checks: [],
          issues: [],
          by: "w1",
        })
        await tx.loops.put({ terminalId: "t", active: true, ...TEAM, role: null })
        await tx.teams.takeTaskNumber(key)
        await tx.teams.update(key, { goal: "another" })
        await tx.events.append(key, "w1", { type: "team.resumed", data: {} })
        throw new Error("on purpose")
      })
      expect(await failing.catch(String)).toBe("Error: on purpose")
      expect(await snapshot(store, key)).toEqual(before)
      expect(await store.read((tx) => tx.loops.find("t"))).toBeUndefined()
      expect(await store.write((tx) => tx.teams.takeTaskNumber(key))).toBe(1)
    })

    it("undoes a write whose statement fails, and goes on working", async () => {
      await using house = await makeHouse()
      const message = { id: "twice", from: "w1", to: "w2", type: "text" as const, payload: {} }
      const failing = house.store.write(async (tx) => {
        await tx.messages.send(house.key, "w1", message)
        await tx.messages.send(house.key, "w1", message)
      })
      expect(
        await failing.then(
          () => "done",
          () => "failed",
        ),
      ).toBe("failed")
      expect(await house.store.read((tx) => tx.messages.list(house.key, "w2", {}))).toEqual([])
      await house.store.write((tx) => tx.messages.send(house.key, "w1", message))
      expect(await house.store.read((tx) => tx.messages.list(house.key, "w2", {}))).toHaveLength(1)
    })

    it("hands on what the work returns", async () => {
      await using house = await makeHouse()
      expect(await house.store.read(async () => 5)).toBe(5)
      expect(await house.store.write(async () => "five")).toBe("five")
    })

    it("shows nothing of a write before it is done", async () => {
      await using db = await makeDatabase()
      const [first, second] = [await db.connect(), await db.connect()]
      const { key } = await makeTeam(first)
      await makeTask(first, key, "1")
      const [changed, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const writing = first.write(async (tx) => {
        await tx.tasks.update(key, parseTaskId("1"), { title: "half done" })
        changed.resolve()
        await mayEnd.promise
      })
      await changed.promise
      expect((await getTask(second, key, "1")).title).toBe("paint")
      mayEnd.resolve()
      await writing
      expect((await getTask(second, key, "1")).title).toBe("half done")
    })

    it("reads one consistent snapshot while others write", async () => {
      await using db = await makeDatabase()
      const [first, second] = [await db.connect(), await db.connect()]
      const { key } = await makeTeam(first)
      await makeTask(first, key, "1")
      await first.read(async (tx) => {
        expect(await tx.tasks.list(key)).toHaveLength(1)
        await makeTask(second, key, "2")
        await second.claimTask(claimRequest("w1", { taskId: "1" }))
        expect(await tx.tasks.list(key)).toHaveLength(1)
        expect((await tx.tasks.find(key, parseTaskId("1")))?.status).toBe("open")
        expect((await tx.events.list(key, { limit: 10 })).events).toEqual([])
      })
      expect(await first.read((tx) => tx.tasks.list(key))).toHaveLength(2)
    })

    it("tells one time throughout a transaction, and a later one in the next", async () => {
      await using house = await makeHouse()
      const times = await house.store.write(async (tx) => {
        const first = await tx.now()
        await Bun.sleep(2)
        return [first, await tx.now()]
      })
      expect(times[1]).toBe(times[0])
      expect(Number.isInteger(times[0])).toBe(true)
      await until(async () => (await house.store.read((tx) => tx.now())) > (times[0] ?? 0), "the clock to go on")
    })

    it("lets many write at once, each after the other", async () => {
      await using db = await makeDatabase()
      const stores = [await db.connect(), await db.connect(), await db.connect()]
      const { key } = await makeTeam(stores[0] as Store)
      const writes = stores.flatMap((store) =>
        Array.from({ length: 10 }, () =>
          store.write(async (tx) => {
            const team = await tx.teams.lock(TEAM)
            await tx.teams.update(key, { goal: `${team?.goal}+` })
          }),
        ),
      )
      await Promise.all(writes)
      const team = await (stores[0] as Store).read((tx) => tx.teams.find(TEAM))
      expect(team?.goal).toBe(`build it${"+".repeat(30)}`)
    })

    it("keeps others from changing a locked task until the transaction ends", async () => {
      await using db = await makeDatabase()
      const [first, second] = [await db.connect(), await db.connect()]
      const { key } = await makeTeam(first)
      await makeTask(first, key, "1")
      const locked = Promise.withResolvers<void>()
      const order: string[] = []
      const slow = first.write(async (tx) => {
        await tx.tasks.lock(key, parseTaskId("1"))
        locked.resolve()
        for (let turn = 0; turn < 20; turn++) await tx.tasks.find(key, parseTaskId("1"))
        order.push("locker")
      })
      await locked.promise
      const claim = second.claimTask(claimRequest("w1", { taskId: "1" })).then((claimed) => {
        order.push("claimant")
        return claimed
      })
      await slow
      expect((await claim)?.task.claimedBy).toBe("w1")
      expect(order).toEqual(["locker", "claimant"])
    })

    it("opens a new database from many connections at once", async () => {
      await using db = await makeDatabase()
      const stores = await Promise.all(Array.from({ length: 6 }, () => db.connect()))
      const reports = await Promise.all(stores.map((store) => store.inspect()))
      expect(new Set(reports.map((report) => report.schemaVersion)).size).toBe(1)
      expect(reports[0]?.schemaVersion).toBeGreaterThan(0)
    })

    it("reports its kind and no problems", async () => {
      await using house = await makeHouse()
      const report = await house.store.inspect()
      expect(report).toMatchObject({ kind: name as "sqlite" | "postgres", problems: [] })
      expect(report.place).not.toMatch(/teamwork@|:[^/]*@/)
    })
  })

  describe(`${name}: teams`, () => {
    it("creates a team once", async () => {
      await using house = await makeHouse()
      const again = {
        ...TEAM,
        goal: "x",
        phase: "PLANNING",
        status: "active",
        mode: "SUPERVISED",
        schedule: "eager",
        ...UNGUARDED,
      } as const
      expect(await house.store.write((tx) => tx.teams.create(again))).toBeUndefined()
      expect(await house.store.read((tx) => tx.teams.find(TEAM))).toEqual(house.team)
    })

    it("gives a name to exactly one of two who create it at once", async () => {
      await using db = await makeDatabase()
      const stores = [await db.connect(), await db.connect()]
      const team = {
        ...TEAM,
        goal: "x",
        phase: "PLANNING",
        status: "active",
        mode: "FULL_AUTO",
        schedule: "waves",
        ...UNGUARDED,
      } as const
      const made = await Promise.all(stores.map((store) => store.write((tx) => tx.teams.create(team))))
      expect(made.filter(Boolean)).toHaveLength(1)
    })

    it("finds nothing under another name", async () => {
      await using house = await makeHouse()
      expect(await house.store.read((tx) => tx.teams.find({ project: "house", team: "other" }))).toBeUndefined()
      expect(await house.store.write((tx) => tx.teams.lock({ project: "other", team: "main" }))).toBeUndefined()
    })

    it("changes the given fields only", async () => {
      await using house = await makeHouse()
      await house.store.write((tx) => tx.teams.update(house.key, { status: "paused", pauseReason: "lunch" }))
      const paused = await house.store.read((tx) => tx.teams.find(TEAM))
      expect(paused).toMatchObject({ goal: "build it", phase: "PLANNING", status: "paused", pauseReason: "lunch" })
      await house.store.write((tx) => tx.teams.update(house.key, { status: "active", pauseReason: null }))
      expect(await house.store.read((tx) => tx.teams.find(TEAM))).toMatchObject({ status: "active", pauseReason: null })
    })

    it("lists all teams and keeps their records apart", async () => {
      await using house = await makeHouse()
      const other = await makeTeam(house.store, { team: "other" })
      await house.task("1")
      await makeTask(house.store, other.key, "1", { title: "theirs" })
      expect((await house.store.read((tx) => tx.teams.list())).map((team) => team.team)).toEqual(["main", "other"])
      expect((await house.get("1")).title).toBe("paint")
      await house.store.claimTask(claimRequest("w1"))
      expect((await getTask(house.store, other.key, "1")).status).toBe("open")
    })

    it("forgets a removed team with everything that belonged to it, and nothing else", async () => {
      await using house = await makeHouse()
      const { store, key } = house
      const other = await makeTeam(store, { team: "other" })
      for (const each of [house.team, other]) await fillTeam(store, each)
      const before = await snapshot(store, other.key)
      await store.write((tx) => tx.teams.remove(key))
      expect(await store.read((tx) => tx.teams.find(TEAM))).toBeUndefined()
      expect(await snapshot(store, other.key)).toEqual(before)
      const again = await makeTeam(store)
      const empty = await snapshot(store, again.key)
      expect(empty).toMatchObject({
        tasks: [],
        waves: [],
        workers: [],
        unread: [],
        evidence: [],
        verdicts: [],
        events: [],
      })
      expect((await makeTask(store, again.key, "2", {})).blockedBy).toEqual([])
    })

    it("hands out task numbers once each, to many at the same time", async () => {
      await using db = await makeDatabase()
      const stores = [await db.connect(), await db.connect(), await db.connect()]
      const { key } = await makeTeam(stores[0] as Store)
      const numbers = await Promise.all(
        stores.flatMap((store) => Array.from({ length: 10 }, () => store.write((tx) => tx.teams.takeTaskNumber(key)))),
      )
      expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1))
    })

    it("keeps the task counter ahead of chosen ids and never takes it back", async () => {
      await using house = await makeHouse()
      const numbers = await house.store.write(async (tx) => {
        await tx.teams.raiseTaskNumber(house.key, 7)
        await tx.teams.raiseTaskNumber(house.key, 3)
        return [await tx.teams.takeTaskNumber(house.key), await tx.teams.takeTaskNumber(house.key)]
      })
      expect(numbers).toEqual([7, 8])
    })
  })

  describe(`${name}: tasks`, () => {
    it("gives back everything it was told of a task", async () => {
      await using house = await makeHouse()
      await house.task("a")
      const told = brief({
        title: "Grüße, 世界 👋🏽",
        description: "line 1\r\nline 2\t'quoted' \"double\" \\back %s $1 ?",
        role: "security",
        complexity: "complex",
        acceptance: ["it works", "naïve façade"],
        checks: ["npm test"],
        files: ["src/**", "a,b.ts"],
        agentType: "executor",
        assignee: parseWorkerId("w3"),
        blockedBy: ["a"],
      })
      const made = await house.store.write((tx) => tx.tasks.create(house.key, parseTaskId("b"), told, 4))
      expect(made).toMatchObject({
        ...told,
        id: parseTaskId("b"),
        wave: 4,
        status: "open",
        unmet: 1,
        attempt: 1,
        version: 1,
      })
      expect(made).toMatchObject({ claimedBy: null, claimedAt: null, claimToken: 0, leaseUntil: null, workerId: null })
      expect(await house.get("b")).toEqual(made as NonNullable<typeof made>)
    })

    it("lists the files of tasks that have not ended, and changes them", async () => {
      await using house = await makeHouse()
      const { store, key } = house
      for (const id of ["a", "b", "c", "d"]) await makeTask(store, key, id, { files: id === "d" ? [] : [`${id}/**`] })
      await store.claimTask(claimRequest("w1", { taskId: "a" }))
      await store.write((tx) => tx.tasks.update(key, parseTaskId("b"), { status: "skipped" }))
      await store.write((tx) => tx.tasks.update(key, parseTaskId("c"), { files: ["c", "größe/*"] }))
      expect(await store.read((tx) => tx.tasks.owning(key))).toEqual([
        { id: parseTaskId("a"), status: "in_progress", files: ["a/**"] },
        { id: parseTaskId("c"), status: "open", files: ["c", "größe/*"] },
      ])
      await store.write((tx) => tx.tasks.update(key, parseTaskId("c"), { files: [] }))
      expect(await store.read((tx) => tx.tasks.owning(key))).toHaveLength(1)
    })

    it("keeps exceptions by task, numbered in the order they were asked for", async () => {
      await using house = await makeHouse()
      const { store, key } = house
      for (const id of ["a", "b"]) await house.task(id)
      const ask = (id: string, pattern: string) =>
        store.write((tx) =>
          tx.exceptions.ask(key, { taskId: parseTaskId(id), attempt: 1, pattern, reason: "why ✨", by: "w1" }),
        )
      const first = await ask("a", "x")
      expect(first).toMatchObject({ number: 1, status: "asked", decidedBy: null, decidedAt: null, decision: null })
      expect([(await ask("b", "y")).number, (await ask("a", "z")).number]).toEqual([1, 2])
      const word = { status: "granted", by: "orchestrator", decision: null, attempt: 1 } as const
      await store.write((tx) => tx.exceptions.decide(key, { taskId: parseTaskId("a"), number: 2 }, word))
      const all = await store.read((tx) => tx.exceptions.list(key))
      expect(all.map(({ taskId, number, status }) => `${taskId} ${number} ${status}`)).toEqual([
        "a 1 asked",
        "b 1 asked",
        "a 2 granted",
      ])
      expect(await store.read((tx) => tx.exceptions.list(key, parseTaskId("a")))).toEqual([first, all[2] ?? first])
      await store.write((tx) => tx.tasks.remove(key, parseTaskId("a")))
      expect(await store.read((tx) => tx.exceptions.list(key))).toHaveLength(1)
      await store.write((tx) => tx.teams.remove(key))
      expect(await store.read((tx) => tx.exceptions.list(key))).toEqual([])
    })

    it("does not create a task under a taken id", async () => {
      await using house = await makeHouse()
      const first = await house.task("1", { title: "mine" })
      expect(
        await house.store.write((tx) => tx.tasks.create(house.key, parseTaskId("1"), brief(), null)),
      ).toBeUndefined()
      expect(await house.get("1")).toEqual(first)
    })

    it("gives one id to exactly one of two creators at once", async () => {
      await using db = await makeDatabase()
      const stores = [await db.connect(), await db.connect()]
      const { key } = await makeTeam(stores[0] as Store)
      const made = await Promise.all(
        stores.map((store) => store.write((tx) => tx.tasks.create(key, parseTaskId("1"), brief(), null))),
      )
      expect(made.filter(Boolean)).toHaveLength(1)
    })

    it("keeps long and strange texts byte for byte", async () => {
      await using house = await makeHouse()
      const strange = "\u0001\u007f\u0080\u00a0\u2028\u2029\ufeff\ufffd👩‍👩‍👧‍👦e\u0301é\u202eabc"
      const long = `${"x".repeat(999_000)}${strange}`
      await house.task("1", { title: strange, description: long, acceptance: [strange] })
      const task = await house.get("1")
      expect(Buffer.from(task.title)).toEqual(Buffer.from(strange))
      expect(task.description === long).toBe(true)
      expect(task.acceptance).toEqual([strange])
      await house.store.claimTask(claimRequest("w1", { taskId: "1" }))
      await house.store.finishTask(finishRequest("1", { owner: "w1", result: long, evidence: [note(strange)] }))
      expect((await house.get("1")).result === long).toBe(true)
      expect((await house.store.read((tx) => tx.evidence.list(house.key, task.id)))[0]?.text).toBe(strange)
    })

    it("changes the given fields only and counts the version up", async () => {
      await using house = await makeHouse()
      const before = await house.task("1", { title: "a", description: "b" })
      const changed = await house.store.write((tx) =>
        tx.tasks.update(house.key, parseTaskId("1"), { title: "A", assignee: parseWorkerId("w2"), result: "red" }),
      )
      const { updatedAt: _, ...rest } = before
      expect(changed).toMatchObject({ ...rest, title: "A", assignee: parseWorkerId("w2"), result: "red", version: 2 })
      const cleared = await house.store.write((tx) =>
        tx.tasks.update(house.key, parseTaskId("1"), { assignee: null, result: null }),
      )
      expect(cleared).toMatchObject({ assignee: null, result: null, version: 3 })
    })

    it("lists in creation order, by status, role, wave and number", async () => {
      await using house = await makeHouse()
      for (const [id, role, wave] of [
        ["z", "docs", 1],
        ["b", "worker", 1],
        ["a", "test", 2],
        ["c", "docs", 2],
      ] as const) {
        await house.task(id, { role, wave })
      }
      await house.store.claimTask(claimRequest("w1", { taskId: "z" }))
      const list = async (filter: Parameters<Tx["tasks"]["list"]>[1]) =>
        (await house.store.read((tx) => tx.tasks.list(house.key, filter))).map((task) => String(task.id))
      expect(await list({})).toEqual(["z", "b", "a", "c"])
      expect(await list({ limit: 2 })).toEqual(["z", "b"])
      expect(await list({ status: "in_progress" })).toEqual(["z"])
      expect(await list({ role: "docs" })).toEqual(["z", "b", "c"])
      expect(await list({ role: "worker" })).toEqual(["z", "b", "a", "c"])
      expect(await list({ maxWave: 1 })).toEqual(["z", "b"])
      expect(await list({ maxWave: Number.POSITIVE_INFINITY })).toHaveLength(4)
      expect(await list({ ready: true })).toEqual(["b", "a", "c"])
      expect(await list({ ready: true, role: "test", maxWave: 2 })).toEqual(["b", "a"])
    })

    it("leaves tasks with unmet needs out of the ready ones", async () => {
      await using house = await makeHouse()
      await house.task("1")
      await house.task("2", { blockedBy: ["1"] })
      const ready = async () =>
        (await house.store.read((tx) => tx.tasks.list(house.key, { ready: true }))).map((task) => task.id)
      expect(await ready()).toEqual([parseTaskId("1")])
      await resolve(house.store, "1")
      expect(await ready()).toEqual([parseTaskId("2")])
    })

    it("lists the needs of each of many tasks", async () => {
      await using house = await makeHouse()
      await house.task("root")
      for (let number = 1; number <= 30; number++) {
        await house.task(`t${number}`, { blockedBy: number === 1 ? ["root"] : ["root", `t${number - 1}`] })
      }
      const [tasks, graph] = await house.store.read(async (tx) => [
        await tx.tasks.list(house.key),
        await tx.tasks.graph(house.key),
      ])
      expect(tasks.find((task) => task.id === "t30")?.blockedBy.toSorted()).toEqual(["root", "t29"].map(parseTaskId))
      expect(graph.map((node) => node.blockedBy.length)).toEqual(tasks.map((task) => task.blockedBy.length))
      expect(graph[0]).toEqual({
        id: parseTaskId("root"),
        title: "paint",
        role: "worker",
        status: "open",
        wave: null,
        blockedBy: [],
      })
    })

    it("tells needs and dependants", async () => {
      await using house = await makeHouse()
      for (const id of ["a", "b"]) await house.task(id)
      await house.task("c", { blockedBy: ["b", "a"] })
      await house.task("d", { blockedBy: ["a"] })
      const answers = await house.store.read(async (tx) => [
        (await tx.tasks.dependants(house.key, parseTaskId("a"))).toSorted(),
        await tx.tasks.dependants(house.key, parseTaskId("d")),
      ])
      expect(answers.map((list) => list.map(String))).toEqual([["c", "d"], []])
      const needs = await Promise.all(["c", "a"].map(async (id) => (await house.get(id)).blockedBy.map(String)))
      expect(needs.map((list) => list.toSorted())).toEqual([["a", "b"], []])
    })

    it("counts by wave and status", async () => {
      await using house = await makeHouse()
      for (const [id, wave] of [
        ["1", 1],
        ["2", 1],
        ["3", 2],
      ] as const)
        await house.task(id, { wave })
      await house.task("4")
      await house.store.claimTask(claimRequest("w1", { taskId: "1" }))
      const counts = await house.store.read((tx) => tx.tasks.progress(house.key))
      expect(counts.map((row) => `${row.wave} ${row.status} ${row.count}`).toSorted()).toEqual([
        "0 open 1",
        "1 in_progress 1",
        "1 open 1",
        "2 open 1",
      ])
    })

    it("sets waves without touching version or events", async () => {
      await using house = await makeHouse()
      for (const id of ["1", "2"]) await house.task(id)
      const places = [
        { id: "1", wave: 1, height: 1 },
        { id: "2", wave: 2, height: 0 },
      ]
      await house.store.write((tx) => tx.tasks.setWaves(house.key, places))
      expect([await house.get("1"), await house.get("2")]).toMatchObject([
        { wave: 1, version: 1 },
        { wave: 2, version: 1 },
      ])
      expect(await house.eventTypes()).toEqual([])
    })

    it("lists what is overdue: a lease that ran out, or a claim of long ago", async () => {
      await using house = await makeHouse()
      for (const id of ["1", "2", "3"]) await house.task(id)
      await house.store.claimTask(claimRequest("w1", { taskId: "1", leaseMs: SHORT_LEASE_MS }))
      await house.store.claimTask(claimRequest("w2", { taskId: "2" }))
      await untilExpired(house.store, house.key, "1")
      const overdue = async (claimedBefore: number | null) =>
        (await house.store.read((tx) => tx.tasks.listOverdue(house.key, claimedBefore))).map((task) => String(task.id))
      const claimedAt = Date.parse((await house.get("2")).claimedAt ?? "")
      expect(await overdue(null)).toEqual(["1"])
      expect(await overdue(claimedAt)).toEqual(["1", "2"])
      expect(await overdue(0)).toEqual(["1"])
    })
  })

  describe(`${name}: unmet needs`, () => {
    it("follow resolve, reopen and skip of a need", async () => {
      await using house = await makeHouse()
      for (const id of ["a", "b"]) await house.task(id)
      await house.task("c", { blockedBy: ["a", "b"] })
      const unmet = async () => (await house.get("c")).unmet
      const setStatus = (id: string, status: "open" | "skipped" | "failed") =>
        house.store.write((tx) => tx.tasks.update(house.key, parseTaskId(id), { status }))
      expect(await unmet()).toBe(2)
      await resolve(house.store, "a")
      expect(await unmet()).toBe(1)
      await setStatus("b", "skipped")
      expect(await unmet()).toBe(0)
      await setStatus("a", "open")
      expect(await unmet()).toBe(1)
      await setStatus("b", "open")
      expect(await unmet()).toBe(2)
      await setStatus("a", "failed")
      expect(await unmet()).toBe(2)
      expect(await house.store.write((tx) => tx.tasks.repairUnmet(house.key))).toEqual([])
    })

    it("count a need that is met already as met", async () => {
      await using house = await makeHouse()
      for (const id of ["a", "b"]) await house.task(id)
      await resolve(house.store, "a")
      expect((await house.task("c", { blockedBy: ["a", "b"] })).unmet).toBe(1)
    })

    it("are counted anew when the needs change", async () => {
      await using house = await makeHouse()
      for (const id of ["a", "b"]) await house.task(id)
      const c = await house.task("c", { blockedBy: ["a"] })
      await resolve(house.store, "a")
      const setNeeds = (...needs: string[]) =>
        house.store.write((tx) => tx.tasks.setNeeds(house.key, c.id, needs.map(parseTaskId)))
      expect(await setNeeds("a", "b")).toMatchObject({ unmet: 1, blockedBy: ["a", "b"].map(parseTaskId) })
      expect(await setNeeds("a")).toMatchObject({ unmet: 0, blockedBy: [parseTaskId("a")] })
      expect(await setNeeds("b")).toMatchObject({ unmet: 1 })
      expect(await setNeeds()).toMatchObject({ unmet: 0, blockedBy: [] })
      expect(await house.store.write((tx) => tx.tasks.repairUnmet(house.key))).toEqual([])
    })

    it("forget a need that is taken out and removed", async () => {
      await using house = await makeHouse()
      await house.task("a")
      const b = await house.task("b", { blockedBy: ["a"] })
      await house.store.write(async (tx) => {
        await tx.tasks.setNeeds(house.key, b.id, [])
        await tx.tasks.remove(house.key, parseTaskId("a"))
      })
      expect(await house.get("b")).toMatchObject({ unmet: 0, blockedBy: [] })
      expect(await house.store.read((tx) => tx.tasks.find(house.key, parseTaskId("a")))).toBeUndefined()
    })

    it("of tasks of another team stay out of it", async () => {
      await using house = await makeHouse()
      const other = await makeTeam(house.store, { team: "other" })
      for (const key of [house.key, other.key]) {
        await makeTask(house.store, key, "a")
        await makeTask(house.store, key, "b", { blockedBy: ["a"] })
      }
      await resolve(house.store, "a")
      expect((await house.get("b")).unmet).toBe(0)
      expect((await getTask(house.store, other.key, "b")).unmet).toBe(1)
    })

    it("stay right when needs are resolved while dependants are created", async () => {
      await using db = await makeDatabase()
      const stores = [await db.connect(), await db.connect(), await db.connect()] as [Store, Store, Store]
      const { key } = await makeTeam(stores[0])
      const ids = Array.from({ length: 12 }, (_, index) => `n${index}`)
      for (const id of ids) await makeTask(stores[0], key, id)
      await Promise.all([
        ...ids.map((id) => resolve(stores[0], id)),
        ...ids.map((id, index) =>
          makeTask(stores[1], key, `d${index}`, { blockedBy: [id, ids[(index + 5) % 12] ?? id] }),
        ),
        ...ids.map((_, index) => makeTask(stores[2], key, `e${index}`, { blockedBy: ids.toReversed().slice(index) })),
      ])
      expect(await stores[0].write((tx) => tx.tasks.repairUnmet(key))).toEqual([])
      const tasks = await stores[0].read((tx) => tx.tasks.list(key))
      expect(tasks.filter((task) => task.unmet !== 0)).toEqual([])
    })

    it("stay right when two needs of one task are resolved at once", async () => {
      await using db = await makeDatabase()
      const stores = [await db.connect(), await db.connect()] as [Store, Store]
      const { key } = await makeTeam(stores[0])
      for (const id of ["a", "b"]) await makeTask(stores[0], key, id)
      for (const id of ["c", "d", "e"]) await makeTask(stores[0], key, id, { blockedBy: ["a", "b"] })
      await Promise.all([resolve(stores[0], "a"), resolve(stores[1], "b")])
      for (const id of ["c", "d", "e"]) expect((await getTask(stores[0], key, id)).unmet).toBe(0)
    })
  })

  describe(`${name}: claim`, () => {
    it("gives one ready task to exactly one of many claimants", async () => {
      await using db = await makeDatabase()
      const stores = await Promise.all(Array.from({ length: 5 }, () => db.connect()))
      const { key } = await makeTeam(stores[0] as Store)
      await makeTask(stores[0] as Store, key, "1")
      const claims = await Promise.all(stores.map((store, index) => store.claimTask(claimRequest(`w${index}`))))
      const won = claims.filter((claim) => claim !== undefined)
      expect(won).toHaveLength(1)
      expect((await getTask(stores[0] as Store, key, "1")).claimedBy).toBe(won[0]?.task.claimedBy as string)
      const events = await allEvents(stores[0] as Store, key)
      expect(events.filter((event) => event.type === "task.claimed")).toHaveLength(1)
    })

    it("gives a named task to exactly one of many claimants", async () => {
      await using db = await makeDatabase()
      const stores = await Promise.all(Array.from({ length: 5 }, () => db.connect()))
      const { key } = await makeTeam(stores[0] as Store)
      await makeTask(stores[0] as Store, key, "1")
      const claims = await Promise.all(
        stores.map((store, index) => store.claimTask(claimRequest(`w${index}`, { taskId: "1" }))),
      )
      expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1)
    })

    it("gives each of many tasks to one claimant, and everybody one", async () => {
      await using db = await makeDatabase()
      const stores = await Promise.all(Array.from({ length: 4 }, () => db.connect()))
      const { key } = await makeTeam(stores[0] as Store)
      for (let number = 1; number <= 20; number++) await makeTask(stores[0] as Store, key, String(number))
      const claims = await Promise.all(
        Array.from({ length: 20 }, (_, index) => (stores[index % 4] as Store).claimTask(claimRequest(`w${index}`))),
      )
      expect(new Set(claims.map((claim) => claim?.task.id)).size).toBe(20)
      expect(await (stores[0] as Store).claimTask(claimRequest("late"))).toBeUndefined()
    })

    it("says who holds the task, since when and until when", async () => {
      await using house = await makeHouse()
      await house.task("1")
      const claim = await house.store.claimTask(claimRequest("s1", { workerId: "w1", leaseMs: 5000 }))
      expect(claim).toMatchObject({ takenOverFrom: null, renewed: false })
      const task = await house.get("1")
      expect(claim?.task).toEqual(task)
      expect(task).toMatchObject({
        status: "in_progress",
        claimedBy: "s1",
        workerId: parseWorkerId("w1"),
        claimToken: 1,
        version: 2,
      })
      expect(Date.parse(task.leaseUntil ?? "") - Date.parse(task.claimedAt ?? "")).toBe(5000)
      const [event] = (await allEvents(house.store, house.key)).filter((each) => each.type === "task.claimed")
      expect(event).toMatchObject({ by: "s1", data: { task: "1", token: 1, taken_over_from: null } })
    })

    it("raises the token with each claim", async () => {
      await using house = await makeHouse()
      await house.task("1")
      const tokens: (number | undefined)[] = []
      for (const owner of ["w1", "w2", "w1"]) {
        tokens.push((await house.store.claimTask(claimRequest(owner, { taskId: "1" })))?.task.claimToken)
        await release(house.store, house.key, "1")
      }
      expect(tokens).toEqual([1, 2, 3])
    })

    it("does not give a held task to anybody else, and changes nothing", async () => {
      await using house = await makeHouse()
      await house.task("1")
      await house.store.claimTask(claimRequest("w1"))
      const before = await snapshot(house.store, house.key)
      expect(await house.store.claimTask(claimRequest("w2", { taskId: "1" }))).toBeUndefined()
      expect(await house.store.claimTask(claimRequest("w2"))).toBeUndefined()
      expect(await snapshot(house.store, house.key)).toEqual(before)
    })

    it("renews a claim for its owner without a new token or event", async () => {
      await using house = await makeHouse()
      await house.task("1")
      const first = await house.store.claimTask(claimRequest("w1", { taskId: "1", leaseMs: 5000 }))
      const events = await house.eventTypes()
      const again = await house.store.claimTask(claimRequest("w1", { taskId: "1", leaseMs: 9000 }))
      expect(again).toMatchObject({ renewed: true, takenOverFrom: null })
      expect(again?.task).toMatchObject({ claimToken: 1, claimedAt: first?.task.claimedAt as string })
      expect(Date.parse(again?.task.leaseUntil ?? "")).toBeGreaterThan(Date.parse(first?.task.leaseUntil ?? ""))
      expect(await house.eventTypes()).toEqual(events)
    })

    it("renews an expired claim for its owner without a new token", async () => {
      await using house = await makeHouse()
      await house.task("1")
      await house.store.claimTask(claimRequest("w1", { taskId: "1", leaseMs: SHORT_LEASE_MS }))
      await untilExpired(house.store, house.key, "1")
      const again = await house.store.claimTask(claimRequest("w1"))
      expect(again).toMatchObject({ renewed: true, takenOverFrom: null, task: { claimToken: 1, claimedBy: "w1" } })
    })

    it("lets an owner hold several tasks", async () => {
      await using house = await makeHouse()
      for (const id of ["1", "2"]) await house.task(id)
      const [first, second] = [
        await house.store.claimTask(claimRequest("w1")),
        await house.store.claimTask(claimRequest("w1")),
      ]
      expect([first?.task.id, second?.task.id]).toEqual(["1", "2"].map(parseTaskId))
    })

    it("lets exactly one take over an expired claim, with a higher token and an event that says from whom", async () => {
      await using db = await makeDatabase()
      const stores = await Promise.all(Array.from({ length: 4 }, () => db.connect()))
      const first = stores[0] as Store
      const { key } = await makeTeam(first)
      await makeTask(first, key, "1")
      await first.claimTask(claimRequest("gone", { leaseMs: SHORT_LEASE_MS }))
      await untilExpired(first, key, "1")
      const claims = await Promise.all(
        stores.map((store, index) =>
          store.claimTask(claimRequest(`w${index}`, index % 2 === 0 ? {} : { taskId: "1" })),
        ),
      )
      const won = claims.filter((claim) => claim !== undefined)
      expect(won).toHaveLength(1)
      expect(won[0]).toMatchObject({ takenOverFrom: "gone", renewed: false, task: { claimToken: 2 } })
      const events = (await allEvents(first, key)).filter((event) => event.type === "task.claimed")
      expect(events[1]).toMatchObject({
        by: won[0]?.task.claimedBy as string,
        data: { token: 2, taken_over_from: "gone" },
      })
    })

    it("does not count a lease as expired before its time", async () => {
      await using house = await makeHouse()
      await house.task("1")
      await house.store.claimTask(claimRequest("w1", { leaseMs: 60_000 }))
      expect(await house.store.claimTask(claimRequest("w2", { taskId: "1" }))).toBeUndefined()
    })

    it("gives a renewed lease its full time from now, and leaves no trace", async () => {
      await using house = await makeHouse()
      await house.task("1")
      await house.store.claimTask(claimRequest("w1", { leaseMs: SHORT_LEASE_MS }))
      const claimed = await house.get("1")
      await untilExpired(house.store, house.key, "1")
      const renewed = await house.store.write((tx) => tx.tasks.renew(house.key, parseTaskId("1")))
      expect(Date.parse(renewed.leaseUntil ?? "")).toBeGreaterThan(Date.parse(claimed.leaseUntil ?? ""))
      expect(renewed).toEqual({ ...claimed, leaseUntil: renewed.leaseUntil })
    })

    it("checks needs", async () => {
      await using house = await makeHouse()
      await house.task("1")
      await house.task("2", { blockedBy: ["1"] })
      expect(await house.store.claimTask(claimRequest("w1", { taskId: "2" }))).toBeUndefined()
      expect((await house.store.claimTask(claimRequest("w1")))?.task.id).toBe(parseTaskId("1"))
      expect(await house.store.claimTask(claimRequest("w2"))).toBeUndefined()
      await house.store.finishTask(finishRequest("1", { owner: "w1" }))
      expect((await house.store.claimTask(claimRequest("w2")))?.task.id).toBe(parseTaskId("2"))
    })

    it("opens a wave when the one before it is verified, and not before", async () => {
      await using house = await makeHouse()
      await house.task("1", { wave: 1 })
      await house.task("2", { wave: 2 })
      const put = (number: number, verdict: "verified" | "failed" | null) =>
        house.store.write((tx) => tx.waves.put(house.key, { number, verdict, startedAt: null, verifiedAt: null }))
      await put(1, null)
      await put(2, null)
      await resolve(house.store, "1")
      const named = claimRequest("w1", { taskId: "2" })
      expect(await house.store.claimTask(named)).toBeUndefined()
      expect(await house.store.claimTask(claimRequest("w1"))).toBeUndefined()
      await put(1, "failed")
      expect(await house.store.claimTask(named)).toBeUndefined()
      await put(1, "verified")
      expect((await house.store.claimTask(claimRequest("w1")))?.task.id).toBe(parseTaskId("2"))
    })

    it("takes tasks of a wave whose gate failed", async () => {
      await using house = await makeHouse()
      await house.task("1", { wave: 1 })
      await house.store.write((tx) =>
        tx.waves.put(house.key, { number: 1, verdict: "failed", startedAt: null, verifiedAt: null }),
      )
      expect((await house.store.claimTask(claimRequest("w1")))?.task.id).toBe(parseTaskId("1"))
    })

    it("looks at no wave when the schedule is eager", async () => {
      await using house = await makeHouse({ schedule: "eager" })
      await house.task("1", { wave: 1 })
      await house.task("2", { wave: 2 })
      await house.task("3", { wave: 2, blockedBy: ["1"] })
      for (const number of [1, 2]) {
        await house.store.write((tx) =>
          tx.waves.put(house.key, { number, verdict: null, startedAt: null, verifiedAt: null }),
        )
      }
      expect((await house.store.claimTask(claimRequest("w1", { taskId: "2" })))?.task.id).toBe(parseTaskId("2"))
      expect(await house.store.claimTask(claimRequest("w1", { taskId: "3" }))).toBeUndefined()
    })

    const PLACES = [
      { id: "late", wave: 2, height: 9 },
      { id: "old", wave: 1, height: 0 },
      { id: "young", wave: 1, height: 0 },
      { id: "long", wave: 1, height: 3 },
    ]

    async function takeAll(store: Store): Promise<string[]> {
      const taken: string[] = []
      for (;;) {
        const claimed = await store.claimTask(claimRequest("w1"))
        if (claimed === undefined) return taken
        taken.push(claimed.task.id)
      }
    }

    it("takes the earliest wave first, then the longest chain behind it, then the oldest", async () => {
      await using house = await makeHouse()
      for (const { id } of PLACES) await house.task(id)
      await house.store.write((tx) => tx.tasks.setWaves(house.key, PLACES))
      expect(await takeAll(house.store)).toEqual(["long", "old", "young", "late"])
    })

    it("takes before all other order of a wave what a person wants first, also when that changes", async () => {
      await using house = await makeHouse()
      for (const { id } of PLACES) await house.task(id)
      await house.store.write((tx) => tx.tasks.setWaves(house.key, PLACES))
      const put = (id: string, priority: number) =>
        house.store.write((tx) => tx.tasks.update(house.key, parseTaskId(id), { priority }))
      await put("young", 5)
      await put("long", -1)
      await put("late", 100)
      expect(await takeAll(house.store)).toEqual(["young", "old", "long", "late"])
    })

    it("F019: takes what has the lowest rank before longer chains, and after what a person wants first", async () => {
      await using house = await makeHouse()
      for (const { id } of PLACES) await house.task(id)
      await house.store.write((tx) => tx.tasks.setWaves(house.key, PLACES))
      const before = await house.store.read((tx) => tx.tasks.find(house.key, parseTaskId("long")))
      const ranks = [
        { id: parseTaskId("long"), rank: 2 },
        { id: parseTaskId("young"), rank: -1 },
        { id: parseTaskId("late"), rank: -5 },
      ]
      await house.store.write((tx) => tx.tasks.setRanks(house.key, ranks))
      // Nothing of the task itself is another.
      expect(await house.store.read((tx) => tx.tasks.find(house.key, parseTaskId("long")))).toEqual(before)
      const ready = await house.store.read((tx) => tx.tasks.list(house.key, { ready: true }))
      expect(ready.map(({ id }) => id as string)).toEqual(["young", "old", "long", "late"])
      await house.store.write((tx) => tx.tasks.update(house.key, parseTaskId("long"), { priority: 1 }))
      expect(await takeAll(house.store)).toEqual(["long", "young", "old", "late"])
    })

    it("takes the longest chain of all waves first when the schedule is eager", async () => {
      await using house = await makeHouse({ schedule: "eager" })
      for (const { id } of PLACES) await house.task(id)
      await house.store.write((tx) => tx.tasks.setWaves(house.key, PLACES))
      await house.task("added", { wave: 3 })
      const ready = await house.store.read((tx) => tx.tasks.list(house.key, { ready: true }))
      const order = ["late", "long", "old", "young", "added"]
      expect(ready.map(({ id }) => id as string)).toEqual(order)
      expect(await takeAll(house.store)).toEqual(order)
    })

    it("goes by the schedule of the moment, whatever it was when the tasks were laid out", async () => {
      await using house = await makeHouse({ schedule: "eager" })
      for (const { id } of PLACES) await house.task(id)
      await house.store.write((tx) => tx.tasks.setWaves(house.key, PLACES))
      const next = async () => {
        const claimed = await house.store.claimTask(claimRequest("w1"))
        if (claimed !== undefined) await release(house.store, house.key, claimed.task.id)
        return claimed?.task.id as string
      }
      const becomes = (schedule: "waves" | "eager") =>
        house.store.write((tx) => tx.teams.update(house.key, { schedule }))
      await becomes("waves")
      expect(await next()).toBe("long")
      for (const number of [1, 2])
        await house.store.write((tx) =>
          tx.waves.put(house.key, { number, verdict: null, startedAt: null, verifiedAt: null }),
        )
      await house.task("closed", { wave: 2 })
      expect(await takeAll(house.store)).toEqual(["long", "old", "young"])
      await becomes("eager")
      expect(await takeAll(house.store)).toEqual(["late", "closed"])
    })

    it("keeps a task for its assignee, who gets it first", async () => {
      await using house = await makeHouse()
      await house.task("free")
      await house.task("kept", { assignee: parseWorkerId("w2") })
      expect(await house.store.claimTask(claimRequest("w1", { taskId: "kept" }))).toBeUndefined()
      expect((await house.store.claimTask(claimRequest("w2")))?.task.id).toBe(parseTaskId("kept"))
      await release(house.store, house.key, "kept")
      expect((await house.store.claimTask(claimRequest("w1")))?.task.id).toBe(parseTaskId("free"))
      expect(await house.store.claimTask(claimRequest("w1"))).toBeUndefined()
    })

    it("does not hand an assignee's expired task to somebody else", async () => {
      await using house = await makeHouse()
      await house.task("kept", { assignee: parseWorkerId("w2") })
      await house.store.claimTask(claimRequest("w2", { leaseMs: SHORT_LEASE_MS }))
      await untilExpired(house.store, house.key, "kept")
      expect(await house.store.claimTask(claimRequest("w1"))).toBeUndefined()
      expect(await house.store.claimTask(claimRequest("w1", { taskId: "kept" }))).toBeUndefined()
    })

    it("takes tasks of the own role before those for anybody, and none of another role", async () => {
      await using house = await makeHouse()
      await house.task("any")
      await house.task("docs", { role: "docs" })
      await house.task("test", { role: "test" })
      const next = async () => (await house.store.claimTask(claimRequest("w1", { role: "docs" })))?.task.id
      expect([await next(), await next(), await next()]).toEqual([parseTaskId("docs"), parseTaskId("any"), undefined])
    })

    it("gives a claimant of role worker, or of none, a task of any role", async () => {
      await using house = await makeHouse()
      await house.task("docs", { role: "docs" })
      await house.task("test", { role: "test" })
      expect((await house.store.claimTask(claimRequest("w1", { role: "worker" })))?.task.id).toBe(parseTaskId("docs"))
      expect((await house.store.claimTask(claimRequest("w2")))?.task.id).toBe(parseTaskId("test"))
    })

    it("takes an abandoned task before a new one, the longest abandoned first, of a fitting role only", async () => {
      await using house = await makeHouse()
      for (const id of ["1", "2", "3", "4"]) await house.task(id, { role: id === "3" ? "test" : "docs" })
      for (const id of ["3", "2", "1"]) {
        await house.store.claimTask(claimRequest("gone", { taskId: id, leaseMs: SHORT_LEASE_MS }))
        await untilExpired(house.store, house.key, id)
      }
      const next = async () => (await house.store.claimTask(claimRequest("w1", { role: "docs" })))?.task.id
      expect([await next(), await next(), await next(), await next()]).toEqual([
        parseTaskId("2"),
        parseTaskId("1"),
        parseTaskId("4"),
        undefined,
      ])
    })

    it("takes a named task of another role, unless told to be strict", async () => {
      await using house = await makeHouse()
      await house.task("1", { role: "test" })
      await house.task("any")
      const strict = { role: "docs", strictRole: true } as const
      expect(await house.store.claimTask(claimRequest("w1", { taskId: "1", ...strict }))).toBeUndefined()
      expect((await house.store.claimTask(claimRequest("w1", { taskId: "any", ...strict })))?.task.id).toBe(
        parseTaskId("any"),
      )
      expect((await house.store.claimTask(claimRequest("w1", { taskId: "1", role: "docs" })))?.task.role).toBe("test")
    })

    it("locks a worker to the first role it names", async () => {
      await using house = await makeHouse()
      for (const [id, role] of [
        ["1", "docs"],
        ["2", "test"],
        ["3", "docs"],
      ] as const)
        await house.task(id, { role })
      await house.store.claimTask(claimRequest("w1", { role: "docs" }))
      expect(await house.store.claimTask(claimRequest("w1", { role: "test" }))).toBeUndefined()
      expect(await house.store.claimTask(claimRequest("w1", { role: "test", taskId: "2" }))).toBeUndefined()
      expect((await house.store.claimTask(claimRequest("w1", { taskId: "3" })))?.task.id).toBe(parseTaskId("3"))
      expect(await house.store.read((tx) => tx.workers.find(house.key, parseWorkerId("w1")))).toMatchObject({
        role: "docs",
      })
    })

    it.each(["paused", "quarantined", "stopped"] as const)(
      "gives a worker that is %s nothing",
      async (availability) => {
        await using house = await makeHouse()
        await house.task("1")
        await house.store.write((tx) => tx.workers.put(house.key, parseWorkerId("w1"), { availability }))
        expect(await house.store.claimTask(claimRequest("w1"))).toBeUndefined()
        expect(await house.store.claimTask(claimRequest("w1", { taskId: "1" }))).toBeUndefined()
        expect(await house.store.claimTask(claimRequest("session", { taskId: "1", workerId: "w1" }))).toBeUndefined()
        await house.store.write((tx) => tx.workers.put(house.key, parseWorkerId("w1"), { availability: "idle" }))
        expect((await house.store.claimTask(claimRequest("w1")))?.task.id).toBe(parseTaskId("1"))
      },
    )

    it.each(["paused", "completing", "completed", "failed", "cancelled"] as const)(
      "gives nothing of a team that is %s",
      async (status) => {
        await using house = await makeHouse({ status })
        await house.task("1")
        expect(await house.store.claimTask(claimRequest("w1"))).toBeUndefined()
        expect(await house.store.claimTask(claimRequest("w1", { taskId: "1" }))).toBeUndefined()
      },
    )

    it("gives nothing of a team that is COMPLETE", async () => {
      await using house = await makeHouse({ phase: "COMPLETE" })
      await house.task("1")
      expect(await house.store.claimTask(claimRequest("w1"))).toBeUndefined()
      expect(await house.store.claimTask(claimRequest("w1", { taskId: "1" }))).toBeUndefined()
    })

    it.each(["paused", "in_review", "resolved", "failed", "skipped"] as const)(
      "does not take a task that is %s",
      async (status) => {
        await using house = await makeHouse()
        await house.task("1")
        await house.store.write((tx) => tx.tasks.update(house.key, parseTaskId("1"), { status }))
        expect(await house.store.claimTask(claimRequest("w1", { taskId: "1" }))).toBeUndefined()
        expect(await house.store.claimTask(claimRequest("w1"))).toBeUndefined()
      },
    )

    it("takes nothing that does not exist", async () => {
      await using house = await makeHouse()
      expect(await house.store.claimTask(claimRequest("w1"))).toBeUndefined()
      expect(await house.store.claimTask(claimRequest("w1", { taskId: "1" }))).toBeUndefined()
      expect(await house.store.claimTask(claimRequest("w1", { project: "nowhere" }))).toBeUndefined()
      expect(await house.store.read((tx) => tx.workers.list(house.key))).toEqual([])
    })

    it("turns PLANNING to EXECUTION with the first claim, once, however many race", async () => {
      await using db = await makeDatabase()
      const stores = await Promise.all(Array.from({ length: 4 }, () => db.connect()))
      const first = stores[0] as Store
      const { key } = await makeTeam(first)
      for (const id of ["1", "2", "3", "4"]) await makeTask(first, key, id)
      const claims = await Promise.all(stores.map((store, index) => store.claimTask(claimRequest(`w${index}`))))
      expect(claims.filter(Boolean)).toHaveLength(4)
      expect(await first.read((tx) => tx.teams.find(TEAM))).toMatchObject({ phase: "EXECUTION" })
      const changes = (await allEvents(first, key)).filter((event) => event.type === "team.phase_changed")
      expect(changes.map((event) => event.data)).toEqual([{ from: "PLANNING", to: "EXECUTION" }])
    })

    it("leaves the phase alone when nothing was taken", async () => {
      await using house = await makeHouse()
      await house.store.claimTask(claimRequest("w1"))
      expect(await house.store.read((tx) => tx.teams.find(TEAM))).toMatchObject({ phase: "PLANNING" })
    })

    it("makes a claimant a worker of the team", async () => {
      await using house = await makeHouse()
      await house.task("1")
      await house.store.claimTask(claimRequest("session", { workerId: "w7", role: "docs" }))
      expect(await house.store.read((tx) => tx.workers.list(house.key))).toMatchObject([
        {
          id: parseWorkerId("w7"),
          role: "docs",
          sessionId: "session",
          status: "working",
          currentTask: parseTaskId("1"),
        },
      ])
    })

    it("is a part of the transaction it is called in", async () => {
      await using house = await makeHouse()
      await house.task("1")
      const before = await snapshot(house.store, house.key)
      const failing = house.store.write(async (tx) => {
        const claim = await tx.claimTask(claimRequest("w1"))
        expect(claim?.task.id).toBe(parseTaskId("1"))
        throw new Error("on purpose")
      })
      expect(await failing.catch((error: Error) => error.message)).toBe("on purpose")
      expect(await snapshot(house.store, house.key)).toEqual(before)
    })
  })

  describe(`${name}: finish`, () => {
    it("resolves with result, evidence, event and notice", async () => {
      await using house = await makeHouse()
      await house.task("1")
      await house.store.claimTask(claimRequest("s1", { workerId: "w1" }))
      const payload = { worker_id: "w1", completed_task_id: parseTaskId("1"), completed_status: "resolved" }
      const finished = await house.store.finishTask(
        finishRequest("1", {
          owner: "s1",
          token: 1,
          result: "done",
          evidence: [note("a"), note("b")],
          notice: { id: "m1", payload },
        }),
      )
      expect(finished).toMatchObject({
        status: "resolved",
        result: "done",
        leaseUntil: null,
        claimedBy: "s1",
        version: 3,
      })
      expect(finished?.completedAt).not.toBeNull()
      expect(finished).toEqual(await house.get("1"))
      const [evidence, inbox] = await house.store.read(async (tx) => [
        await tx.evidence.list(house.key, parseTaskId("1")),
        await tx.messages.list(house.key, "orchestrator", {}),
      ])
      expect(evidence.map((entry) => [entry.number, entry.text, entry.by])).toEqual([
        [1, "a", "s1"],
        [2, "b", "s1"],
      ])
      expect(inbox).toMatchObject([{ id: "m1", from: "w1", type: "idle_notification", payload, read: false }])
      expect((await house.eventTypes()).slice(-4)).toEqual([
        "evidence.added",
        "evidence.added",
        "task.resolved",
        "message.sent",
      ])
      const events = await allEvents(house.store, house.key)
      expect(events.find((event) => event.type === "task.resolved")).toMatchObject({
        by: "s1",
        data: { task: "1", token: 1, attempt: 1 },
      })
    })

    it("keeps an earlier result when none is given", async () => {
      await using house = await makeHouse()
      await house.task("1")
      await house.store.claimTask(claimRequest("w1"))
      await house.store.write((tx) => tx.tasks.update(house.key, parseTaskId("1"), { result: "so far" }))
      expect((await house.store.finishTask(finishRequest("1", { owner: "w1" })))?.result).toBe("so far")
    })

    it("lets a person resolve whatever is held", async () => {
      await using house = await makeHouse()
      await house.task("1")
      await house.store.claimTask(claimRequest("w1"))
      expect((await house.store.finishTask(finishRequest("1")))?.status).toBe("resolved")
      expect((await allEvents(house.store, house.key)).at(-1)).toMatchObject({ type: "task.resolved", by: "person" })
    })

    it("resolves a task in review", async () => {
      await using house = await makeHouse()
      await house.task("1")
      await house.store.claimTask(claimRequest("w1"))
      await house.store.write((tx) => tx.tasks.update(house.key, parseTaskId("1"), { status: "in_review" }))
      expect((await house.store.finishTask(finishRequest("1", { owner: "w1", token: 1 })))?.status).toBe("resolved")
    })

    it("still takes the work of a holder nobody replaced after the lease ran out", async () => {
      await using house = await makeHouse()
      await house.task("1")
      await house.store.claimTask(claimRequest("w1", { leaseMs: SHORT_LEASE_MS }))
      await untilExpired(house.store, house.key, "1")
      expect((await house.store.finishTask(finishRequest("1", { owner: "w1", token: 1 })))?.status).toBe("resolved")
    })

    it("refuses a holder that was replaced, whatever it brings, and changes nothing", async () => {
      await using house = await makeHouse()
      await house.task("1")
      await house.store.claimTask(claimRequest("old", { leaseMs: SHORT_LEASE_MS }))
      await untilExpired(house.store, house.key, "1")
      await house.store.claimTask(claimRequest("new"))
      const before = await snapshot(house.store, house.key)
      const notice = { id: "m1", payload: { worker_id: "old" } }
      const stale = [
        { owner: "old" },
        { owner: "old", token: 1 },
        { owner: "old", token: 2 },
        { owner: "new", token: 1 },
        { owner: "new", token: 3 },
      ]
      for (const hold of [...stale, { owner: null, token: 1 }]) {
        const request = finishRequest("1", { ...hold, evidence: [note("mine")], result: "mine", notice })
        expect(await house.store.finishTask(request)).toBeUndefined()
      }
      expect(await snapshot(house.store, house.key)).toEqual(before)
      expect((await house.store.finishTask(finishRequest("1", { owner: "new", token: 2 })))?.status).toBe("resolved")
    })

    it("refuses the earlier claim of the same owner by its token", async () => {
      await using house = await makeHouse()
      await house.task("1")
      await house.store.claimTask(claimRequest("w1"))
      await release(house.store, house.key, "1")
      await house.store.claimTask(claimRequest("w1"))
      expect(await house.store.finishTask(finishRequest("1", { owner: "w1", token: 1 }))).toBeUndefined()
      expect((await house.store.finishTask(finishRequest("1", { owner: "w1", token: 2 })))?.status).toBe("resolved")
    })

    it.each(["open", "paused", "resolved", "failed", "skipped"] as const)(
      "refuses a task that is %s",
      async (status) => {
        await using house = await makeHouse()
        await house.task("1")
        await house.store.write((tx) => tx.tasks.update(house.key, parseTaskId("1"), { status, claimedBy: "w1" }))
        const before = await snapshot(house.store, house.key)
        for (const owner of ["w1", null]) {
          expect(await house.store.finishTask(finishRequest("1", { owner, evidence: [note("x")] }))).toBeUndefined()
        }
        expect(await snapshot(house.store, house.key)).toEqual(before)
      },
    )

    it("refuses what does not exist", async () => {
      await using house = await makeHouse()
      expect(await house.store.finishTask(finishRequest("1"))).toBeUndefined()
      expect(await house.store.finishTask(finishRequest("1", { team: "nobody" }))).toBeUndefined()
    })

    it("refuses while the attempt has evidence with a blocked pattern, until that is withdrawn", async () => {
      await using house = await makeHouse()
      const { id } = await house.task("1")
      await house.store.claimTask(claimRequest("w1"))
      await house.store.write((tx) =>
        tx.evidence.add(house.key, { taskId: id, attempt: 1, by: "w1", entries: [note("fine"), note("TODO", "TODO")] }),
      )
      const before = await snapshot(house.store, house.key)
      const request = finishRequest("1", { owner: "w1", evidence: [note("more")] })
      expect(await house.store.finishTask(request)).toBeUndefined()
      expect(await snapshot(house.store, house.key)).toEqual(before)
      await house.store.write((tx) => tx.evidence.withdraw(house.key, id, 2))
      expect((await house.store.finishTask(request))?.status).toBe("resolved")
    })

    it("does not mind blocked evidence of an earlier attempt or of another task", async () => {
      await using house = await makeHouse()
      const one = await house.task("1")
      const two = await house.task("2")
      await house.store.claimTask(claimRequest("w1"))
      await house.store.write(async (tx) => {
        await tx.evidence.add(house.key, { taskId: one.id, attempt: 1, by: "w1", entries: [note("TODO", "TODO")] })
        await tx.evidence.add(house.key, { taskId: two.id, attempt: 2, by: "w1", entries: [note("TODO", "TODO")] })
        await tx.tasks.update(house.key, one.id, { attempt: 2 })
      })
      expect((await house.store.finishTask(finishRequest("1", { owner: "w1" })))?.status).toBe("resolved")
    })

    it("lets exactly one of two finish", async () => {
      await using db = await makeDatabase()
      const stores = [await db.connect(), await db.connect()] as [Store, Store]
      const { key } = await makeTeam(stores[0])
      await makeTask(stores[0], key, "1")
      await stores[0].claimTask(claimRequest("w1"))
      const finished = await Promise.all(
        stores.map((store) => store.finishTask(finishRequest("1", { evidence: [note("x")] }))),
      )
      expect(finished.filter(Boolean)).toHaveLength(1)
      expect(await stores[0].read((tx) => tx.evidence.list(key, parseTaskId("1")))).toHaveLength(1)
    })

    it("is a part of the transaction it is called in", async () => {
      await using house = await makeHouse()
      await house.task("1")
      await house.task("2", { blockedBy: ["1"] })
      await house.store.claimTask(claimRequest("w1"))
      const before = await snapshot(house.store, house.key)
      const failing = house.store.write(async (tx) => {
        await tx.finishTask(finishRequest("1", { owner: "w1", evidence: [note("x")] }))
        expect((await tx.tasks.find(house.key, parseTaskId("2")))?.unmet).toBe(0)
        throw new Error("on purpose")
      })
      expect(await failing.catch((error: Error) => error.message)).toBe("on purpose")
      expect(await snapshot(house.store, house.key)).toEqual(before)
    })
  })

  describe(`${name}: waves`, () => {
    it("adds, replaces and drops waves, in order", async () => {
      await using house = await makeHouse()
      const { store, key } = house
      await store.write(async (tx) => {
        for (const number of [3, 1, 2])
          await tx.waves.put(key, { number, verdict: null, startedAt: null, verifiedAt: null })
        await tx.waves.put(key, { number: 1, verdict: "verified", startedAt: 1000, verifiedAt: 2000 })
      })
      expect(await store.read((tx) => tx.waves.list(key))).toEqual([
        {
          number: 1,
          verdict: "verified",
          startedAt: "1970-01-01T00:00:01.000Z",
          verifiedAt: "1970-01-01T00:00:02.000Z",
        },
        { number: 2, verdict: null, startedAt: null, verifiedAt: null },
        { number: 3, verdict: null, startedAt: null, verifiedAt: null },
      ])
      await store.write((tx) => tx.waves.dropAfter(key, 1))
      expect((await store.read((tx) => tx.waves.list(key))).map((wave) => wave.number)).toEqual([1])
    })
  })

  describe(`${name}: workers`, () => {
    const put = (house: House, id: string, change: Parameters<Tx["workers"]["put"]>[2] = {}) =>
      house.store.write((tx) => tx.workers.put(house.key, parseWorkerId(id), change))

    it("adds a worker, then changes the given fields only", async () => {
      await using house = await makeHouse()
      expect(await put(house, "w1", { role: "docs", sessionId: "s1" })).toMatchObject({
        id: parseWorkerId("w1"),
        role: "docs",
        sessionId: "s1",
        status: "idle",
        currentTask: null,
        tasksCompleted: [],
      })
      expect(await put(house, "w1", { availability: "paused" })).toMatchObject({
        role: "docs",
        sessionId: "s1",
        status: "paused",
      })
      expect(await put(house, "w1")).toMatchObject({ role: "docs", sessionId: "s1", status: "paused" })
    })

    it("hears of a worker whenever it is put", async () => {
      await using house = await makeHouse()
      const first = await put(house, "w1")
      const later = await until(async () => {
        const worker = await put(house, "w1")
        return worker.lastHeartbeat > first.lastHeartbeat && worker
      })
      expect(later.createdAt).toBe(first.createdAt)
    })

    it("tells what a worker does and has done from its tasks", async () => {
      await using house = await makeHouse()
      for (const id of ["1", "2", "3"]) await house.task(id)
      for (const id of ["1", "2"]) {
        await house.store.claimTask(claimRequest("w1", { taskId: id }))
        await house.store.finishTask(finishRequest(id, { owner: "w1" }))
      }
      await house.store.claimTask(claimRequest("w1"))
      const find = () => house.store.read((tx) => tx.workers.find(house.key, parseWorkerId("w1")))
      const list = () => house.store.read((tx) => tx.workers.list(house.key))
      const { tasksCompleted, ...now } = (await list())[0] as Worker
      expect(tasksCompleted).toEqual(["1", "2"].map(parseTaskId))
      expect(now).toMatchObject({ status: "working", currentTask: parseTaskId("3") })
      expect(await find()).toEqual(now)
      expect(await house.store.read((tx) => tx.workers.count(house.key))).toEqual({ total: 1, working: 1 })
      await house.store.finishTask(finishRequest("3", { owner: "w1" }))
      expect(await find()).toMatchObject({ status: "idle", currentTask: null })
      expect(await house.store.read((tx) => tx.workers.count(house.key))).toEqual({ total: 1, working: 0 })
    })

    it("names the task a worker claimed last when it holds several", async () => {
      await using house = await makeHouse()
      for (const id of ["1", "2", "3"]) await house.task(id)
      for (const taskId of ["3", "1"]) {
        await house.store.claimTask(claimRequest("w1", { taskId }))
        const { claimedAt } = await getTask(house.store, house.key, taskId)
        await until(async () => (await house.store.read((tx) => tx.now())) > Date.parse(claimedAt ?? ""))
      }
      await house.store.claimTask(claimRequest("w2"))
      const [one] = await house.store.read((tx) => tx.workers.list(house.key))
      const found = await house.store.read((tx) => tx.workers.find(house.key, parseWorkerId("w1")))
      expect([one?.currentTask, found?.currentTask]).toEqual([parseTaskId("1"), parseTaskId("1")])
    })

    it("lists workers in creation order", async () => {
      await using house = await makeHouse()
      for (const id of ["w2", "w10", "w1"]) {
        const { createdAt } = await put(house, id)
        await until(async () => (await house.store.read((tx) => tx.now())) > Date.parse(createdAt))
      }
      const workers = await house.store.read((tx) => tx.workers.list(house.key))
      expect(workers.map((worker) => String(worker.id))).toEqual(["w2", "w10", "w1"])
    })

    it("hands out numbers one after the other, and passes over names in use", async () => {
      await using house = await makeHouse()
      const take = () => house.store.write((tx) => tx.workers.takeId(house.key))
      expect(String(await take())).toBe("w1")
      await put(house, "w2")
      await put(house, "w3")
      expect(String(await take())).toBe("w4")
    })

    it("hands out each number once, to many at the same time", async () => {
      await using db = await makeDatabase()
      const stores = [await db.connect(), await db.connect()]
      const { key } = await makeTeam(stores[0] as Store)
      const ids = await Promise.all(
        stores.flatMap((store) => Array.from({ length: 5 }, () => store.write((tx) => tx.workers.takeId(key)))),
      )
      expect(new Set(ids).size).toBe(10)
    })

    it("does not use the number of a worker that ever existed again, not even in the next run", async () => {
      await using house = await makeHouse()
      await put(house, String(await house.store.write((tx) => tx.workers.takeId(house.key))))
      await put(house, "w5")
      const { key } = await house.store.write(async (tx) => {
        const team = await tx.teams.lock(TEAM)
        if (team === undefined) throw new Error("no team")
        return tx.teams.startRun(team, team)
      })
      expect(await house.store.read((tx) => tx.workers.list(key))).toEqual([])
      const take = () => house.store.write((tx) => tx.workers.takeId(key))
      const numbers = [await take(), await take(), await take(), await take(), await take()].map(String)
      expect(numbers).not.toContain("w1")
      expect(numbers).not.toContain("w5")
    })
  })

  describe(`${name}: messages`, () => {
    const send = (
      store: Store,
      key: number,
      id: string,
      change: { to?: string; type?: "text" | "shutdown_request" } = {},
    ) =>
      store.write((tx) =>
        tx.messages.send(key, "orchestrator", {
          id,
          from: "orchestrator",
          to: "w1",
          type: "text",
          payload: { message: id },
          ...change,
        }),
      )

    it("keeps what was sent, in the order it was sent", async () => {
      await using house = await makeHouse()
      const payload = { message: "Grüße 👋\u0000\n", nested: { list: [1, null, "x"], no: false } }
      const sent = await house.store.write((tx) =>
        tx.messages.send(house.key, "w1", { id: "m0", from: "w1", to: "w2", type: "text", payload }),
      )
      expect(sent).toMatchObject({
        id: "m0",
        from: "w1",
        to: "w2",
        type: "text",
        payload,
        read: false,
        deliveredAt: null,
      })
      for (let number = 1; number <= 15; number++) await send(house.store, house.key, `m${number}`, { to: "w2" })
      const inbox = await house.store.read((tx) => tx.messages.list(house.key, "w2", {}))
      expect(inbox[0]).toEqual(sent)
      expect(inbox.map((message) => message.id)).toEqual(Array.from({ length: 16 }, (_, index) => `m${index}`))
    })

    it("filters by inbox, type, unread and number", async () => {
      await using house = await makeHouse()
      const { store, key } = house
      await send(store, key, "a")
      await send(store, key, "b", { type: "shutdown_request" })
      await send(store, key, "c")
      await send(store, key, "other", { to: "w2" })
      await store.write((tx) => tx.messages.take(key, "w1", { limit: 1 }))
      const ids = async (filter: Parameters<Tx["messages"]["list"]>[2]) =>
        (await store.read((tx) => tx.messages.list(key, "w1", filter))).map((message) => message.id)
      expect(await ids({})).toEqual(["a", "b", "c"])
      expect(await ids({ unreadOnly: true })).toEqual(["b", "c"])
      expect(await ids({ type: "shutdown_request" })).toEqual(["b"])
      expect(await ids({ unreadOnly: true, type: "text" })).toEqual(["c"])
      expect(await ids({ limit: 2 })).toEqual(["a", "b"])
      expect(await store.read((tx) => tx.messages.countUnread(key))).toEqual([
        { inbox: "w1", unread: 2 },
        { inbox: "w2", unread: 1 },
      ])
    })

    it("shows a taken message as it was, and as read from then on", async () => {
      await using house = await makeHouse()
      await send(house.store, house.key, "a")
      const taken = await house.store.write((tx) => tx.messages.take(house.key, "w1", { unreadOnly: true }))
      expect(taken).toMatchObject([{ id: "a", read: false }])
      expect(await house.store.write((tx) => tx.messages.take(house.key, "w1", { unreadOnly: true }))).toEqual([])
      const [message] = await house.store.write((tx) => tx.messages.take(house.key, "w1", {}))
      expect(message).toMatchObject({ id: "a", read: true })
      expect(message?.deliveredAt).not.toBeNull()
    })

    it("shows each message as new to exactly one of two readers at once", async () => {
      await using db = await makeDatabase()
      const stores = [await db.connect(), await db.connect(), await db.connect()] as [Store, Store, Store]
      const { key } = await makeTeam(stores[0])
      const ids = Array.from({ length: 30 }, (_, index) => `m${index}`)
      const seen: string[] = []
      const read = async (store: Store, filter: { unreadOnly?: boolean; limit?: number }) => {
        while (seen.length < ids.length) {
          const messages = await store.write((tx) => tx.messages.take(key, "w1", filter))
          seen.push(...messages.filter((message) => !message.read).map((message) => message.id))
        }
      }
      await Promise.all([
        (async () => {
          for (const id of ids) await send(stores[0], key, id)
        })(),
        read(stores[1], { unreadOnly: true }),
        read(stores[2], {}),
      ])
      expect(seen.toSorted()).toEqual(ids.toSorted())
    })

    it("loses none of many messages sent at once", async () => {
      await using db = await makeDatabase()
      const stores = [await db.connect(), await db.connect(), await db.connect()]
      const { key } = await makeTeam(stores[0] as Store)
      const ids = Array.from({ length: 30 }, (_, index) => `m${index}`)
      await Promise.all(ids.map((id, index) => send(stores[index % 3] as Store, key, id)))
      const inbox = await (stores[0] as Store).read((tx) => tx.messages.list(key, "w1", {}))
      expect(inbox.map((message) => message.id).toSorted()).toEqual(ids.toSorted())
    })
  })

  describe(`${name}: evidence`, () => {
    it("numbers the entries of each task from 1", async () => {
      await using house = await makeHouse()
      const [one, two] = [await house.task("1"), await house.task("2")]
      const facts = { command: "npm test", exitCode: 0, output: "ok 👍", durationMs: 12, commit: "abc" }
      await house.store.write(async (tx) => {
        await tx.evidence.add(house.key, { taskId: one.id, attempt: 1, by: "w1", entries: [note("a")] })
        await tx.evidence.add(house.key, {
          taskId: two.id,
          attempt: 1,
          by: "w2",
          entries: [{ type: "command", trust: "attested", text: "", facts, blockedPattern: null }],
        })
        await tx.evidence.add(house.key, {
          taskId: one.id,
          attempt: 2,
          by: "person",
          entries: [note("b"), note("c", "TODO")],
        })
        await tx.evidence.add(house.key, { taskId: one.id, attempt: 2, by: "person", entries: [] })
      })
      const [mine, others] = await house.store.read(async (tx) => [
        await tx.evidence.list(house.key, one.id),
        await tx.evidence.list(house.key, two.id),
      ])
      expect(mine.map((entry) => [entry.number, entry.attempt, entry.text, entry.by, entry.blockedPattern])).toEqual([
        [1, 1, "a", "w1", null],
        [2, 2, "b", "person", null],
        [3, 2, "c", "person", "TODO"],
      ])
      expect(others).toMatchObject([
        { taskId: two.id, number: 1, type: "command", trust: "attested", facts, withdrawnAt: null },
      ])
    })

    it("keeps a withdrawn entry and its number", async () => {
      await using house = await makeHouse()
      const { id } = await house.task("1")
      await house.store.write(async (tx) => {
        await tx.evidence.add(house.key, { taskId: id, attempt: 1, by: "w1", entries: [note("a"), note("b")] })
        await tx.evidence.withdraw(house.key, id, 1)
        await tx.evidence.add(house.key, { taskId: id, attempt: 1, by: "w1", entries: [note("c")] })
      })
      const entries = await house.store.read((tx) => tx.evidence.list(house.key, id))
      expect(entries.map((entry) => [entry.number, entry.text, entry.withdrawnAt !== null])).toEqual([
        [1, "a", true],
        [2, "b", false],
        [3, "c", false],
      ])
    })

    it("goes with its task", async () => {
      await using house = await makeHouse()
      const { id } = await house.task("1")
      await house.store.write(async (tx) => {
        await tx.evidence.add(house.key, { taskId: id, attempt: 1, by: "w1", entries: [note("a")] })
        await tx.tasks.remove(house.key, id)
      })
      expect(await house.store.read((tx) => tx.evidence.list(house.key, id))).toEqual([])
    })
  })

  describe(`${name}: verdicts`, () => {
    it("keeps every verdict, in order", async () => {
      await using house = await makeHouse()
      const checks = [
        { name: "build", status: "passed", evidence: "ok" } as const,
        { name: "lint", status: "skipped" } as const,
      ]
      const wave = { scope: "wave", subject: "1", status: "failed", checks, issues: ["broken"], by: "w1" } as const
      const final = { scope: "final", subject: null, status: "passed", checks: [], issues: [], by: "person" } as const
      const added = await house.store.write((tx) => tx.verdicts.add(house.key, wave))
      await house.store.write((tx) => tx.verdicts.add(house.key, final))
      expect(added).toMatchObject(wave)
      expect(await house.store.read((tx) => tx.verdicts.list(house.key))).toMatchObject([wave, final])
    })

    it("tells those of the team apart from those of single tasks", async () => {
      await using house = await makeHouse()
      const task = { scope: "task", subject: "1", status: "passed", checks: [], issues: [], by: "gate" } as const
      const wave = { ...task, scope: "wave" } as const
      await house.store.write((tx) => tx.verdicts.add(house.key, task))
      await house.store.write((tx) => tx.verdicts.add(house.key, wave))
      expect(await house.store.read((tx) => tx.verdicts.listOfTeam(house.key))).toMatchObject([wave])
    })
  })

  describe(`${name}: events`, () => {
    it("come with each message and each entry of evidence", async () => {
      await using house = await makeHouse()
      const { id: taskId } = await house.task("1")
      await house.store.write(async (tx) => {
        await tx.evidence.add(house.key, { taskId, attempt: 1, by: "w1", entries: [note("a"), note("b")] })
        await tx.messages.send(house.key, "w1", { id: "m1", from: "w2", to: "w3", type: "text", payload: {} })
      })
      const added = { type: "evidence.added", by: "w1", data: { task: "1", type: "note", trust: "reported" } }
      const sent = { type: "message.sent", by: "w1", data: { id: "m1", from: "w2", to: "w3", type: "text" } }
      const events = await allEvents(house.store, house.key)
      expect(events).toMatchObject([added, added, sent])
    })

    const resumed = { type: "team.resumed", data: {} } as const
    const paused = { type: "team.paused", data: { reason: "lunch" } } as const

    it("come in the order they were written, with who and when", async () => {
      await using house = await makeHouse()
      const now = await house.store.write(async (tx) => {
        await tx.events.append(house.key, "w1", paused)
        await tx.events.append(house.key, "person", resumed)
        return tx.now()
      })
      const events = await allEvents(house.store, house.key)
      const timestamp = new Date(now).toISOString()
      expect(events).toMatchObject([
        { type: "team.paused", by: "w1", data: { reason: "lunch" }, version: 1, timestamp },
        { type: "team.resumed", by: "person", data: {}, version: 1, timestamp },
      ])
      expect((events[1]?.seq ?? 0) > (events[0]?.seq ?? 0)).toBe(true)
    })

    it("are paged by cursor without a gap or a repeat, and go on from where a reader was", async () => {
      await using house = await makeHouse()
      const { store, key } = house
      for (let number = 0; number < 10; number++)
        await store.write((tx) => tx.events.append(key, `w${number}`, resumed))
      const seen: string[] = []
      let after: string | undefined
      for (;;) {
        const page = await store.read((tx) => tx.events.list(key, { after, limit: 3 }))
        if (page.events.length === 0) {
          expect(page.cursor).toBe(after as string)
          break
        }
        expect(page.cursor).toBe(page.events.at(-1)?.cursor as string)
        seen.push(...page.events.map((event) => event.by))
        after = page.cursor
      }
      expect(seen).toEqual(Array.from({ length: 10 }, (_, index) => `w${index}`))
      await store.write((tx) => tx.events.append(key, "late", resumed))
      const page = await store.read((tx) => tx.events.list(key, { after, limit: 3 }))
      expect(page.events.map((event) => event.by)).toEqual(["late"])
    })

    it("give a cursor to start with where there is none yet", async () => {
      await using house = await makeHouse()
      const empty = await house.store.read((tx) => tx.events.list(house.key, { limit: 5 }))
      expect(empty.events).toEqual([])
      await house.store.write((tx) => tx.events.append(house.key, "w1", resumed))
      const page = await house.store.read((tx) => tx.events.list(house.key, { after: empty.cursor, limit: 5 }))
      expect(page.events).toHaveLength(1)
    })

    it("are filtered by type", async () => {
      await using house = await makeHouse()
      for (const event of [paused, resumed, paused, resumed]) {
        await house.store.write((tx) => tx.events.append(house.key, "w1", event))
      }
      const page = await house.store.read((tx) => tx.events.list(house.key, { type: "team.paused", limit: 1 }))
      expect(page.events.map((event) => event.type)).toEqual(["team.paused"])
      const rest = await house.store.read((tx) =>
        tx.events.list(house.key, { type: "team.paused", after: page.cursor, limit: 5 }),
      )
      expect(rest.events).toHaveLength(1)
    })

    it("have a tail: the newest few, of all or of one type", async () => {
      await using house = await makeHouse()
      const { store, key } = house
      for (let number = 0; number < 6; number++) {
        await store.write((tx) => tx.events.append(key, `w${number}`, number % 2 === 0 ? paused : resumed))
      }
      const tail = async (count: number, type?: EventType) =>
        store.read(async (tx) => {
          const after = await tx.events.tailCursor(key, { count, type })
          return (await tx.events.list(key, { after, type, limit: 100 })).events.map((event) => event.by)
        })
      expect(await tail(2)).toEqual(["w4", "w5"])
      expect(await tail(2, "team.paused")).toEqual(["w2", "w4"])
      expect(await tail(100)).toHaveLength(6)
      expect(await tail(0)).toEqual([])
    })

    it("of one task are found by it, whatever their type, in their order and from a cursor on", async () => {
      await using house = await makeHouse()
      const { store, key } = house
      const other = await makeTeam(store, { team: "other" })
      const updated = (task: string): NewEvent => ({
        type: "task.updated",
        data: { task: parseTaskId(task), fields: [] },
      })
      const freed = (task: string | null): NewEvent => ({
        type: "record.added",
        data: { kind: "wisdom", number: 1, task: task === null ? null : parseTaskId(task), status: "kept", about: "" },
      })
      const events = [updated("1"), updated("2"), freed("1"), freed(null), paused, updated("1"), updated("11")]
      for (const [number, event] of events.entries())
        await store.write((tx) => tx.events.append(key, `w${number}`, event))
      await store.write((tx) => tx.events.append(other.key, "else", updated("1")))
      const [task, type] = [parseTaskId("1"), "task.updated" as const]
      const by = (page: { events: readonly Event[] }) => page.events.map((event) => event.by)
      await store.read(async (tx) => {
        const first = await tx.events.list(key, { task, limit: 2 })
        expect(by(first)).toEqual(["w0", "w2"])
        expect(by(await tx.events.list(key, { task, after: first.cursor, limit: 9 }))).toEqual(["w5"])
        expect(by(await tx.events.list(key, { task, type, limit: 9 }))).toEqual(["w0", "w5"])
        const after = await tx.events.tailCursor(key, { count: 0, task, type: "record.added" })
        expect(by(await tx.events.list(key, { after, task, limit: 9 }))).toEqual(["w5"])
        expect(by(await tx.events.list(key, { task: parseTaskId("3"), limit: 9 }))).toEqual([])
      })
    })

    it("of one team stay out of another's", async () => {
      await using house = await makeHouse()
      const other = await makeTeam(house.store, { team: "other" })
      for (const key of [house.key, other.key, house.key])
        await house.store.write((tx) => tx.events.append(key, "w1", resumed))
      expect(await allEvents(house.store, house.key)).toHaveLength(2)
      expect(await allEvents(house.store, other.key)).toHaveLength(1)
    })

    it("reach a reader that follows by cursor, none passed over and none twice, while many write", async () => {
      await using db = await makeDatabase()
      const stores = await Promise.all(Array.from({ length: 4 }, () => db.connect()))
      const reader = stores[0] as Store
      const { key } = await makeTeam(reader)
      const writers = stores.slice(1)
      let isWriting = true
      const writing = Promise.all(
        writers.map(async (store, writer) => {
          for (let number = 0; number < 15; number++) {
            await store.write(async (tx) => {
              await tx.events.append(key, `${writer}.${number}.a`, resumed)
              if ((number + writer) % 3 === 0) await tx.tasks.list(key)
              await tx.events.append(key, `${writer}.${number}.b`, resumed)
            })
          }
        }),
      ).finally(() => {
        isWriting = false
      })
      await using watch = await reader.watch()
      const seen: string[] = []
      let after: string | undefined
      for (;;) {
        const wasWriting = isWriting
        const page = await reader.read((tx) => tx.events.list(key, { after, limit: 7 }))
        seen.push(...page.events.map((event) => event.by))
        after = page.cursor
        if (page.events.length === 7) continue
        if (!wasWriting && page.events.length === 0) break
        await watch.next(20)
      }
      await writing
      expect(seen).toHaveLength(90)
      expect(new Set(seen).size).toBe(90)
      expect((await allEvents(reader, key)).map((event) => event.by)).toEqual(seen)
    })

    it("have the shape their type promises, those of claim and finish too", async () => {
      await using house = await makeHouse()
      await fillTeam(house.store, house.team)
      // Whatever does not fit is refused when it is read.
      expect((await allEvents(house.store, house.key)).length).toBeGreaterThan(5)
    })
  })

  describe(`${name}: loops`, () => {
    it("keeps one state per terminal", async () => {
      await using house = await makeHouse()
      const { store } = house
      const state = { terminalId: "t1", active: true, ...TEAM, role: "docs" } as const
      const put = await store.write((tx) => tx.loops.put(state))
      expect(put).toMatchObject(state)
      expect(await store.read((tx) => tx.loops.find("t1"))).toEqual(put)
      await store.write((tx) => tx.loops.put({ ...state, active: false, role: null }))
      await store.write((tx) => tx.loops.put({ ...state, terminalId: "t0" }))
      const found = await store.read(async (tx) => [await tx.loops.find("t0"), await tx.loops.find("t1")])
      expect(found).toMatchObject([
        { terminalId: "t0", active: true, role: "docs" },
        { terminalId: "t1", active: false, role: null },
      ])
      expect(await store.write((tx) => tx.loops.remove("t1"))).toBe(true)
      expect(await store.write((tx) => tx.loops.remove("t1"))).toBe(false)
      expect(await store.read((tx) => tx.loops.find("t1"))).toBeUndefined()
    })
  })

  describe(`${name}: watch`, () => {
    it("wakes for a commit of another connection", async () => {
      await using db = await makeDatabase()
      const [first, second] = [await db.connect(), await db.connect()]
      const { key } = await makeTeam(first)
      await using watch = await first.watch()
      const woken = watch.next(10_000)
      await makeTask(second, key, "1")
      expect(await woken).toBe(true)
    })

    it("wakes for a commit of the same store", async () => {
      await using house = await makeHouse()
      await using watch = await house.store.watch()
      const woken = watch.next(10_000)
      await house.task("1")
      expect(await woken).toBe(true)
    })

    it("does not miss what was committed between watch and next", async () => {
      await using db = await makeDatabase()
      const [first, second] = [await db.connect(), await db.connect()]
      const { key } = await makeTeam(first)
      await using watch = await first.watch()
      await makeTask(second, key, "1")
      expect(await watch.next(10_000)).toBe(true)
      await first.claimTask(claimRequest("w1"))
      expect(await watch.next(10_000)).toBe(true)
      await second.finishTask(finishRequest("1", { owner: "w1" }))
      expect(await watch.next(10_000)).toBe(true)
    })

    it("answers false when nothing happens in time", async () => {
      await using house = await makeHouse()
      await using watch = await house.store.watch()
      // A notice of the set-up may still be under way.
      await until(async () => (await watch.next(50)) === false)
      expect(await watch.next(0)).toBe(false)
      await house.store.read((tx) => tx.teams.list())
      expect(await watch.next(20)).toBe(false)
    })

    it("does not wake for a write that was undone", async () => {
      await using house = await makeHouse()
      await using watch = await house.store.watch()
      await until(async () => (await watch.next(50)) === false)
      const failing = house.store.write(async (tx) => {
        await tx.tasks.create(house.key, parseTaskId("1"), brief(), null)
        throw new Error("on purpose")
      })
      await failing.catch(() => {})
      expect(await watch.next(50)).toBe(false)
    })

    it("ends early when the signal fires", async () => {
      await using house = await makeHouse()
      await using watch = await house.store.watch()
      await until(async () => (await watch.next(50)) === false)
      const controller = new AbortController()
      const asked = performance.now()
      const waiting = watch.next(60_000, controller.signal)
      controller.abort()
      expect(await waiting).toBe(false)
      expect(performance.now() - asked).toBeLessThan(10_000)
      expect(await watch.next(60_000, controller.signal)).toBe(false)
    })

    it("wakes every watcher, each on its own", async () => {
      await using db = await makeDatabase()
      const [first, second] = [await db.connect(), await db.connect()]
      const { key } = await makeTeam(first)
      await using one = await first.watch()
      await using two = await first.watch()
      await using three = await second.watch()
      await makeTask(second, key, "1")
      expect(await Promise.all([one, two, three].map((watch) => watch.next(10_000)))).toEqual([true, true, true])
    })
  })
}

interface House extends AsyncDisposable {
  readonly db: TestDatabase
  readonly store: Store
  readonly team: StoredTeam
  readonly key: number
  readonly task: (id: string, change?: Parameters<typeof makeTask>[3]) => ReturnType<typeof makeTask>
  readonly get: (id: string) => ReturnType<typeof getTask>
  readonly eventTypes: () => Promise<Event["type"][]>
}

async function resolve(store: Store, id: string): Promise<void> {
  await store.claimTask(claimRequest("resolver", { taskId: id }))
  const task = await store.finishTask(finishRequest(id, { owner: "resolver" }))
  if (task === undefined) throw new Error(`task ${id} could not be resolved`)
}

async function release(store: Store, key: number, id: string): Promise<void> {
  await store.write((tx) =>
    tx.tasks.update(key, parseTaskId(id), { status: "open", claimedBy: null, leaseUntil: null }),
  )
}

/** Something of everything a team can own. */
async function fillTeam(store: Store, team: StoredTeam): Promise<void> {
  const { key } = team
  await makeTask(store, key, "1", { wave: 1 })
  await makeTask(store, key, "2", { wave: 1, blockedBy: ["1"] })
  await store.claimTask(claimRequest("w1", { team: team.team, role: "docs" }))
  const notice = { id: `notice-${key}`, payload: { worker_id: "w1" } }
  await store.finishTask(finishRequest("1", { team: team.team, owner: "w1", evidence: [note("a")], notice }))
  await store.write(async (tx) => {
    await tx.waves.put(key, { number: 1, verdict: null, startedAt: null, verifiedAt: null })
    await tx.verdicts.add(key, { scope: "task", subject: "1", status: "passed", checks: [], issues: [], by: "w1" })
    await tx.events.append(key, "w1", {
      type: "task.created",
      data: { task: parseTaskId("2"), title: "x", blocked_by: [parseTaskId("1")] },
    })
  })
}
