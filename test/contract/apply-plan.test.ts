// A plan brought into the store: whole or not at all, once, and changed as far as nobody has begun.

import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { applyPlan } from "../../src/planning/operations/apply-plan.ts"
import { applyEvent, emptyHistory } from "../../src/reporting/history.ts"
import { plainEvents } from "../support/plain-events.ts"
import { planOf } from "../support/plans.ts"
import {
  allEvents,
  claimRequest,
  context,
  finishRequest,
  makeTeam,
  refusal,
  run,
  STORES,
  snapshot,
  TEAM,
} from "../support/stores.ts"

setDefaultTimeout(60_000)

for (const [name, makeDatabase] of Object.entries(STORES)) {
  describe(name, () => {
    it("makes the team, its tasks in their order and the waves, in one go", async () => {
      await using database = await makeDatabase()
      const store = await database.connect()
      const plan = planOf(
        [
          { id: "api", title: "API", needs: ["db"], role: "backend", checks: ["npm test"], agentType: "executor" },
          { id: "db", title: "Tables", description: "of items", files: ["db/**"], complexity: "complex" },
          { id: "7", agent: "script", run: ["echo a", "echo b"], repair: ["echo c"], acceptance: ["done"] },
        ],
        { schedule: "eager", mode: "SUPERVISED", workers: "2", template: "custom" },
      )
      const applied = await run(context(store), applyPlan, { plan })
      expect(applied).toMatchObject({
        created: ["api", "db", "7"],
        updated: [],
        unchanged: [],
        others: [],
        totalWaves: 2,
      })
      expect(applied.team).toMatchObject({
        ...{ ...TEAM, goal: "build it", schedule: "eager", mode: "SUPERVISED", phase: "EXECUTION", status: "paused" },
      })
      const key = await keyOf(store)
      const tasks = await store.read((tx) => tx.tasks.list(key))
      expect(tasks.map(({ id, wave, unmet, blockedBy }) => [id, wave, unmet, blockedBy])).toEqual([
        ["api", 2, 1, ["db"]],
        ["db", 1, 0, []],
        ["7", 1, 0, []],
      ] as never)
      expect(tasks[1]).toMatchObject({
        title: "Tables",
        description: "of items",
        files: ["db/**"],
        complexity: "complex",
      })
      expect(tasks[0]).toMatchObject({ role: "backend", checks: ["npm test"], agentType: "executor" })
      expect(tasks[2]?.work).toMatchObject({ agent: "script", commands: ["echo a", "echo b"], repair: ["echo c"] })
      expect(await store.write((tx) => tx.teams.takeTaskNumber(key))).toBe(8)
      const history = emptyHistory()
      const events = await allEvents(store, key)
      for (const event of events) applyEvent(history, event)
      expect(history.planned).toEqual({ workers: "2", template: "custom", followUps: null, budget: null })
      expect(events.at(-1)).toMatchObject({ type: "plan.applied", data: { created: 3, updated: 0 } })
    })

    it("changes nothing when it is applied again", async () => {
      await using database = await makeDatabase()
      const store = await database.connect()
      const plan = planOf([{ files: ["a"] }, { needs: [1], agent: "codex" }, { needs: [1, 2] }])
      await run(context(store), applyPlan, { plan })
      const key = await keyOf(store)
      await store.claimTask(claimRequest("w1"))
      await store.finishTask(finishRequest("1", { owner: "w1" }))
      const before = await snapshot(store, key)
      const again = await run(context(store), applyPlan, { plan })
      expect(again).toMatchObject({ created: [], updated: [], unchanged: ["1", "2", "3"], totalWaves: 3 })
      expect(await snapshot(store, key)).toEqual(before)
    })

    it("changes open tasks, adds new ones, and leaves those that it does not name", async () => {
      await using database = await makeDatabase()
      const store = await database.connect()
      await run(context(store), applyPlan, { plan: planOf([{ id: 1 }, { id: 2, needs: [1] }, { id: 3, needs: [1] }]) })
      const key = await keyOf(store)
      const changed = planOf(
        [
          {
            id: 2,
            title: "Other",
            files: ["b/**"],
            agent: "codex",
            effort: "low",
            acceptance: ["b"],
            agentType: "executor",
          },
          { id: 3, needs: [2] },
          { id: 4, needs: [3] },
        ],
        { goal: "another goal" },
      )
      const applied = await run(context(store), applyPlan, { plan: changed })
      expect(applied).toMatchObject({ created: ["4"], updated: ["2", "3"], unchanged: [], others: ["1"] })
      expect(applied.team.goal).toBe("another goal")
      const tasks = await store.read((tx) => tx.tasks.list(key))
      // 1 is no part of this plan, so what needs it goes on needing it.
      expect(tasks.map(({ id, blockedBy, wave }) => [id, blockedBy, wave])).toEqual([
        ["1", [], 1],
        ["2", ["1"], 2],
        ["3", ["1", "2"], 3],
        ["4", ["3"], 4],
      ] as never)
      expect(tasks[1]).toMatchObject({
        ...{ title: "Other", files: ["b/**"], acceptance: ["b"], agentType: "executor", version: 2 },
        work: { agent: "codex", effort: "low" },
      })
      const events = (await allEvents(store, key)).filter(({ type }) => type.startsWith("task."))
      expect(plainEvents(events.slice(3)).map(({ type, data }) => [type, data.task])).toEqual([
        ["task.created", "4"],
        ["task.updated", "2"],
        ["task.needs_changed", "3"],
      ])
    })

    it("drops a need that the plan no longer has between its own tasks", async () => {
      await using database = await makeDatabase()
      const store = await database.connect()
      await run(context(store), applyPlan, { plan: planOf([{ id: 1 }, { id: 2, needs: [1] }]) })
      const applied = await run(context(store), applyPlan, { plan: planOf([{ id: 1 }, { id: 2 }]) })
      expect(applied).toMatchObject({ updated: ["2"], totalWaves: 1 })
    })

    it("refuses to change a run that has begun, and changes nothing", async () => {
      await using database = await makeDatabase()
      const store = await database.connect()
      await run(context(store), applyPlan, { plan: planOf([{ id: 1 }, { id: 2 }, { id: 3 }]) })
      const key = await keyOf(store)
      await store.claimTask(claimRequest("w1", { taskId: "1" }))
      await store.finishTask(finishRequest("1", { owner: "w1" }))
      await store.claimTask(claimRequest("w2", { taskId: "2" }))
      const before = await snapshot(store, key)
      const plan = planOf([{ id: 1, title: "new" }, { id: 2, needs: [3] }, { id: 3, title: "new" }, { id: 4 }])
      const refused = await refusal(run(context(store), applyPlan, { plan }))
      expect(refused).toMatchObject({ code: "run.unfinished", details: { run: 1, left: 2 } })
      expect(refused.message).toStartWith("run 1 of house/main is not over (2 of 3 tasks are left)")
      expect(await snapshot(store, key)).toEqual(before)
    })

    it("makes nothing when anything is wrong", async () => {
      await using database = await makeDatabase()
      const store = await database.connect()
      const plan = planOf([
        { id: 1, needs: [2] },
        { id: 2, needs: [1] },
      ])
      expect((await refusal(run(context(store), applyPlan, { plan }))).code).toBe("need.cycle")
      expect(await store.read((tx) => tx.teams.list())).toEqual([])
    })

    it("keeps its files apart from those of tasks that it does not name", async () => {
      await using database = await makeDatabase()
      const store = await database.connect()
      await run(context(store), applyPlan, { plan: planOf([{ id: "old", files: ["src/a.ts"] }]) })
      const plan = planOf([
        { id: "new", files: ["src/**"] },
        { id: "free", files: ["docs/**"] },
      ])
      const refused = await refusal(run(context(store), applyPlan, { plan }))
      expect(refused.code).toBe("ownership.overlap")
      const applied = await run(context(store), applyPlan, { plan, onOverlap: "serialise" })
      expect(applied).toMatchObject({ created: ["new", "free"], others: ["old"], totalWaves: 2 })
      const again = await run(context(store), applyPlan, { plan, onOverlap: "refuse" })
      expect(again).toMatchObject({ created: [], updated: [] })
    })

    it("opens a finished team again for new tasks", async () => {
      await using database = await makeDatabase()
      const store = await database.connect()
      await makeTeam(store, { phase: "COMPLETE", status: "completed" })
      const { team } = await run(context(store), applyPlan, { plan: planOf([{}]) })
      expect(team).toMatchObject({ phase: "EXECUTION", status: "active" })
    })

    it("applies 5,000 tasks in seconds", async () => {
      await using database = await makeDatabase()
      const store = await database.connect()
      const tasks = Array.from({ length: 5000 }, (_, at) => ({
        ...{ id: `t${at}`, files: [`src/part${at}/**`], needs: at < 50 ? [] : [`t${at - 50}`, `t${at - 37}`] },
      }))
      const started = performance.now()
      const applied = await run(context(store), applyPlan, { plan: planOf(tasks.toReversed()) })
      expect(applied).toMatchObject({ totalWaves: 135 })
      const again = await run(context(store), applyPlan, { plan: planOf(tasks) })
      expect(again.unchanged).toHaveLength(5000)
      expect(performance.now() - started).toBeLessThan(30_000)
    })
  })
}

async function keyOf(store: Parameters<typeof snapshot>[0]): Promise<number> {
  const team = await store.read((tx) => tx.teams.find(TEAM))
  if (team === undefined) throw new Error("no team")
  return team.key
}
