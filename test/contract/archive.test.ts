// Whole teams out of a store and back into one: nothing may get lost on the way, between any two stores.
import { describe, expect, it } from "bun:test"
import type { PastEvent, TeamSnapshot } from "../../src/files/snapshot.ts"
import { parseTaskId } from "../../src/kernel/ids.ts"
import type { Store } from "../../src/store/port.ts"
import {
  allEvents,
  claimRequest,
  finishRequest,
  getTask,
  makeTask,
  makeTeam,
  note,
  STORES,
  snapshot,
  TEAM,
} from "../support/stores.ts"

/** A team with something of everything. */
async function makeBusyTeam(store: Store): Promise<number> {
  const { key } = await makeTeam(store, { goal: "größer 🚀", phase: "EXECUTION", mode: "SUPERVISED" })
  await makeTask(store, key, "b", { wave: 1, files: ["src/**"], checks: ["true"], acceptance: ["shines"] })
  await makeTask(store, key, "a", { wave: 2, blockedBy: ["b"], role: "docs", assignee: null, agentType: "writer" })
  await makeTask(store, key, "c", { wave: 1 })
  await store.claimTask(claimRequest("w1", { taskId: "b", role: "backend" }))
  await store.finishTask(
    finishRequest("b", {
      owner: "w1",
      evidence: [note("it shines ✨"), note("WIP", "WIP")].slice(0, 1),
      notice: { id: "m1", payload: { worker_id: "w1" } },
    }),
  )
  await store.claimTask(claimRequest("w2", { taskId: "c" }))
  await store.write(async (tx) => {
    await tx.waves.put(key, { number: 1, verdict: "verified", startedAt: 1000, verifiedAt: 2000 })
    await tx.waves.put(key, { number: 2, verdict: null, startedAt: null, verifiedAt: null })
    await tx.verdicts.add(key, { scope: "wave", subject: "1", status: "passed", checks: [], issues: ["x"], by: "w9" })
    const ask = { taskId: parseTaskId("c"), attempt: 1, pattern: "größe/**", reason: "needed", by: "w2" }
    await tx.exceptions.ask(key, ask)
    await tx.exceptions.ask(key, { ...ask, pattern: "package.json" })
    const word = { status: "denied", by: "orchestrator", decision: "no", attempt: 1 } as const
    await tx.exceptions.decide(key, { taskId: ask.taskId, number: 2 }, word)
    await tx.messages.take(key, "orchestrator", {})
    await tx.messages.send(key, "w1", { id: "m2", from: "w1", to: "w2", type: "text", payload: { message: "hi" } })
    await tx.loops.put({ terminalId: "t1", active: true, ...TEAM, role: "docs" })
    await tx.documents.put(key, { path: "wisdom/learnings.md", content: "# kept\r\n", encoding: "utf8", by: "w1" })
    await tx.teams.takeTaskNumber(key)
    await tx.workers.takeId(key)
    await tx.events.append(key, "person", { type: "team.paused", data: { reason: null } })
  })
  return key
}

async function readAll(store: Store, key: number): Promise<{ whole: TeamSnapshot; history: PastEvent[] }> {
  const history = (await allEvents(store, key)).map(({ seq: _, cursor: __, ...event }) => event)
  return { whole: await store.read((tx) => tx.archive.read(key)), history }
}

for (const [from, makeFrom] of Object.entries(STORES)) {
  for (const [to, makeTo] of Object.entries(STORES)) {
    describe(`a team from ${from} to ${to}`, () => {
      it("is the same in everything", async () => {
        await using source = await makeFrom()
        await using target = await makeTo()
        const [first, second] = [await source.connect(), await target.connect()]
        const { whole, history } = await readAll(first, await makeBusyTeam(first))
        expect(whole).toMatchObject({
          tasks: [{ id: "b" }, { id: "a" }, { id: "c", exceptions: [{}, {}] }],
          documents: [{}],
          loops: [{}],
        })
        const key = await second.write((tx) => tx.archive.restore(whole, history))
        if (key === undefined) throw new Error("was not restored")
        expect(await readAll(second, key)).toEqual({ whole, history })
        expect((await getTask(second, key, "a")).unmet).toBe(0)
      })
    })
  }
}

for (const [name, makeDatabase] of Object.entries(STORES)) {
  describe(`${name}: archive`, () => {
    it("leaves a team of the same name as it is", async () => {
      await using db = await makeDatabase()
      const store = await db.connect()
      const key = await makeBusyTeam(store)
      const { whole, history } = await readAll(store, key)
      const before = await snapshot(store, key)
      expect(await store.write((tx) => tx.archive.restore(whole, history))).toBeUndefined()
      expect(await snapshot(store, key)).toEqual(before)
    })

    it("goes on where the team was: claims hold, unmet needs count, numbers go on", async () => {
      await using source = await makeDatabase()
      await using target = await makeDatabase()
      const [first, second] = [await source.connect(), await target.connect()]
      const { whole, history } = await readAll(first, await makeBusyTeam(first))
      const key = (await second.write((tx) => tx.archive.restore(whole, history))) ?? -1
      expect(await second.claimTask(claimRequest("w3", { taskId: "c" }))).toBeUndefined()
      expect((await second.claimTask(claimRequest("w2", { taskId: "c" })))?.renewed).toBe(true)
      expect(await second.write((tx) => tx.teams.takeTaskNumber(key))).toBe(2)
      expect((await second.claimTask(claimRequest("w3")))?.task.id as string).toBe("a")
    })

    it.each([
      ["waves", ["early", "late"]],
      ["eager", ["late", "early"]],
    ] as const)("brings back the order of claims: %s", async (schedule, order) => {
      await using source = await makeDatabase()
      await using target = await makeDatabase()
      const [first, second] = [await source.connect(), await target.connect()]
      const { key } = await makeTeam(first, { phase: "EXECUTION", schedule })
      for (const id of ["early", "late"]) await makeTask(first, key, id)
      await first.write((tx) =>
        tx.tasks.setWaves(key, [
          { id: "early", wave: 1, height: 0 },
          { id: "late", wave: 2, height: 5 },
        ]),
      )
      const { whole, history } = await readAll(first, key)
      await second.write((tx) => tx.archive.restore(whole, history))
      const taken = [await second.claimTask(claimRequest("w1")), await second.claimTask(claimRequest("w1"))]
      expect(taken.map((claimed) => claimed?.task.id as string)).toEqual([...order])
    })

    it("reads single tasks, and messages from a place on", async () => {
      await using db = await makeDatabase()
      const store = await db.connect()
      const key = await makeBusyTeam(store)
      const { whole } = await readAll(store, key)
      const ids = ["c", "nothing", "b"] as (typeof whole.tasks)[number]["id"][]
      const tasks = await store.read((tx) => tx.archive.tasks(key, ids))
      expect(tasks).toEqual([whole.tasks[2], whole.tasks[0]] as typeof tasks)
      expect(await store.read((tx) => tx.archive.messages(key, 1))).toEqual(whole.messages.slice(1))
    })

    it("lists documents in one order, whatever their letters", async () => {
      await using db = await makeDatabase()
      const store = await db.connect()
      const { key } = await makeTeam(store)
      const paths = ["b", "\uff5e", "\u{1f680}", "B", "a/b", "é"]
      for (const path of paths) {
        await store.write((tx) => tx.documents.put(key, { path, content: "", encoding: "utf8", by: "w1" }))
      }
      const listed = await store.read((tx) => tx.documents.list(key))
      expect(listed.map((document) => document.path)).toEqual(paths.toSorted())
    })

    it("forgets documents with the team", async () => {
      await using db = await makeDatabase()
      const store = await db.connect()
      const key = await makeBusyTeam(store)
      await store.write((tx) => tx.teams.remove(key))
      expect(await store.read((tx) => tx.documents.list(key))).toEqual([])
    })
  })
}
