// What workers ask of every store besides what everybody does: leases, messages, setbacks.

import { describe, expect, it } from "bun:test"
import { ofType } from "../../src/kernel/events.ts"
import { parseTaskId, parseWorkerId } from "../../src/kernel/ids.ts"
import { markRead } from "../../src/messages/operations/mark-read.ts"
import { sendMessage } from "../../src/messages/operations/send-message.ts"
import { promptFacts } from "../../src/prompts/operations/read-prompt-facts.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import { renewClaim } from "../../src/tasks/operations/heartbeat-task.ts"
import { noteActivity } from "../../src/tasks/operations/note-run.ts"
import { releaseTask } from "../../src/tasks/operations/release-task.ts"
import { setBack } from "../../src/tasks/operations/set-back.ts"
import { updateTask } from "../../src/tasks/operations/update-task.ts"
import { setupWorker } from "../../src/workers/operations/setup-worker.ts"
import {
  allEvents,
  context,
  getTask,
  type MakeDatabase,
  makeTeam,
  refusalCode,
  run,
  STORES,
  TEAM,
  until,
} from "../support/stores.ts"

for (const [name, makeDatabase] of Object.entries(STORES)) {
  describe(name, () => workerContract(makeDatabase))
}

function workerContract(makeDatabase: MakeDatabase): void {
  async function makeHouse() {
    const database = await makeDatabase()
    const store = await database.connect()
    const { key } = await makeTeam(store)
    const house = context(store)
    await run(house, createTask, { id: "1", title: "Walls" })
    return { database, store, key, house, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() }
  }

  it("renews a lease without a word of work, and tells who has lost it", async () => {
    await using world = await makeHouse()
    const { house, store, key } = world
    const { task } = await run(house, claimTask, { id: "1", owner: "w1", leaseSeconds: 60 })
    const heardAt = async () => (await store.read((tx) => tx.workers.find(key, parseWorkerId("w1"))))?.lastHeartbeat
    const before = { heard: await heardAt(), events: (await allEvents(store, key)).length }
    const claim = { ...TEAM, id: parseTaskId("1"), owner: "w1", token: task.claimToken }
    await until(async () => (await store.read((tx) => tx.now())) > Date.parse(task.leaseUntil ?? "") - 60_000, "time")
    await renewClaim(house, claim)
    const renewed = await getTask(store, key, "1")
    expect(Date.parse(renewed.leaseUntil ?? "")).toBeGreaterThan(Date.parse(task.leaseUntil ?? ""))
    expect(renewed.version).toBe(task.version)
    expect({ heard: await heardAt(), events: (await allEvents(store, key)).length }).toEqual(before)
    expect(await refusalCode(renewClaim(house, { ...claim, token: task.claimToken + 1 }))).toBe("claim.lost")
    await run(house, releaseTask, { id: "1" })
    expect(await refusalCode(renewClaim(house, claim))).toBe("claim.lost")
    await noteActivity(house, { ...TEAM, worker: parseWorkerId("w1") })
  })

  it("marks single messages read, each told once", async () => {
    await using world = await makeHouse()
    const { house, store, key } = world
    await run(house, setupWorker, { workerId: "w1" })
    const sent: string[] = []
    for (const message of ["a", "b", "c"])
      sent.push(...(await run(house, sendMessage, { from: "w2", to: "w1", message })).map(({ id }) => id))
    const [a = "", b = "", c = ""] = sent
    await markRead(house, { ...TEAM, inbox: "w1", ids: [b] })
    await markRead(house, { ...TEAM, inbox: "w1", ids: [c, b] })
    await markRead(house, { ...TEAM, inbox: "w9", ids: [a] })
    await markRead(house, { ...TEAM, inbox: "w1", ids: [] })
    const inbox = await store.read((tx) => tx.messages.list(key, "w1", {}))
    expect(inbox.map(({ id, read }) => [id, read])).toEqual([
      [a, false],
      [b, true],
      [c, true],
    ])
    expect(await store.read((tx) => tx.messages.list(key, "w1", { ids: [c, a] }))).toMatchObject([{ id: a }, { id: c }])
    const told = ofType(await allEvents(store, key), "message.read").map(({ data }) => data.ids)
    expect(told).toEqual([[b], [c]])
  })

  it("tells the lead that a worker is idle whose work waits for its merge", async () => {
    await using world = await makeHouse()
    const { house, store, key } = world
    await run(house, claimTask, { id: "1", owner: "w1" })
    await run(house, updateTask, { id: "1", owner: "w1", workerId: "w1", status: "in_review", result: "built" })
    expect(await getTask(store, key, "1")).toMatchObject({ status: "in_review", result: "built" })
    expect(await store.read((tx) => tx.messages.list(key, "orchestrator", {}))).toMatchObject([
      {
        type: "idle_notification",
        payload: { worker_id: "w1", completed_task_id: "1", completed_status: "in_review" },
      },
    ])
  })

  it("tells the next prompt of setbacks with their advice, each once", async () => {
    await using world = await makeHouse()
    const { house } = world
    const limits = { maxRuns: 0, maxRestarts: 3, maxTimeoutRestarts: 0 }
    const fact = { ...TEAM, taskId: parseTaskId("1"), worker: parseWorkerId("w1"), agent: "claude", limits }
    await run(house, claimTask, { id: "1", owner: "w1" })
    await setBack(house, { ...fact, owner: "w1", kind: "gate", reason: "it leans", advice: null })
    await run(house, claimTask, { id: "1", owner: "w1" })
    await run(house, releaseTask, { id: "1", owner: "w1", reason: "it leans" })
    await run(house, claimTask, { id: "1", owner: "w1" })
    await setBack(house, { ...fact, owner: "w1", kind: "timed-out", reason: "too slow", advice: "Build less" })
    const { setbacks } = await run(house, promptFacts, { id: "1" })
    expect(setbacks).toMatchObject([
      { attempt: 1, what: "setback", by: "w1", reason: "it leans" },
      { attempt: 1, what: "released", by: "w1", reason: "it leans" },
      { attempt: 1, what: "setback", by: "w1", reason: "too slow", advice: "Build less" },
    ])
    expect(setbacks[0]).not.toHaveProperty("advice")
  })
}
