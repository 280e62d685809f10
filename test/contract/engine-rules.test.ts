// What the engine decides about tasks and workers, written down: follow-ups, failed needs, words to whoever can start.
// On every store, and as the rules see it again afterwards.

import { describe, expect, it } from "bun:test"
import { ENGINE } from "../../src/kernel/actor.ts"
import { parseTaskId, parseWorkerId } from "../../src/kernel/ids.ts"
import { readMailbox } from "../../src/messages/operations/read-mailbox.ts"
import { cascade, notifyUnblocked, settleBlockers } from "../../src/orchestrator/react.ts"
import { applyEvent, emptyHistory } from "../../src/reporting/history.ts"
import type { BlockerChoice } from "../../src/tasks/blocker.ts"
import { cascadeTask } from "../../src/tasks/operations/cascade-task.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import { reopenTask } from "../../src/tasks/operations/reopen-task.ts"
import { settleBlocker } from "../../src/tasks/operations/settle-blocker.ts"
import { notifyAssignee } from "../../src/tasks/operations/tell-assignee.ts"
import { updateTask } from "../../src/tasks/operations/update-task.ts"
import { calculateWaves, updateWave, waveStatus } from "../../src/tasks/operations/wave-status.ts"
import { resume } from "../../src/teams/operations/pause.ts"
import { setupWorker } from "../../src/workers/operations/setup-worker.ts"
import {
  noteWorkerExited,
  noteWorkerStarted,
  quarantineWorker,
  spawnWorker,
} from "../../src/workers/operations/worker-life.ts"
import { LIMITS, makeSnapshot } from "../support/engine.ts"
import { plainEvents } from "../support/plain-events.ts"
import {
  allEvents,
  type Given,
  getTask,
  type MakeDatabase,
  openTestTeam,
  refusal,
  run,
  STORES,
  snapshot,
  TEAM,
} from "../support/stores.ts"

for (const [name, makeDatabase] of Object.entries(STORES)) describe(name, () => rulesContract(makeDatabase))

async function makeHouse(makeDatabase: MakeDatabase) {
  const { db, store, testTeam, key } = await openTestTeam(makeDatabase)
  const finish = async (id: string, status: "resolved" | "failed") => {
    await run(testTeam, claimTask, { id, owner: "w1" })
    await run(testTeam, updateTask, { id, owner: "w1", status })
  }
  return {
    context: testTeam,
    store,
    key,
    task: (id: string, title: string, more: Given<typeof createTask.input> = {}) =>
      run(testTeam, createTask, { id, title, ...more }),
    resolve: (id: string) => finish(id, "resolved"),
    fail: (id: string) => finish(id, "failed"),
    get: (id: string) => getTask(store, key, id),
    statuses: async () => (await store.read((tx) => tx.tasks.list(key))).map(({ id, status }) => `${id} ${status}`),
    follow: (of: string, kind: "test" | "review") => cascadeTask(testTeam, { ...TEAM, of: parseTaskId(of), kind }),
    settle: (id: string, choice: BlockerChoice) => settleBlocker(testTeam, { ...TEAM, task: parseTaskId(id), choice }),
    /** As the engine sees it: every event folded. */
    async look() {
      const history = emptyHistory()
      for (const event of await allEvents(store, key)) applyEvent(history, event)
      const tasks = await store.read((tx) => tx.tasks.list(key))
      return makeSnapshot({ tasks, history, waves: await run(testTeam, waveStatus, {}) })
    },
    [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
  }
}

function rulesContract(makeDatabase: MakeDatabase): void {
  describe("a follow-up", () => {
    it("is made once, with what it needs, and the line ends with a review", async () => {
      await using testTeam = await makeHouse(makeDatabase)
      await testTeam.task("1", "Build the door", { files: ["door/**"], role: "backend" })
      await testTeam.resolve("1")
      expect(cascade(await testTeam.look(), LIMITS)).toEqual([{ type: "cascade", of: "1", kind: "test" }])
      const test = await testTeam.follow("1", "test")
      expect(test).toMatchObject({
        ...{ id: "test-1", status: "open", role: "test", agentType: "test-engineer", complexity: "standard" },
        ...{ blockedBy: ["1"], unmet: 0, files: [], work: { cascadeOf: "1", cascadeDepth: 1, commands: [] } },
      } as never)
      const before = await snapshot(testTeam.store, testTeam.key)
      expect(await testTeam.follow("1", "test")).toBeUndefined()
      expect(await snapshot(testTeam.store, testTeam.key)).toEqual(before)
      expect(cascade(await testTeam.look(), LIMITS)).toEqual([])

      await testTeam.resolve("test-1")
      expect(cascade(await testTeam.look(), LIMITS)).toEqual([{ type: "cascade", of: "test-1", kind: "review" }])
      const review = await testTeam.follow("test-1", "review")
      expect(review).toMatchObject({
        id: "review-test-1",
        agentType: "quality-reviewer",
        work: { cascadeDepth: 2 },
      } as never)
      await testTeam.resolve("review-test-1")
      expect(cascade(await testTeam.look(), LIMITS)).toEqual([])
    })

    it("of two that are asked for at once is one", async () => {
      await using testTeam = await makeHouse(makeDatabase)
      await testTeam.task("1", "Build the door")
      await testTeam.resolve("1")
      const made = await Promise.all([testTeam.follow("1", "test"), testTeam.follow("1", "test")])
      expect(made.filter((task) => task !== undefined)).toHaveLength(1)
    })

    it("comes in the wave behind the task, and a project that was about to end goes on", async () => {
      await using testTeam = await makeHouse(makeDatabase)
      await testTeam.task("1", "Build the door")
      await run(testTeam.context, calculateWaves, {})
      await testTeam.resolve("1")
      await run(testTeam.context, updateWave, { wave: 1, status: "verified" })
      expect((await testTeam.follow("1", "test"))?.wave).toBe(2)
      const team = await testTeam.store.read((tx) => tx.teams.find(TEAM))
      expect(team?.phase).toBe("EXECUTION")
      expect((await testTeam.look()).waves).toMatchObject({ totalWaves: 2, currentWave: 2 })
    })

    it("is not made when the task is being done once more", async () => {
      await using testTeam = await makeHouse(makeDatabase)
      await testTeam.task("1", "Build the door")
      await testTeam.resolve("1")
      await run(testTeam.context, reopenTask, { id: "1" })
      expect(await testTeam.follow("1", "test")).toBeUndefined()
      expect(await testTeam.statuses()).toEqual(["1 open"])
    })
  })

  describe("a failed need", () => {
    async function makeChain() {
      const testTeam = await makeHouse(makeDatabase)
      await testTeam.task("1", "Door", { files: ["door/**"] })
      await testTeam.task("2", "Handle", { blockedBy: ["1"] })
      await testTeam.task("3", "Paint", { blockedBy: ["2"] })
      await testTeam.task("4", "Garden")
      await run(testTeam.context, calculateWaves, {})
      await testTeam.fail("1")
      return testTeam
    }

    it("is tried once more", async () => {
      await using testTeam = await makeChain()
      const limits = { ...LIMITS, onBlockerFailed: "retry" } as const
      expect(settleBlockers(await testTeam.look(), limits)).toHaveLength(1)
      expect(await testTeam.settle("1", "retry")).toEqual([parseTaskId("1")])
      expect(await testTeam.get("1")).toMatchObject({ status: "open", attempt: 2, claimedBy: null })
      await testTeam.fail("1")
      expect(settleBlockers(await testTeam.look(), limits)).toEqual([])
    })

    it("is tried once more apart from what was planned for its files since", async () => {
      await using testTeam = await makeChain()
      await testTeam.task("5", "Door again", { files: ["door/lock.ts"] })
      await testTeam.task("6", "Frame", { files: ["door/frame.ts"] })
      await run(testTeam.context, claimTask, { id: "5", owner: "w2" })
      await testTeam.settle("1", "retry")
      expect((await testTeam.get("1")).blockedBy).toEqual([parseTaskId("5")])
      expect((await testTeam.get("6")).blockedBy).toEqual([parseTaskId("1")])
    })

    it("is left out, and those that need it go on without it", async () => {
      await using testTeam = await makeChain()
      expect(await testTeam.settle("1", "remove-need")).toEqual(["1", "2"].map(parseTaskId))
      expect(await testTeam.statuses()).toEqual(["1 skipped", "2 open", "3 open", "4 open"])
      expect(await testTeam.get("2")).toMatchObject({ blockedBy: [], unmet: 0 })
      expect((await testTeam.get("3")).unmet).toBe(1)
    })

    it("is left out with all that wait for it, so that nobody can claim one of them", async () => {
      await using testTeam = await makeChain()
      expect(await testTeam.settle("1", "skip-dependants")).toEqual(["1", "2", "3"].map(parseTaskId))
      expect(await testTeam.statuses()).toEqual(["1 skipped", "2 skipped", "3 skipped", "4 open"])
      const reasons = plainEvents(await allEvents(testTeam.store, testTeam.key)).filter(
        ({ data }) => data.to === "skipped",
      )
      expect(reasons.map(({ by, data }) => [by, data.reason])).toEqual([
        [ENGINE, "task 1 failed, and it cannot be done without"],
        [ENGINE, "task 1 failed, and it cannot be done without"],
        [ENGINE, "it failed, and the others go on without it"],
      ])
    })

    it.each(["retry", "remove-need", "skip-dependants"] as const)(
      "is left alone when somebody has decided: %s",
      async (choice) => {
        await using testTeam = await makeChain()
        await run(testTeam.context, reopenTask, { id: "1" })
        const before = await snapshot(testTeam.store, testTeam.key)
        expect(await testTeam.settle("1", choice)).toEqual([])
        expect(await snapshot(testTeam.store, testTeam.key)).toEqual(before)
      },
    )
  })

  describe("a task that can start", () => {
    const request = { ...TEAM, task: parseTaskId("2"), by: parseTaskId("1") }

    it("is told to whom it is meant for, once", async () => {
      await using testTeam = await makeHouse(makeDatabase)
      await testTeam.task("1", "Door")
      await testTeam.task("2", "Handle", { blockedBy: ["1"], assignee: "w2" })
      expect(notifyUnblocked(await testTeam.look())).toEqual([])
      await testTeam.resolve("1")
      expect(notifyUnblocked(await testTeam.look())).toEqual([{ type: "notify-unblocked", task: "2", by: "1" }])
      await notifyAssignee(testTeam.context, request)
      expect(notifyUnblocked(await testTeam.look())).toEqual([])
      const messages = await run(testTeam.context, readMailbox, { inbox: "w2" })
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
      await using testTeam = await makeHouse(makeDatabase)
      await testTeam.task("1", "Door")
      await testTeam.task("2", "Handle")
      const before = await snapshot(testTeam.store, testTeam.key)
      await notifyAssignee(testTeam.context, request)
      expect(await snapshot(testTeam.store, testTeam.key)).toEqual(before)
    })
  })

  describe("a quarantined worker", () => {
    const worker = { ...TEAM, worker: parseWorkerId("w1") }
    const started = { role: "backend", runtime: "child", machine: "here", pid: 1, process_start: "1" } as const

    it("F055: stays so when its process ends or starts again, until a person resumes it", async () => {
      await using testTeam = await makeHouse(makeDatabase)
      await testTeam.task("1", "Door")
      await noteWorkerStarted(testTeam.context, { ...worker, ...started })
      await quarantineWorker(testTeam.context, { ...worker, by: ENGINE, reason: "3 errors in a row" })
      await noteWorkerExited(testTeam.context, { ...worker, by: ENGINE, reason: "stopped", detail: null })
      const status = async () => (await testTeam.store.read((tx) => tx.workers.list(testTeam.key)))[0]?.status as string
      expect(await status()).toBe("quarantined")
      // F055: neither a new process nor a new registration is a pardon.
      await spawnWorker(testTeam.context, { ...TEAM, id: parseWorkerId("w1"), role: "backend" })
      await noteWorkerStarted(testTeam.context, { ...worker, ...started })
      await run(testTeam.context, setupWorker, { workerId: "w1" })
      expect(await status()).toBe("quarantined")
      const claim = run(testTeam.context, claimTask, { next: true, owner: "w1", workerId: "w1" })
      expect((await refusal(claim)).code).toBe("worker.unavailable")
      await run(testTeam.context, resume, { workerId: "w1" })
      expect(await status()).toBe("idle")
      const fact = (await testTeam.look()).history.workers.get("w1")
      expect(fact).toMatchObject({ quarantined: false, consecutiveErrors: 0 })
    })
  })
}
