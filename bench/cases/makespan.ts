import type { BenchCase } from "../lib/bench-case.ts"
import { percentile, show } from "../lib/measure.ts"
import { type Choose, eager, firstBy, firstCome, inWaves, simulate } from "../lib/simulate.ts"
import { makeGraph, measureTails, type TaskGraph } from "../lib/task-graphs.ts"

const GRAPHS = 1000

export const makespan: BenchCase = {
  name: "makespan",
  summary: "simulated length of 1,000 plans against the least possible, by the order in which tasks are given out",
  async run() {
    const ratios = { eager: [] as number[], firstCome: [] as number[], waves: [] as number[], known: [] as number[] }
    for (let seed = 1; seed <= GRAPHS; seed++) {
      const graph = makeGraph(seed)
      const add = async (list: number[], choose: Choose, onDone?: (id: string) => Promise<void>) =>
        list.push((await simulate(graph, choose, onDone)).makespan / graph.lowerBound)
      await add(ratios.eager, eager)
      await add(ratios.firstCome, firstCome)
      await add(ratios.known, withDurations(graph))
      const { choose, onDone } = inWaves(graph.tasks)
      await add(ratios.waves, choose, onDone)
    }
    const average = (list: readonly number[]) => list.reduce((sum, each) => sum + each, 0) / list.length
    const against = average(ratios.eager) / average(ratios.firstCome)
    const better = ratios.eager.filter((each, index) => each < (ratios.firstCome[index] ?? 0)).length
    const worse = ratios.eager.filter((each, index) => each > (ratios.firstCome[index] ?? 0)).length
    const spread = (list: readonly number[]) =>
      `median ${show(percentile(list, 50))}x, p95 ${show(percentile(list, 95))}x, largest ${show(Math.max(...list))}x`
    const row = (what: string, list: readonly number[]) =>
      ({ what, value: average(list), unit: "x", figures: spread(list) }) as const
    return [
      { ...row("eager", ratios.eager), limit: { atMost: 1.15 } },
      {
        ...{ what: "eager against first come", value: against, unit: "x", limit: { atMost: 0.99 } },
        figures: `shorter in ${better} of ${GRAPHS} plans, longer in ${worse}`,
      },
      row("first come", ratios.firstCome),
      row("waves", ratios.waves),
      row("eager, if durations were known", ratios.known),
    ]
  },
}

/** The best that any order by priority gets near, since it knows what nobody knows. */
function withDurations({ tasks }: TaskGraph): Choose {
  const tails = measureTails(tasks)
  return firstBy((a, b) => (tails.get(b.id) ?? 0) - (tails.get(a.id) ?? 0))
}
