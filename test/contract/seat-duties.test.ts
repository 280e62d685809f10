// What hooks do for a session that has joined: its loop, its inbox and its claims, on every store.
import { describe, expect, it } from "bun:test"
import { readMailbox } from "../../src/messages/operations/read-mailbox.ts"
import { sendMessage } from "../../src/messages/operations/send-message.ts"
import { decideStop } from "../../src/sessions/operations/decide-stop.ts"
import { loopState } from "../../src/sessions/operations/read-loop-state.ts"
import { isTeamActive, readSeat, readSeatFacts } from "../../src/sessions/operations/read-seat.ts"
import { keepSeat, openTurn } from "../../src/sessions/operations/seat-duties.ts"
import { join } from "../../src/sessions/operations/seats.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import { updateTask } from "../../src/tasks/operations/update-task.ts"
import { pause } from "../../src/teams/operations/pause.ts"
import { setupWorker } from "../../src/workers/operations/setup-worker.ts"
import { allEvents, getTask, type MakeDatabase, openTestTeam, run, STORES, snapshot, TEAM } from "../support/stores.ts"

for (const [name, makeDatabase] of Object.entries(STORES)) {
  describe(name, () => {
    describe("a stop", () => stopContract(makeDatabase))
    describe("a turn", () => turnContract(makeDatabase))
  })
}

async function makeHouse(makeDatabase: MakeDatabase) {
  const { db, store, testTeam, key } = await openTestTeam(makeDatabase)
  let stops = 0
  return {
    ...{ testTeam, store, key },
    /** Each stop is another one, unless it is named. */
    stop: async (isHeldBack: boolean | null = false, id = `stop-${++stops}`) => {
      const { decision } = await decideStop(testTeam, { terminalId: "s1", id, isHeldBack })
      return "task" in decision ? `${decision.kind} ${decision.task.id}` : decision.kind
    },
    seat: async (terminalId = "s1") => {
      const seat = await readSeat(testTeam, terminalId)
      if (seat === undefined) throw new Error("has not joined")
      return seat
    },
    isLooping: async () => (await run(testTeam, loopState, { terminalId: "s1", get: true })).active,
    create: async (title: string, more = {}) => run(testTeam, createTask, { title, ...more }),
    claim: (id: string, owner = "w1") => run(testTeam, claimTask, { id, owner }),
    resolve: (id: string, owner = "w1") =>
      run(testTeam, updateTask, { id, owner, status: "resolved", addEvidence: ["done"] }),
    tell: (to: string, message: string) => run(testTeam, sendMessage, { from: "orchestrator", to, message }),
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]()
      await db[Symbol.asyncDispose]()
    },
  }
}

async function makeLoop(makeDatabase: MakeDatabase, how: { role?: "docs" | "backend" } = {}) {
  const testTeam = await makeHouse(makeDatabase)
  await run(testTeam.testTeam, join, { terminalId: "s1", loop: true, ...how })
  return testTeam
}

function stopContract(makeDatabase: MakeDatabase): void {
  it("goes on from task to task, and is over when none is left", async () => {
    await using h = await makeLoop(makeDatabase)
    for (const title of ["walls", "roof"]) await h.create(title)
    expect(await h.stop()).toBe("next 1")
    await h.claim("1")
    expect(await h.stop(true)).toBe("finish 1")
    await h.resolve("1")
    expect(await h.stop(true)).toBe("next 2")
    await h.claim("2")
    await h.resolve("2")
    expect(await h.isLooping()).toBe(true)
    expect(await h.stop(true)).toBe("end")
    expect(await h.isLooping()).toBe(false)
  })

  it("is held back again only after a task of its own was claimed or resolved", async () => {
    await using h = await makeLoop(makeDatabase)
    for (const title of ["walls", "roof"]) await h.create(title)
    expect(await h.stop()).toBe("next 1")
    await h.claim("1", "somebody")
    expect(await h.stop(true)).toBe("end")
    expect(await h.isLooping()).toBe(true)
    // The next turn is a person's, and the loop goes on with it.
    expect(await h.stop()).toBe("next 2")
    await h.claim("2")
    expect(await h.stop(true)).toBe("finish 2")
    expect(await h.stop(true)).toBe("end")
  })

  it("goes by its own memory where the host does not say whether it was held back", async () => {
    await using h = await makeLoop(makeDatabase)
    await h.create("walls")
    expect(await h.stop(null)).toBe("next 1")
    expect(await h.stop(null)).toBe("end")
    await openTurn(h.testTeam, await h.seat(), { isPersons: false })
    expect(await h.stop(null)).toBe("end")
    await openTurn(h.testTeam, await h.seat(), { isPersons: true })
    expect(await h.stop(null)).toBe("next 1")
  })

  it("has the same answer and changes nothing when it is told twice", async () => {
    await using h = await makeLoop(makeDatabase)
    await h.create("walls")
    expect(await h.stop(false, "same")).toBe("next 1")
    const before = [await snapshot(h.store, h.key), await h.seat()]
    expect(await h.stop(false, "same")).toBe("next 1")
    expect([await snapshot(h.store, h.key), await h.seat()]).toEqual(before)
    await h.claim("1")
    await h.resolve("1")
    expect([await h.stop(false, "last"), await h.stop(false, "last")]).toEqual(["end", "end"])
  })

  it("brings along what came in, once, and leaves it where it is when the session ends", async () => {
    await using h = await makeLoop(makeDatabase)
    await h.create("walls")
    await h.tell("w1", "one")
    const ask = async (id: string, isHeldBack = false) =>
      (await decideStop(h.testTeam, { terminalId: "s1", id, isHeldBack })).messages.map(
        ({ payload }) => payload.message,
      )
    expect([await ask("a"), await ask("a"), await ask("b")]).toEqual([["one"], [], []])
    await h.tell("w1", "two")
    expect(await ask("c", true)).toEqual([])
    expect(await run(h.testTeam, readMailbox, { inbox: "w1", unreadOnly: true })).toHaveLength(1)
    expect(await ask("d")).toEqual(["two"])
  })

  it("ends without a loop, and with one that is not of its team", async () => {
    await using h = await makeHouse(makeDatabase)
    await h.create("walls")
    expect(await h.stop()).toBe("end")
    await run(h.testTeam, join, { terminalId: "s1" })
    expect(await h.stop()).toBe("end")
    await run(h.testTeam, loopState, { terminalId: "s1", start: true, team: "other" })
    expect(await h.stop()).toBe("end")
    await run(h.testTeam, loopState, { terminalId: "s1", start: true })
    expect(await h.stop()).toBe("next 1")
    await run(h.testTeam, loopState, { terminalId: "s1", clear: true })
    expect(await h.stop()).toBe("end")
  })

  it("ends for the lead, whatever is ready", async () => {
    await using h = await makeHouse(makeDatabase)
    await h.create("walls")
    await run(h.testTeam, join, { terminalId: "s1", lead: true })
    await run(h.testTeam, loopState, { terminalId: "s1", start: true })
    expect(await h.stop()).toBe("end")
  })

  it("looks only at tasks of its role, and at those for everybody", async () => {
    await using h = await makeLoop(makeDatabase, { role: "docs" })
    await h.create("walls", { role: "backend" })
    expect(await h.stop()).toBe("end")
    expect(await h.isLooping()).toBe(false)
    await run(h.testTeam, join, { terminalId: "s1", loop: true })
    await h.create("a page", { role: "docs", blockedBy: ["1"] })
    expect(await h.stop()).toBe("wait")
    await h.create("anything", { role: "worker" })
    expect(await h.stop()).toBe("next 3")
  })

  it("leaves tasks that are meant for others", async () => {
    await using h = await makeLoop(makeDatabase)
    await h.create("walls", { assignee: "w9" })
    expect(await h.stop()).toBe("end")
    await run(h.testTeam, join, { terminalId: "s1", loop: true })
    await h.create("roof", { assignee: "w1" })
    expect(await h.stop()).toBe("next 2")
  })

  it("waits for what others have to do first, and for a paused team", async () => {
    await using h = await makeLoop(makeDatabase)
    await h.create("walls")
    await h.create("roof", { blockedBy: ["1"] })
    await h.claim("1", "somebody")
    expect(await h.stop()).toBe("wait")
    await h.resolve("1", "somebody")
    await run(h.testTeam, pause, {})
    expect(await h.stop()).toBe("wait")
  })

  it("ends when the project is complete, and when the lead asks for it", async () => {
    await using h = await makeLoop(makeDatabase)
    await h.create("walls")
    const payload = { request_id: "r1", reason: "enough" }
    await run(h.testTeam, sendMessage, { from: "orchestrator", to: "w1", type: "shutdown_request", payload })
    expect(await h.stop()).toBe("end")
    expect(await h.isLooping()).toBe(false)
    const answers = await run(h.testTeam, readMailbox, { inbox: "orchestrator", unreadOnly: true })
    expect(answers).toMatchObject([
      { from: "w1", type: "shutdown_response", payload: { request_id: "r1", approved: true } },
    ])
    await run(h.testTeam, join, { terminalId: "s1", loop: true })
    expect(await h.stop()).toBe("next 1")
    await h.store.write((tx) => tx.teams.update(h.key, { phase: "COMPLETE" }))
    expect(await h.stop()).toBe("end")
    expect(await h.isLooping()).toBe(false)
  })
}

function turnContract(makeDatabase: MakeDatabase): void {
  it("gets each message once, oldest first, also when two look at the same time", async () => {
    await using h = await makeLoop(makeDatabase)
    for (const text of ["one", "two"]) await h.tell("w1", text)
    await run(h.testTeam, setupWorker, { workerId: "w2" })
    await h.tell("w2", "not for it")
    const seat = await h.seat()
    const turns = await Promise.all([1, 2, 3].map(() => openTurn(h.testTeam, seat, { isPersons: true })))
    expect(turns.flat().map(({ payload }) => payload.message)).toEqual(["one", "two"])
    const kept = await run(h.testTeam, readMailbox, { inbox: "w1" })
    expect(kept.map(({ read, deliveredAt }) => [read, deliveredAt !== null])).toEqual([
      [true, true],
      [true, true],
    ])
    const reads = (await allEvents(h.store, h.key)).filter(({ type }) => type === "message.read")
    expect(reads.map(({ data }) => data)).toEqual([{ inbox: "w1", ids: kept.map(({ id }) => id) }])
  })

  it("gets the lead's messages to the lead", async () => {
    await using h = await makeHouse(makeDatabase)
    await run(h.testTeam, join, { terminalId: "s1", lead: true })
    await run(h.testTeam, sendMessage, { from: "w1", to: "lead", message: "a question" })
    const messages = await openTurn(h.testTeam, await h.seat(), { isPersons: true })
    expect(messages.map(({ from, payload }) => [from, payload.message])).toEqual([["w1", "a question"]])
  })

  it("ends the loop when the lead asks for it, and says so", async () => {
    await using h = await makeLoop(makeDatabase)
    const payload = { request_id: "r1" }
    await run(h.testTeam, sendMessage, { from: "orchestrator", to: "w1", type: "shutdown_request", payload })
    await h.tell("w1", "and thanks")
    const messages = await openTurn(h.testTeam, await h.seat(), { isPersons: true })
    expect(messages.map(({ type }) => type)).toEqual(["text", "shutdown_request"])
    expect(await h.isLooping()).toBe(false)
    expect(await openTurn(h.testTeam, await h.seat(), { isPersons: true })).toEqual([])
    expect(await run(h.testTeam, readMailbox, { inbox: "orchestrator", unreadOnly: true })).toHaveLength(1)
  })

  it("renews what the session holds, and nothing else", async () => {
    await using h = await makeLoop(makeDatabase)
    for (const title of ["walls", "roof"]) await h.create(title)
    await h.claim("1")
    await h.claim("2", "w2")
    const leases = async () => [
      (await getTask(h.store, h.key, "1")).leaseUntil,
      (await getTask(h.store, h.key, "2")).leaseUntil,
    ]
    const [own = "", other] = await leases()
    const seat = await h.seat()
    const deadline = performance.now() + 5000
    while ((await leases())[0] === own && performance.now() < deadline) await keepSeat(h.testTeam, seat)
    expect((await leases())[0]).not.toBe(own)
    expect(Date.parse(String((await leases())[0]))).toBeGreaterThan(Date.parse(String(own)))
    expect((await leases())[1]).toBe(other)
  })

  it("knows who it is and what it holds", async () => {
    await using h = await makeLoop(makeDatabase, { role: "docs" })
    await h.create("walls")
    await h.claim("1")
    const facts = await readSeatFacts(h.testTeam, await h.seat())
    expect(facts).toMatchObject({ team: { goal: "a house" }, role: "docs", isLoop: true, held: [{ id: "1" }] })
    expect([await isTeamActive(h.testTeam, TEAM), await isTeamActive(h.testTeam, { ...TEAM, team: "x" })]).toEqual([
      true,
      false,
    ])
  })
}
