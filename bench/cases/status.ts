import { systemClock } from "../../src/lib/clock.ts"
import { teamStatus } from "../../src/reporting/operations/team-status.ts"
import { openSqliteStore } from "../../src/store/sqlite/store.ts"
import type { BenchCase } from "../lib/bench-case.ts"
import { median, show } from "../lib/measure.ts"
import { contextOf, halfDone, seedHome, TEAM } from "../lib/seed.ts"

const RUNS = 20

export const status: BenchCase = {
  name: "status",
  summary: "project status of 100,000 tasks, in CPU time",
  async run({ sandbox, say }) {
    say("making 100,000 tasks")
    const home = await seedHome(sandbox, halfDone(100_000))
    await using store = await openSqliteStore({ path: home.storePath, clock: systemClock })
    const context = contextOf(store)
    const times: number[] = []
    for (let run = 0; run < RUNS; run++) {
      const before = process.cpuUsage()
      const { stats } = await teamStatus.run(context, TEAM)
      const { user, system } = process.cpuUsage(before)
      if (stats.total !== 100_000) throw new Error(`${stats.total} tasks were counted`)
      times.push((user + system) / 1000)
    }
    const figures = `first ${show(times[0] ?? 0)} ms, largest ${show(Math.max(...times))} ms`
    return [{ what: "100,000 tasks, CPU", value: median(times), unit: "ms", limit: { atMost: 100 }, figures }]
  },
}
