import { fileURLToPath } from "node:url"
import { systemClock } from "../../src/lib/clock.ts"
import { openSqliteStore } from "../../src/store/sqlite/store.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { seedFiles } from "../baseline/seed-files.ts"
import { claimNextFile, releaseFile } from "../baseline/task-files.ts"
import type { Bench, BenchCase, Finding } from "../lib/bench-case.ts"
import { timeClaim } from "../lib/claims.ts"
import { median, show, takeTurns } from "../lib/measure.ts"
import { FROM_SOURCE, timeProcess } from "../lib/program.ts"
import { contextOf, halfDone, seedHome, TEAM } from "../lib/seed.ts"

const ROUNDS = 10
const RUNS = { 10: 40, 10000: 15 } as const
const SCRIPT = [process.execPath, fileURLToPath(import.meta.resolve("../baseline/claim-next.ts"))]

export const taskFiles: BenchCase = {
  name: "task-files",
  summary: "claiming the next task, against one JSON file per task and directory locks",
  async run(bench) {
    return [
      await compareInProcess(bench),
      ...(await compareProcesses(bench, 10, { atMost: 1 })),
      ...(await compareProcesses(bench, 10_000, { atMost: 1 / 5 })),
    ]
  },
}

async function compareInProcess({ sandbox }: Bench): Promise<Finding> {
  const plan = halfDone(1000)
  const home = await seedHome(sandbox, plan)
  const folder = seedFiles(sandbox, plan)
  await using store = await openSqliteStore({ path: home.storePath, clock: systemClock })
  const context = contextOf(store)
  const times = await takeTurns(
    {
      ours: () => timeEach(20, () => claimTask.run(context, { ...TEAM, next: true, owner: "w1" })),
      files: () => timeEach(5, () => claimNextFile(folder, "w1")),
    },
    ROUNDS,
  )
  const [ours, files] = [median(times.ours), median(times.files)]
  const figures = `${show(ours)} ms against ${show(files)} ms`
  return { what: "in-process, 1,000 tasks, faster by", value: files / ours, unit: "x", limit: { atLeast: 20 }, figures }
}

/** Milliseconds for one of `count`. */
async function timeEach(count: number, work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  for (let done = 0; done < count; done++) if ((await work()) === undefined) throw new Error("no task was left")
  return (performance.now() - start) / count
}

async function compareProcesses(
  { sandbox, binary, say }: Bench,
  total: 10 | 10_000,
  limit: { atMost: number },
): Promise<Finding[]> {
  const plan = halfDone(total)
  const home = await seedHome(sandbox, plan)
  const folder = seedFiles(sandbox, plan)
  const built = [await binary()]
  say(`${RUNS[total]} processes of each, ${total} tasks`)
  const files = async () => {
    const { ms, stdout } = await timeProcess([...SCRIPT, folder, "w1"], home)
    await releaseFile(`${folder}/${JSON.parse(stdout).id}.json`, "w1")
    return ms
  }
  const sides = { files, built: () => timeClaim(built, home), source: () => timeClaim(FROM_SOURCE, home) }
  const times = await takeTurns(sides, RUNS[total])
  const finding = (side: "built" | "source"): Finding => ({
    what: `process, ${total.toLocaleString("en-US")} tasks, ${side === "built" ? "built binary" : "from source"}`,
    value: median(times[side]) / median(times.files),
    unit: "x",
    limit: side === "built" ? limit : undefined,
    figures: `${show(median(times[side]))} ms against ${show(median(times.files))} ms`,
  })
  return [finding("built"), finding("source")]
}
