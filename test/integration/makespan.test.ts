// The makespan bench simulates how the store gives tasks out. Here the store itself does, on the same plans.
import { describe, expect, it } from "bun:test"
import { eager, firstCome, inWaves, simulate } from "../../bench/lib/simulate.ts"
import { makeGraph, measureTails, type TaskGraph } from "../../bench/lib/task-graphs.ts"
import { parseTaskId } from "../../src/kernel/ids.ts"
import type { Schedule } from "../../src/kernel/team.ts"
import type { Store } from "../../src/store/port.ts"
import { brief, claimRequest, finishRequest, makeTeam, STORES } from "../support/stores.ts"

const SEEDS = [1, 2, 3]
const TIMEOUT_MS = 60_000

/** The plan in a store, which then gives its tasks out. */
async function runOnStore(store: Store, graph: TaskGraph, schedule: Schedule): Promise<readonly string[]> {
  const { key } = await makeTeam(store, { phase: "EXECUTION", schedule })
  const waves = Math.max(...graph.tasks.map(({ wave }) => wave))
  await store.write(async (tx) => {
    // All of them first: a task may need one that comes later.
    for (const { id } of graph.tasks) await tx.tasks.create(key, parseTaskId(id), brief(), null)
    for (const { id, needs } of graph.tasks) await tx.tasks.setNeeds(key, parseTaskId(id), needs.map(parseTaskId))
    await tx.tasks.setWaves(key, graph.tasks)
    for (let number = 1; number <= waves; number++)
      await tx.waves.put(key, { number, verdict: null, startedAt: null, verifiedAt: null })
  })
  const left = new Map<number, number>()
  for (const { wave } of graph.tasks) left.set(wave, (left.get(wave) ?? 0) + 1)
  const result = await simulate(
    graph,
    async (ready) => {
      const claimed = await store.claimTask(claimRequest("w1"))
      return claimed && ready.find(({ id }) => id === claimed.task.id)
    },
    async (id) => {
      await store.finishTask(finishRequest(id, { owner: "w1" }))
      const wave = graph.tasks[Number(id) - 1]?.wave ?? 0
      left.set(wave, (left.get(wave) ?? 0) - 1)
      if (left.get(wave) !== 0) return
      await store.write((tx) =>
        tx.waves.put(key, { number: wave, verdict: "verified", startedAt: null, verifiedAt: 1 }),
      )
    },
  )
  return result.taken
}

for (const [name, makeDatabase] of Object.entries(STORES)) {
  describe(name, () => {
    it.each(name === "sqlite" ? SEEDS : SEEDS.slice(0, 1))(
      "gives out the tasks of plan %i as simulated",
      async (seed) => {
        const graph = makeGraph(seed)
        const { choose, onDone } = inWaves(graph.tasks)
        const simulated = { eager: await simulate(graph, eager), waves: await simulate(graph, choose, onDone) }
        for (const schedule of ["eager", "waves"] as const) {
          await using db = await makeDatabase()
          expect(await runOnStore(await db.connect(), graph, schedule)).toEqual(simulated[schedule].taken)
        }
      },
      TIMEOUT_MS,
    )
  })
}

describe("the plans", () => {
  it("are the same for the same seed, and within their limits", () => {
    for (let seed = 1; seed <= 50; seed++) {
      const { tasks, workers } = makeGraph(seed)
      expect(makeGraph(seed).tasks).toEqual(tasks)
      expect(tasks.length).toBeWithin(20, 201)
      expect(workers).toBeWithin(2, 9)
    }
    expect(makeGraph(1).tasks).not.toEqual(makeGraph(2).tasks)
  })

  it("take no less than the lower bound, and no more than everything one after the other", async () => {
    for (let seed = 1; seed <= 50; seed++) {
      const graph = makeGraph(seed)
      const work = graph.tasks.reduce((sum, { duration }) => sum + duration, 0)
      for (const choose of [eager, firstCome]) {
        const { makespan, taken } = await simulate(graph, choose)
        expect(makespan).toBeGreaterThanOrEqual(graph.lowerBound - 1e-9)
        expect(makespan).toBeLessThanOrEqual(work + 1e-9)
        expect(taken.toSorted()).toEqual(graph.tasks.map(({ id }) => id).toSorted())
      }
    }
  })

  it("have tails that a chain shows", () => {
    const task = (id: string, needs: string[], wave: number) => ({ id, needs, wave, height: 0, duration: Number(id) })
    const tails = measureTails([task("1", [], 1), task("2", ["1"], 2), task("3", ["1"], 2), task("4", ["2", "3"], 3)])
    expect(Object.fromEntries(tails)).toEqual({ 1: 8, 2: 6, 3: 7, 4: 4 })
  })
})
