import { Database } from "bun:sqlite"
import { fileURLToPath } from "node:url"
import type { ContenderReport } from "../contender.ts"
import type { BenchCase, Finding } from "../lib/bench-case.ts"
import { readLines } from "../lib/lines.ts"
import { percentile, show } from "../lib/measure.ts"
import { type SeededHome, seedHome } from "../lib/seed.ts"

const PROCESSES = 8
const TOGETHER_MS = 10_000
const ALONE_MS = 3000
const LOCKED_MS = 1000
const TASKS = 90_000

export const contention: BenchCase = {
  name: "contention",
  summary: "eight processes claim and resolve on one SQLite store",
  async run(bench) {
    bench.say(`making ${TASKS} tasks`)
    const home = await seedHome(bench.sandbox, { total: TASKS, done: 0 })
    bench.say(`one process, ${PROCESSES} together, one again`)
    const before = await contend(home, 1, ALONE_MS)
    const together = await contend(home, PROCESSES, TOGETHER_MS)
    const after = await contend(home, 1, ALONE_MS)
    const locked = await whileLocked(home)
    return [...compare([...before, ...after], together), lagWhileLocked(locked)]
  },
}

function compare(alone: readonly ContenderReport[], together: readonly ContenderReport[]): Finding[] {
  const finished = together.map((each) => each.finished)
  const aloneRate = (total(alone) * 1000) / (ALONE_MS * alone.length)
  const rate = (total(together) * 1000) / TOGETHER_MS
  const waits = together.flatMap((each) => each.operationsMs)
  const lags = together.map((each) => show(each.largestLagMs)).join(", ")
  return [
    {
      what: `${PROCESSES} processes against one`,
      value: rate / aloneRate,
      unit: "x",
      figures: `${show(rate)} tasks/s against ${show(aloneRate)}`,
    },
    {
      what: "wait, p99",
      value: percentile(waits, 99),
      unit: "ms",
      limit: { atMost: 150 },
      figures: `median ${show(percentile(waits, 50))} ms, largest ${show(Math.max(...waits))} ms; alone p99 ${show(
        percentile(
          alone.flatMap((each) => each.operationsMs),
          99,
        ),
      )} ms`,
    },
    {
      what: "largest share against smallest",
      value: Math.max(...finished) / Math.min(...finished),
      unit: "x",
      limit: { atMost: 2 },
      figures: `${finished.toSorted((a, b) => a - b).join(", ")} tasks`,
    },
    {
      what: "largest timer lag",
      value: Math.max(...together.map((each) => each.largestLagMs)),
      unit: "ms",
      figures: `of each: ${lags} ms; alone ${show(Math.max(...alone.map((each) => each.largestLagMs)))} ms`,
    },
  ]
}

/** The plain case of waiting: somebody else holds the lock, and nothing else goes on. */
function lagWhileLocked({ largestLagMs }: ContenderReport): Finding {
  const what = `timer lag while locked for ${LOCKED_MS / 1000} s`
  return { what, value: largestLagMs, unit: "ms", limit: { atMost: 50 } }
}

function total(reports: readonly ContenderReport[]): number {
  return reports.reduce((sum, each) => sum + each.finished, 0)
}

async function contend(home: SeededHome, processes: number, durationMs: number): Promise<ContenderReport[]> {
  const contenders = await Promise.all(Array.from({ length: processes }, (_, index) => start(home, `w${index + 1}`)))
  return Promise.all(contenders.map((contender) => contender.go(durationMs)))
}

async function whileLocked(home: SeededHome): Promise<ContenderReport> {
  const contender = await start(home, "w1")
  const db = new Database(home.storePath)
  db.run("begin immediate")
  const report = contender.go(1) // one claim and one resolve
  await Bun.sleep(LOCKED_MS)
  db.run("rollback")
  db.close()
  return report
}

async function start(home: SeededHome, owner: string): Promise<{ go(durationMs: number): Promise<ContenderReport> }> {
  const script = fileURLToPath(import.meta.resolve("../contender.ts"))
  const command = [process.execPath, script, home.storePath, owner]
  const child = Bun.spawn(command, { ...home, stdio: ["pipe", "pipe", "inherit"] })
  const lines = readLines(child.stdout)
  await lines.next()
  return {
    async go(durationMs) {
      child.stdin.write(`${durationMs}\n`)
      await child.stdin.end()
      const { value } = await lines.next()
      await child.exited
      return JSON.parse(value ?? "")
    },
  }
}
