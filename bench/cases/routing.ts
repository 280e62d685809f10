import { join } from "node:path"
import type { BenchCase } from "../lib/bench-case.ts"
import { median, show } from "../lib/measure.ts"
import { timeProcess } from "../lib/program.ts"
import type { RoutingReport } from "../route-texts.ts"

const RUNS = 15
const ROUTE_TEXTS = join(import.meta.dir, "../route-texts.ts")

export const routing: BenchCase = {
  name: "routing",
  summary: "classifying and scoring 1,000 task texts in a new process, in CPU time",
  async run({ sandbox }) {
    const place = { cwd: sandbox.folder("routing"), env: sandbox.env() }
    const reports: RoutingReport[] = []
    for (let run = 0; run < RUNS; run++) {
      const { stdout } = await timeProcess([process.execPath, ROUTE_TEXTS], place)
      reports.push(JSON.parse(stdout))
    }
    const first = reports.map(({ cpuMs }) => cpuMs[0] ?? 0)
    const warm = reports.map(({ cpuMs }) => median(cpuMs))
    const figures = `largest ${show(Math.max(...first))} ms, later ${show(median(warm))} ms; ${reports[0]?.letters} letters each`
    return [{ what: "1,000 texts, CPU", value: median(first), unit: "ms", limit: { atMost: 50 }, figures }]
  },
}
