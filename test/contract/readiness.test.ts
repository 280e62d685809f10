// src/tasks/readiness.ts and the claim statements of both databases give the same answer for random teams.

import { describe, expect, it } from "bun:test"
import fc from "fast-check"
import { parseTaskId, parseWorkerId } from "../../src/kernel/ids.ts"
import { SCHEDULES, TEAM_PHASES } from "../../src/kernel/team.ts"
import type { Store, StoredTeam } from "../../src/store/port.ts"
import { availableTasks } from "../../src/tasks/operations/list-tasks.ts"
import { findObstacle } from "../../src/tasks/readiness.ts"
import { TASK_STATUSES, type Task } from "../../src/tasks/task.ts"
import { currentWave } from "../../src/tasks/wave.ts"
import { claimRequest, makeTask, makeTeam, STORES, until } from "../support/stores.ts"

const role = fc.constantFrom("docs", "test", "worker")
const name = fc.constantFrom("w1", "w2")

const task = fc.record({
  role,
  status: fc.oneof({ weight: 3, arbitrary: fc.constant("open" as const) }, fc.constantFrom(...TASK_STATUSES)),
  assignee: fc.option(name, { freq: 3, nil: null }),
  wave: fc.integer({ min: 0, max: 2 }),
  needs: fc.array(fc.nat(5), { maxLength: 1 }),
  holder: name,
  isExpired: fc.boolean(),
})

const team = fc.record({
  schedule: fc.constantFrom(...SCHEDULES),
  status: fc.oneof({ weight: 6, arbitrary: fc.constant("active" as const) }, fc.constant("paused" as const)),
  phase: fc.oneof({ weight: 4, arbitrary: fc.constant("EXECUTION" as const) }, fc.constantFrom(...TEAM_PHASES)),
  verdicts: fc.constantFrom([], [null, null], ["verified", null], ["verified", "verified"], ["failed", null]),
  tasks: fc.array(task, { minLength: 1, maxLength: 6 }),
})

const claimant = fc.record({ owner: name, role: fc.option(role, { nil: null }), strictRole: fc.boolean() })

type RandomTeam = typeof team extends fc.Arbitrary<infer T> ? T : never

const RUNS = 60
const HELD_FOR_ANOTHER: [RandomTeam, { owner: "w1"; role: null; strictRole: false }] = [
  {
    schedule: "waves",
    status: "active",
    phase: "EXECUTION",
    verdicts: [],
    tasks: [{ role: "docs", status: "in_progress", assignee: "w2", wave: 0, needs: [], holder: "w1", isExpired: true }],
  },
  { owner: "w1", role: null, strictRole: false },
]
const LONG_MS = 3_600_000

for (const [store, makeDatabase] of Object.entries(STORES))
  describe(`${store}: readiness`, () => {
    it("is the same in the claim statement, in the list of available tasks and in TypeScript", async () => {
      await using db = await makeDatabase()
      const connection = await db.connect()
      let number = 0
      await fc.assert(
        fc.asyncProperty(team, claimant, async (given, who) => {
          const made = await makeRandomTeam(connection, `t${number++}`, given)
          const { tasks, facts, now } = await look(connection, made)
          const obstacleFor = (each: Task, strictRole: boolean) =>
            findObstacle(each, facts, { now, claimant: { ...who, workerId: who.owner, strictRole } })
          const ready = tasks.filter((each) => findObstacle(each, facts, { now }) === undefined)
          const available = await connection.read((tx) => availableTasks(tx, made, {}))
          expect(available.map(({ id }) => id).sort()).toEqual(ready.map(({ id }) => id).sort())

          const asked = { ...who, team: made.team }
          const next = await claimAndUndo(connection, claimRequest(who.owner, { ...asked, leaseMs: LONG_MS }))
          // A task that is assigned to the claimant is given to it whatever its role.
          const isForNext = (each: Task) =>
            // Its holder may renew an expired claim by name. Asking for the next task does not: it is meant for another.
            !(each.claimedBy === who.owner && each.assignee !== null && each.assignee !== who.owner) &&
            !(each.status === "in_progress" && each.claimedBy === who.owner && !ready.includes(each)) &&
            obstacleFor(each, !(each.status === "open" && each.assignee === who.owner)) === undefined
          const candidates: string[] = tasks.filter(isForNext).map(({ id }) => id)
          if (next === undefined) expect(candidates).toEqual([])
          else expect(candidates).toContain(next)

          for (const each of tasks) {
            const request = claimRequest(who.owner, { ...asked, taskId: each.id, leaseMs: LONG_MS })
            const claimed = await claimAndUndo(connection, request)
            const obstacle = obstacleFor(each, who.strictRole)
            expect({ id: each.id, isClaimed: claimed !== undefined }).toEqual({
              id: each.id,
              isClaimed: obstacle === undefined,
            })
          }
        }),
        { numRuns: RUNS, examples: [HELD_FOR_ANOTHER] },
      )
    })
  })

class Undo extends Error {
  override name = "Undo"
}

/** The id of the task that the claim got. The transaction is undone, so that every claim finds the same team. */
async function claimAndUndo(store: Store, request: ReturnType<typeof claimRequest>): Promise<string | undefined> {
  let claimed: string | undefined
  try {
    await store.write(async (tx) => {
      claimed = (await tx.claimTask(request))?.task.id
      throw new Undo()
    })
  } catch (error) {
    if (!(error instanceof Undo)) throw error
  }
  return claimed
}

async function makeRandomTeam(store: Store, name: string, given: RandomTeam): Promise<StoredTeam> {
  const { tasks, verdicts, ...facts } = given
  const made = await makeTeam(store, { ...facts, status: "active", phase: "EXECUTION", team: name })
  for (const [index, each] of tasks.entries()) {
    const blockedBy = each.needs.filter((need) => need < index).map((need) => `${need + 1}`)
    const assignee = each.assignee === null ? null : parseWorkerId(each.assignee)
    const wave = each.wave === 0 ? undefined : each.wave
    await makeTask(store, made.key, `${index + 1}`, { role: each.role, assignee, blockedBy, wave })
  }
  await store.write(async (tx) => {
    for (const [index, verdict] of verdicts.entries())
      await tx.waves.put(made.key, { number: index + 1, verdict: verdict as null, startedAt: null, verifiedAt: null })
    for (const [index, { status, holder, isExpired }] of tasks.entries()) {
      const id = parseTaskId(`${index + 1}`)
      if (status === "in_progress" || status === "in_review")
        await tx.tasks.take(made.key, id, { owner: holder, leaseMs: isExpired ? 1 : LONG_MS })
      await tx.tasks.update(made.key, id, { status, ...(status === "in_review" ? { leaseUntil: null } : {}) })
    }
    await tx.teams.update(made.key, { status: facts.status, phase: facts.phase })
  })
  const before = await store.read((tx) => tx.now())
  await until(async () => (await store.read((tx) => tx.now())) > before + 2, "the short leases to run out")
  return { ...made, ...facts }
}

async function look(store: Store, team: StoredTeam) {
  return store.read(async (tx) => ({
    tasks: await tx.tasks.list(team.key),
    facts: { ...team, currentWave: currentWave(await tx.waves.list(team.key)) },
    now: await tx.now(),
  }))
}
