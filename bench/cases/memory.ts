import { fileURLToPath } from "node:url"
import type { BenchCase, Finding } from "../lib/bench-case.ts"
import { median, show } from "../lib/measure.ts"
import { FROM_SOURCE, timeProcess } from "../lib/program.ts"
import { halfDone, type SeededHome, seedHome } from "../lib/seed.ts"
import type { MemoryReport } from "../measure-process.ts"

const RUNS = 5
const LIMIT_MB = 80
const MEASURE = [process.execPath, fileURLToPath(import.meta.resolve("../measure-process.ts"))]

export const memory: BenchCase = {
  name: "memory",
  summary: "the most memory a call of the command line holds",
  async run({ sandbox, binary, say }) {
    say("making 10,000 and 100,000 tasks")
    const many = await seedHome(sandbox, halfDone(10_000))
    const most = await seedHome(sandbox, halfDone(100_000))
    const calls = [
      { what: "task claim --next", home: most, args: ["task", "claim", "--next", "--owner", "w1"] },
      { what: "task list, 10,000 tasks", home: many, args: ["task", "list"] },
      { what: "project status, 100,000 tasks", home: most, args: ["project", "status"] },
    ]
    const built = [await binary()]
    const findings: Finding[] = []
    for (const { what, home, args } of calls) {
      findings.push({ ...(await largest([...built, ...args], home)), what, limit: { atMost: LIMIT_MB } })
      findings.push({ ...(await largest([...FROM_SOURCE, ...args], home)), what: `${what}, from source` })
    }
    return findings
  },
}

async function largest(
  command: readonly string[],
  home: SeededHome,
): Promise<Pick<Finding, "value" | "unit" | "figures">> {
  const reports: MemoryReport[] = []
  for (let run = 0; run < RUNS; run++) {
    reports.push(JSON.parse((await timeProcess([...MEASURE, ...command], home)).stdout))
  }
  const megabytes = (bytes: number) => bytes / 1e6
  const figures = `floor ${show(megabytes(median(reports.map((each) => each.floorBytes))))} MB`
  return { value: megabytes(median(reports.map((each) => each.maxRssBytes))), unit: "MB", figures }
}
