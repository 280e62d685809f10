// Sessions that join and leave a team, on every store.
import { describe, expect, it } from "bun:test"
import { loopState } from "../../src/sessions/operations/read-loop-state.ts"
import { readSeat } from "../../src/sessions/operations/read-seat.ts"
import { join, leave } from "../../src/sessions/operations/seats.ts"
import { NO_MEMORY, noteSeen } from "../../src/sessions/seat.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import { updateTask } from "../../src/tasks/operations/update-task.ts"
import { cleanTeam } from "../../src/teams/operations/clean-team.ts"
import { createTeam } from "../../src/teams/operations/create-team.ts"
import {
  allEvents,
  getTask,
  type MakeDatabase,
  openTestTeam,
  refusal,
  run,
  STORES,
  snapshot,
  TEAM,
} from "../support/stores.ts"

for (const [name, makeDatabase] of Object.entries(STORES)) describe(name, () => seatsContract(makeDatabase))

async function makeHouse(makeDatabase: MakeDatabase) {
  const { db, store, testTeam, key } = await openTestTeam(makeDatabase)
  return {
    testTeam,
    store,
    key,
    loop: (terminalId: string) => run(testTeam, loopState, { terminalId, get: true }),
    events: async (type: string) => {
      const events = (await allEvents(store, key)).filter((event) => event.type.startsWith(type))
      return events.map((event) => event.data)
    },
    refused: async (work: () => Promise<unknown>) => {
      const before = await snapshot(store, key)
      const error = await refusal(work())
      expect(await snapshot(store, key)).toEqual(before)
      return error
    },
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]()
      await db[Symbol.asyncDispose]()
    },
  }
}

function seatsContract(makeDatabase: MakeDatabase): void {
  it("makes a session a worker with a number of its own, and again the same one", async () => {
    await using h = await makeHouse(makeDatabase)
    const first = await run(h.testTeam, join, { terminalId: "s1", role: "docs", loop: true })
    expect(first).toMatchObject({ ...TEAM, terminalId: "s1", part: "worker", worker: "w1", role: "docs", loop: true })
    expect(await run(h.testTeam, join, { terminalId: "s1" })).toEqual(first)
    expect((await run(h.testTeam, join, { terminalId: "s2" })).worker as string).toBe("w2")
    expect(await h.loop("s1")).toMatchObject({ active: true, ...TEAM, role: "docs" })
    expect(await h.loop("s2")).toEqual({ active: false })
    expect(await h.events("seat.taken")).toEqual([
      { terminal: "s1", part: "worker", worker: "w1", delegation: "lead" },
      { terminal: "s2", part: "worker", worker: "w2", delegation: "lead" },
    ])
  })

  it("gives back what a session holds when it leaves, and nothing else", async () => {
    await using h = await makeHouse(makeDatabase)
    for (const id of ["1", "2", "3"]) await run(h.testTeam, createTask, { id, title: `Task ${id}` })
    await run(h.testTeam, join, { terminalId: "s1", loop: true })
    await run(h.testTeam, claimTask, { id: "1", owner: "w1" })
    await run(h.testTeam, updateTask, { id: "1", owner: "w1", status: "resolved" })
    await run(h.testTeam, claimTask, { id: "2", owner: "w1" })
    await run(h.testTeam, claimTask, { id: "3", owner: "w2" })
    expect(await run(h.testTeam, leave, { terminalId: "s1", reason: "lunch" })).toMatchObject({ released: ["2"] })
    const statuses = await Promise.all(["1", "2", "3"].map(async (id) => (await getTask(h.store, h.key, id)).status))
    expect(statuses).toEqual(["resolved", "open", "in_progress"])
    expect(await readSeat(h.testTeam, "s1")).toBeUndefined()
    expect(await h.loop("s1")).toEqual({ active: false })
    expect(await h.events("seat.left")).toEqual([
      { terminal: "s1", part: "worker", worker: "w1", released: ["2"], reason: "lunch" },
    ])
    expect((await h.refused(() => run(h.testTeam, leave, { terminalId: "s1" }))).code).toBe("seat.not_found")
  })

  it("lets one session be the lead, and one each worker, until somebody takes over", async () => {
    await using h = await makeHouse(makeDatabase)
    await run(h.testTeam, createTask, { id: "1", title: "Task" })
    await run(h.testTeam, join, { terminalId: "s1", lead: true, delegation: "strict" })
    const second = await h.refused(() => run(h.testTeam, join, { terminalId: "s2", lead: true }))
    expect([second.code, second.message]).toEqual(["seat.taken", expect.stringContaining("session s1")])
    expect(await run(h.testTeam, join, { terminalId: "s2", lead: true, takeOver: true })).toMatchObject({
      part: "lead",
    })
    expect(await readSeat(h.testTeam, "s1")).toBeUndefined()
    await run(h.testTeam, join, { terminalId: "s3", workerId: "w9" })
    await run(h.testTeam, claimTask, { id: "1", owner: "w9" })
    expect((await h.refused(() => run(h.testTeam, join, { terminalId: "s4", workerId: "w9" }))).code).toBe("seat.taken")
    await run(h.testTeam, join, { terminalId: "s4", workerId: "w9", takeOver: true })
    expect((await getTask(h.store, h.key, "1")).claimedBy).toBe("w9")
  })

  it("gives back what it held as another worker", async () => {
    await using h = await makeHouse(makeDatabase)
    await run(h.testTeam, createTask, { id: "1", title: "Task" })
    await run(h.testTeam, join, { terminalId: "s1", workerId: "w1", loop: true })
    await run(h.testTeam, claimTask, { id: "1", owner: "w1" })
    const lead = await run(h.testTeam, join, { terminalId: "s1", lead: true })
    expect(lead).toMatchObject({ part: "lead", worker: null, loop: false })
    expect(await getTask(h.store, h.key, "1")).toMatchObject({ status: "open", claimedBy: null })
  })

  it("refuses what does not go together, and a second team", async () => {
    await using h = await makeHouse(makeDatabase)
    const codes = await Promise.all(
      [{ lead: true, role: "docs" as const }, { lead: true, loop: true }, { delegation: "strict" as const }].map(
        async (input) => (await refusal(run(h.testTeam, join, { terminalId: "s1", ...input }))).code,
      ),
    )
    expect(codes).toEqual(["usage", "usage", "usage"])
    await run(h.testTeam, createTeam, { project: "shed", goal: "a shed" })
    await run(h.testTeam, join, { terminalId: "s1" })
    const other = await h.refused(() => run(h.testTeam, join, { terminalId: "s1", project: "shed" }))
    expect([other.code, other.message]).toEqual(["seat.taken", expect.stringContaining("house/main")])
    expect((await refusal(run(h.testTeam, join, { terminalId: "s2", project: "none" }))).code).toBe("team.not_found")
  })

  it("remembers what hooks must know, and forgets it with the team", async () => {
    await using h = await makeHouse(makeDatabase)
    await run(h.testTeam, join, { terminalId: "s1" })
    const memory = noteSeen({ ...NO_MEMORY, stops: 2, stoppedAt: 7 }, "tool-1")
    if (memory === undefined) throw new Error("seen before it came")
    await h.store.write((tx) => tx.seats.remember("s1", memory))
    expect((await readSeat(h.testTeam, "s1"))?.memory).toEqual({ stops: 2, stoppedAt: 7, seen: ["tool-1"] })
    expect(noteSeen(memory, "tool-1")).toBeUndefined()
    await run(h.testTeam, cleanTeam, { purge: true })
    expect(await readSeat(h.testTeam, "s1")).toBeUndefined()
  })
}
