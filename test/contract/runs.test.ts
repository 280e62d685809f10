// Runs of a team: a new goal or plan is a run of its own, and the earlier ones can be read and not changed.
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { importTeams } from "../../src/files/operations/import-teams.ts"
import { readArchive } from "../../src/files/operations/read-archive.ts"
import type { WorkerId } from "../../src/kernel/ids.ts"
import { giveFeedback } from "../../src/knowledge/operations/give-feedback.ts"
import { addWisdom, listWisdom } from "../../src/knowledge/operations/keep-wisdom.ts"
import { applyPlan } from "../../src/planning/operations/apply-plan.ts"
import { listRuns } from "../../src/reporting/operations/list-runs.ts"
import { teamStatus } from "../../src/reporting/operations/team-status.ts"
import { getTask } from "../../src/tasks/operations/get-task.ts"
import { listTasks } from "../../src/tasks/operations/list-tasks.ts"
import { cleanTeam } from "../../src/teams/operations/clean-team.ts"
import { createTeam } from "../../src/teams/operations/create-team.ts"
import { endLead, renewLead, takeLead } from "../../src/teams/operations/lead-team.ts"
import { planOf } from "../support/plans.ts"
import {
  allEvents,
  claimRequest,
  context,
  finishRequest,
  type MakeDatabase,
  openTestTeam,
  refusal,
  refusalCode,
  run,
  STORES,
  TEAM,
} from "../support/stores.ts"

setDefaultTimeout(60_000)

const FIRST = planOf([{ id: 1, title: "Walls" }], { goal: "walls" })
const SECOND = planOf(
  [
    { id: 1, title: "Roof" },
    { id: 2, needs: [1] },
  ],
  { goal: "a roof" },
)

/** A team whose first run has one task, which is done. */
async function prepare(makeDatabase: MakeDatabase) {
  const db = await makeDatabase()
  const store = await db.connect()
  const ctx = context(store)
  await run(ctx, applyPlan, { plan: FIRST })
  const finish = async (id: string) => {
    await store.claimTask(claimRequest("w1", { taskId: id }))
    await store.finishTask(finishRequest(id, { owner: "w1" }))
  }
  const current = async () => (await store.read((tx) => tx.teams.find(TEAM))) ?? undefined
  return { db, store, ctx, finish, current, [Symbol.asyncDispose]: () => db[Symbol.asyncDispose]() }
}

for (const [name, makeDatabase] of Object.entries(STORES)) {
  describe(`runs of a team, on ${name}`, () => {
    it("F007: a plan for a team that is done begins a new run with its own task ids", async () => {
      await using scene = await prepare(makeDatabase)
      const { ctx } = scene
      await scene.finish("1")
      const applied = await run(ctx, applyPlan, { plan: SECOND })
      expect(applied).toMatchObject({ created: ["1", "2"], updated: [], others: [], closed: 1, team: { run: 2 } })
      expect(await run(ctx, teamStatus, {})).toMatchObject({ run: 2, goal: "a roof", stats: { total: 2, open: 2 } })
      expect(await run(ctx, teamStatus, { run: 1 })).toMatchObject({ run: 1, goal: "walls", stats: { resolved: 1 } })
      expect(await run(ctx, getTask, { id: "1", run: 1 })).toMatchObject({ title: "Walls", status: "resolved" })
      expect(await run(ctx, getTask, { id: "1" })).toMatchObject({ title: "Roof", status: "open" })
      expect(await run(ctx, listRuns, {})).toMatchObject([
        { run: 1, goal: "walls", isCurrent: false, outcome: "closed", done: 1, total: 1, delivered: null },
        { run: 2, goal: "a roof", isCurrent: true, outcome: "waiting", done: 0, total: 2, startedAt: null },
      ])
    })

    it("names the runs there are where another is asked for", async () => {
      await using scene = await prepare(makeDatabase)
      const refused = await refusal(run(scene.ctx, listTasks, { run: 3 }))
      expect(refused).toMatchObject({ code: "run.not_found", details: { run: 3, runs: [1] } })
      expect(await refusalCode(run(scene.ctx, listTasks, { run: 0 }))).toBe("input.invalid")
      expect(await refusalCode(run(scene.ctx, listTasks, { team: "none", run: 1 }))).toBe("team.not_found")
    })

    it("refuses every change of an earlier run", async () => {
      await using scene = await prepare(makeDatabase)
      const { store, ctx } = scene
      await scene.finish("1")
      await run(ctx, applyPlan, { plan: SECOND })
      const earlier = { ...TEAM, run: 1 }
      expect(await refusalCode(store.write((tx) => tx.teams.find(earlier)))).toBe("run.closed")
      expect(await refusalCode(store.write((tx) => tx.teams.lock(earlier)))).toBe("run.closed")
      expect(await store.claimTask(claimRequest("w1", { taskId: "1", run: 1 }))).toBeUndefined()
      expect(await store.finishTask(finishRequest("1", { run: 1 }))).toBeUndefined()
      const leader = { ...earlier, holder: "h", leaseMs: 1000, settings: "{}", isGone: () => false }
      expect(await refusalCode(takeLead(ctx, leader))).toBe("run.closed")
    })

    it("goes on with a run where the same plan comes again, and refuses another until it is said what to do", async () => {
      await using scene = await prepare(makeDatabase)
      const { store, ctx } = scene
      await store.claimTask(claimRequest("w1", { taskId: "1" }))
      expect(await run(ctx, applyPlan, { plan: FIRST })).toMatchObject({ unchanged: ["1"], closed: null })
      const refused = await refusal(run(ctx, applyPlan, { plan: SECOND }))
      expect(refused).toMatchObject({ code: "run.unfinished", details: { run: 1, left: 1 } })
      // Somebody works on it: it is not closed under their hands.
      expect(await refusalCode(run(ctx, applyPlan, { plan: SECOND, new: true }))).toBe("team.busy")
      expect(await refusalCode(run(ctx, applyPlan, { plan: SECOND, new: true, add: true }))).toBe("usage")
      expect((await scene.current())?.run).toBe(1)
    })

    it("adds to the current run where that is asked for, under numbers that are free", async () => {
      await using scene = await prepare(makeDatabase)
      const { ctx } = scene
      await scene.finish("1")
      const applied = await run(ctx, applyPlan, { plan: SECOND, add: true })
      expect(applied).toMatchObject({ created: ["3", "2"], others: ["1"], closed: null, team: { run: 1 } })
      expect(await run(ctx, getTask, { id: "2" })).toMatchObject({ blockedBy: ["3"] })
      // Once more adds nothing.
      expect(await run(ctx, applyPlan, { plan: SECOND, add: true })).toMatchObject({ created: [], closed: null })
      // What nobody has begun may still be changed; what somebody has may not.
      await run(ctx, applyPlan, { plan: planOf([{ id: "api", title: "One" }]), add: true })
      const other = planOf([{ id: "api", title: "Another" }])
      expect(await run(ctx, applyPlan, { plan: other, add: true })).toMatchObject({ updated: ["api"], created: [] })
      await scene.finish("api")
      const again = planOf([{ id: "api", title: "A third" }])
      const refused = await refusal(run(ctx, applyPlan, { plan: again, add: true }))
      expect(refused).toMatchObject({ code: "plan.started", details: { tasks: [{ task: "api", fields: ["title"] }] } })
    })

    it("closes a run that is not over where that is asked for", async () => {
      await using scene = await prepare(makeDatabase)
      const { ctx } = scene
      expect(await run(ctx, applyPlan, { plan: SECOND, new: true })).toMatchObject({ closed: 1, created: ["1", "2"] })
      const [first] = await run(ctx, listRuns, {})
      expect(first).toMatchObject({ run: 1, outcome: "closed", done: 0, total: 1 })
      const events = await allEvents(scene.store, (await scene.store.read((tx) => tx.teams.runs(TEAM)))[0]?.key ?? 0)
      expect(events.at(-1)).toMatchObject({ type: "team.closed", data: { next: 2 } })
    })

    it("never gives a worker's number or a leader's token twice", async () => {
      await using scene = await prepare(makeDatabase)
      const { store, ctx } = scene
      const take = () => takeLead(ctx, { ...TEAM, holder: "h", leaseMs: 60_000, settings: "{}", isGone: () => false })
      const lead = await take()
      expect(await refusalCode(run(ctx, applyPlan, { plan: SECOND, new: true }))).toBe("team.busy")
      await endLead(ctx, lead, "interrupted")
      const before = await store.write(async (tx) => tx.workers.takeId((await tx.teams.find(TEAM))?.key ?? 0))
      await run(ctx, applyPlan, { plan: SECOND, new: true })
      const after = await store.write(async (tx) => tx.workers.takeId((await tx.teams.find(TEAM))?.key ?? 0))
      expect([before, after]).toEqual(["w1", "w2"] as WorkerId[])
      const next = await take()
      expect(next.token).toBe(lead.token + 1)
      // Whoever led the run before leads nothing any more.
      expect(await renewLead(ctx, lead)).toBe(false)
    })

    it("takes along what holds for the team, and leaves the rest with its run", async () => {
      await using scene = await prepare(makeDatabase)
      const { ctx } = scene
      await run(ctx, addWisdom, { kind: "learning", text: "bricks are heavy" })
      await run(ctx, giveFeedback, { text: "no wood, please" })
      await run(ctx, giveFeedback, { text: "thicker", task: "1" })
      await scene.finish("1")
      await run(ctx, applyPlan, { plan: planOf([{ id: 1 }], { goal: "a roof", mode: "SUPERVISED", qa: true }) })
      const third = async () => (await run(ctx, applyPlan, { plan: FIRST, new: true })).team
      expect(await third()).toMatchObject({ run: 3, mode: "SUPERVISED", hasQa: true, protocol: "planned" })
      expect((await run(ctx, listWisdom, {})).map(({ text }) => text)).toEqual(["bricks are heavy"])
      const { feedback } = await run(ctx, giveFeedback, { list: true })
      expect(feedback.map(({ text }) => text)).toEqual(["no wood, please"])
    })

    it("begins the next run of a team that is done by its goal alone, and forgets all of them", async () => {
      await using scene = await prepare(makeDatabase)
      const { store, ctx } = scene
      expect(await refusalCode(run(ctx, createTeam, { goal: "a garden" }))).toBe("team.exists")
      await scene.finish("1")
      expect(await run(ctx, createTeam, { goal: "a garden" })).toMatchObject({ run: 2, goal: "a garden" })
      expect(await run(ctx, cleanTeam, { purge: true })).toMatchObject({ purged: true })
      expect(await store.read((tx) => tx.teams.runs(TEAM))).toEqual([])
    })

    it("comes into another store with all its runs", async () => {
      await using scene = await prepare(makeDatabase)
      await scene.finish("1")
      await run(scene.ctx, applyPlan, { plan: SECOND })
      const arrivals = await Promise.all(
        [1, 2].map(async (number) => {
          const { snapshot, events } = await readArchive(scene.ctx, { ...TEAM, run: number })
          return { snapshot, history: events.map(({ seq: _, cursor: __, ...event }) => event as never), origin: null }
        }),
      )
      await using other = await makeDatabase()
      const there = context(await other.connect())
      expect(await importTeams(there, arrivals.toReversed(), { dryRun: false })).toEqual(["imported", "imported"])
      expect(await run(there, teamStatus, {})).toMatchObject({ run: 2, goal: "a roof" })
      expect(await run(there, teamStatus, { run: 1 })).toMatchObject({ goal: "walls", stats: { resolved: 1 } })
      expect(await importTeams(there, arrivals, { dryRun: false })).toEqual(["unchanged", "unchanged"])
      // A copy that has moved on to a run of its own does not mix with this one.
      const [, second] = arrivals
      if (second === undefined) throw new Error("there are two")
      const third = { ...second, snapshot: { ...second.snapshot, team: { ...second.snapshot.team, run: 3 } } }
      expect(await importTeams(there, [third], { dryRun: false })).toEqual(["conflict"])
    })
  })
}

it("a house begins with its first run", async () => {
  const { db, testTeam } = await openTestTeam(STORES.sqlite as MakeDatabase)
  await using _ = db
  expect(await run(testTeam, teamStatus, {})).toMatchObject({ run: 1 })
})
