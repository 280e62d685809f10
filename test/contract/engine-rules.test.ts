// What the engine decides about tasks and workers, written down: follow-ups, failed needs, words to whoever can start.
// On every store, and as the rules see it again afterwards.

import { describe, expect, it } from "bun:test"
import { ENGINE } from "../../src/kernel/actor.ts"
import { parseTaskId, parseWorkerId } from "../../src/kernel/ids.ts"
import { readMailbox } from "../../src/messages/operations/read-mailbox.ts"
import { settleBlockers } from "../../src/orchestrator/blockers.ts"
import { cascade } from "../../src/orchestrator/cascade.ts"
import { tellUnblocked as rule } from "../../src/orchestrator/unblocked.ts"
import { emptyHistory, tell } from "../../src/reporting/history.ts"
import type { BlockerChoice } from "../../src/tasks/blocker.ts"
import { calculateWaves } from "../../src/tasks/operations/calculate-waves.ts"
import { cascadeTask } from "../../src/tasks/operations/cascade-task.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import { reopenTask } from "../../src/tasks/operations/reopen-task.ts"
import { settleBlocker } from "../../src/tasks/operations/settle-blocker.ts"
import { tellUnblocked } from "../../src/tasks/operations/tell-unblocked.ts"
import { updateTask } from "../../src/tasks/operations/update-task.ts"
import { updateWave } from "../../src/tasks/operations/update-wave.ts"
import { waveStatus } from "../../src/tasks/operations/wave-status.ts"
import { resume } from "../../src/teams/operations/pause.ts"
import { setupWorker } from "../../src/workers/operations/setup-worker.ts"
import {
  noteWorkerExited,
  noteWorkerStarted,
  quarantineWorker,
  spawnWorker,
} from "../../src/workers/operations/worker-life.ts"
import { LIMITS, makeSnapshot } from "../support/engine.ts"
import {
  allEvents,
  type Given,
  getTask,
  type MakeDatabase,
  openHouse,
  refusal,
  run,
  STORES,
  snapshot,
  TEAM,
} from "../support/stores.ts"
import { told } from "../support/told.ts"

for (const [name, makeDatabase] of Object.entries(STORES)) describe(name, () => rulesContract(makeDatabase))

async function makeHouse(makeDatabase: MakeDatabase) {
  const { db, store, house, key } = await openHouse(makeDatabase)
  const finish = async (id: string, status: "resolved" | "failed") => {
    await run(house, claimTask, { id, owner: "w1" })
    await run(house, updateTask, { id, owner: "w1", status })
  }
  return {
    context: house,
    store,
    key,
    task: (id: string, title: string, more: Given<typeof createTask.input> = {}) =>
      run(house, createTask, { id, title, ...more }),
    resolve: (id: string) => finish(id, "resolved"),
    fail: (id: string) => finish(id, "failed"),
    get: (id: string) => getTask(store, key, id),
    statuses: async () => (await store.read((tx) => tx.tasks.list(key))).map(({ id, status }) => `${id} ${status}`),
    follow: (of: string, kind: "test" | "review") => cascadeTask(house, { ...TEAM, of: parseTaskId(of), kind }),
    settle: (id: string, choice: BlockerChoice) => settleBlocker(house, { ...TEAM, task: parseTaskId(id), choice }),
    /** As the engine sees it: every event folded. */
    async look() {
      const history = emptyHistory()
      for (const event of await allEvents(store, key)) tell(history, event)
      const tasks = await store.read((tx) => tx.tasks.list(key))
      return makeSnapshot({ tasks, history, waves: await run(house, waveStatus, {}) })
    },
    [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
  }
}

function rulesContract(makeDatabase: MakeDatabase): void {
  describe("a follow-up", () => {
    it("is made once, with what it needs, and the line ends with a review", async () => {
      await using house = await makeHouse(makeDatabase)
      await house.task("1", "Build the door", { files: ["door/**"], role: "backend" })
      await house.resolve("1")
      expect(cascade(await house.look(), LIMITS)).toEqual([{ type: "cascade", of: "1", kind: "test" }])
      const test = await house.follow("1", "test")
      expect(test).toMatchObject({
        ...{ id: "test-1", status: "open", role: "test", agentType: "test-engineer", complexity: "standard" },
        ...{ blockedBy: ["1"], unmet: 0, files: [], work: { cascadeOf: "1", cascadeDepth: 1, commands: [] } },
      } as never)
      const before = await snapshot(house.store, house.key)
      expect(await house.follow("1", "test")).toBeUndefined()
      expect(await snapshot(house.store, house.key)).toEqual(before)
      expect(cascade(await house.look(), LIMITS)).toEqual([])

      await house.resolve("test-1")
      expect(cascade(await house.look(), LIMITS)).toEqual([{ type: "cascade", of: "test-1", kind: "review" }])
      const review = await house.follow("test-1", "review")
      expect(review).toMatchObject({
        id: "review-test-1",
        agentType: "quality-reviewer",
        work: { cascadeDepth: 2 },
      } as never)
      await house.resolve("review-test-1")
      expect(cascade(await house.look(), LIMITS)).toEqual([])
    })

    it("of two that are asked for at once is one", async () => {
      await using house = await makeHouse(makeDatabase)
      await house.task("1", "Build the door")
      await house.resolve("1")
      const made = await Promise.all([house.follow("1", "test"), house.follow("1", "test")])
      expect(made.filter((task) => task !== undefined)).toHaveLength(1)
    })

    it("comes in the wave behind the task, and a project that was about to end goes on", async () => {
      await using house = await makeHouse(makeDatabase)
      await house.task("1", "Build the door")
      await run(house.context, calculateWaves, {})
      await house.resolve("1")
      await run(house.context, updateWave, { wave: 1, status: "verified" })
      expect((await house.follow("1", "test"))?.wave).toBe(2)
      const team = await house.store.read((tx) => tx.teams.find(TEAM))
      expect(team?.phase).toBe("EXECUTION")
      expect((await house.look()).waves).toMatchObject({ totalWaves: 2, currentWave: 2 })
    })

    it("is not made when the task is being done once more", async () => {
      await using house = await makeHouse(makeDatabase)
      await house.task("1", "Build the door")
      await house.resolve("1")
      await run(house.context, reopenTask, { id: "1" })
      expect(await house.follow("1", "test")).toBeUndefined()
      expect(await house.statuses()).toEqual(["1 open"])
    })
  })

  describe("a failed need", () => {
    async function makeChain() {
      const house = await makeHouse(makeDatabase)
      await house.task("1", "Door", { files: ["door/**"] })
      await house.task("2", "Handle", { blockedBy: ["1"] })
      await house.task("3", "Paint", { blockedBy: ["2"] })
      await house.task("4", "Garden")
      await run(house.context, calculateWaves, {})
      await house.fail("1")
      return house
    }

    it("is tried once more", async () => {
      await using house = await makeChain()
      const limits = { ...LIMITS, onBlockerFailed: "retry" } as const
      expect(settleBlockers(await house.look(), limits)).toHaveLength(1)
      expect(await house.settle("1", "retry")).toEqual([parseTaskId("1")])
      expect(await house.get("1")).toMatchObject({ status: "open", attempt: 2, claimedBy: null })
      await house.fail("1")
      expect(settleBlockers(await house.look(), limits)).toEqual([])
    })

    it("is tried once more apart from what was planned for its files since", async () => {
      await using house = await makeChain()
      await house.task("5", "Door again", { files: ["door/lock.ts"] })
      await house.task("6", "Frame", { files: ["door/frame.ts"] })
      await run(house.context, claimTask, { id: "5", owner: "w2" })
      await house.settle("1", "retry")
      expect((await house.get("1")).blockedBy).toEqual([parseTaskId("5")])
      expect((await house.get("6")).blockedBy).toEqual([parseTaskId("1")])
    })

    it("is left out, and those that need it go on without it", async () => {
      await using house = await makeChain()
      expect(await house.settle("1", "remove-need")).toEqual(["1", "2"].map(parseTaskId))
      expect(await house.statuses()).toEqual(["1 skipped", "2 open", "3 open", "4 open"])
      expect(await house.get("2")).toMatchObject({ blockedBy: [], unmet: 0 })
      expect((await house.get("3")).unmet).toBe(1)
    })

    it("is left out with all that wait for it, so that nobody can claim one of them", async () => {
      await using house = await makeChain()
      expect(await house.settle("1", "skip-dependants")).toEqual(["1", "2", "3"].map(parseTaskId))
      expect(await house.statuses()).toEqual(["1 skipped", "2 skipped", "3 skipped", "4 open"])
      const reasons = told(await allEvents(house.store, house.key)).filter(({ data }) => data.to === "skipped")
      expect(reasons.map(({ by, data }) => [by, data.reason])).toEqual([
        [ENGINE, "task 1 failed, and it cannot be done without"],
        [ENGINE, "task 1 failed, and it cannot be done without"],
        [ENGINE, "it failed, and the others go on without it"],
      ])
    })

    it.each(["retry", "remove-need", "skip-dependants"] as const)(
      "is left alone when somebody has decided: %s",
      async (choice) => {
        await using house = await makeChain()
        await run(house.context, reopenTask, { id: "1" })
        const before = await snapshot(house.store, house.key)
        expect(await house.settle("1", choice)).toEqual([])
        expect(await snapshot(house.store, house.key)).toEqual(before)
      },
    )
  })

  describe("a task that can start", () => {
    const request = { ...TEAM, task: parseTaskId("2"), by: parseTaskId("1") }

    it("is told to whom it is meant for, once", async () => {
      await using house = await makeHouse(makeDatabase)
      await house.task("1", "Door")
      await house.task("2", "Handle", { blockedBy: ["1"], assignee: "w2" })
      expect(rule(await house.look())).toEqual([])
      await house.resolve("1")
      expect(rule(await house.look())).toEqual([{ type: "tell-unblocked", task: "2", by: "1" }])
      await tellUnblocked(house.context, request)
      expect(rule(await house.look())).toEqual([])
      const messages = await run(house.context, readMailbox, { inbox: "w2" })
      expect(messages.map(({ from, payload }) => [from, payload.message])).toEqual([
        [
          "orchestrator",
          "NEW ASSIGNMENT: task #2: Handle; claim it when it is ready with: teamwork task claim --id 2 --owner w2",
        ],
        [
          "orchestrator",
          "UNBLOCKED: task #2 can start, since task #1 is done; claim it with: teamwork task claim --id 2 --owner w2",
        ],
      ])
    })

    it("is told to nobody when it is anybody's or begun", async () => {
      await using house = await makeHouse(makeDatabase)
      await house.task("1", "Door")
      await house.task("2", "Handle")
      const before = await snapshot(house.store, house.key)
      await tellUnblocked(house.context, request)
      expect(await snapshot(house.store, house.key)).toEqual(before)
    })
  })

  describe("a quarantined worker", () => {
    const worker = { ...TEAM, worker: parseWorkerId("w1") }
    const started = { role: "backend", runtime: "child", machine: "here", pid: 1, process_start: "1" } as const

    it("F055: stays so when its process ends or starts again, until a person resumes it", async () => {
      await using house = await makeHouse(makeDatabase)
      await house.task("1", "Door")
      await noteWorkerStarted(house.context, { ...worker, ...started })
      await quarantineWorker(house.context, { ...worker, by: ENGINE, reason: "3 errors in a row" })
      await noteWorkerExited(house.context, { ...worker, by: ENGINE, reason: "stopped", detail: null })
      const status = async () => (await house.store.read((tx) => tx.workers.list(house.key)))[0]?.status as string
      expect(await status()).toBe("quarantined")
      // F055: neither a new process nor a new registration is a pardon.
      await spawnWorker(house.context, { ...TEAM, id: parseWorkerId("w1"), role: "backend" })
      await noteWorkerStarted(house.context, { ...worker, ...started })
      await run(house.context, setupWorker, { workerId: "w1" })
      expect(await status()).toBe("quarantined")
      const claim = run(house.context, claimTask, { next: true, owner: "w1", workerId: "w1" })
      expect((await refusal(claim)).code).toBe("worker.unavailable")
      await run(house.context, resume, { workerId: "w1" })
      expect(await status()).toBe("idle")
      const fact = (await house.look()).history.workers.get("w1")
      expect(fact).toMatchObject({ quarantined: false, consecutiveErrors: 0 })
    })
  })
}
