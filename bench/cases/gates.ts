import { parseTaskId } from "../../src/kernel/ids.ts"
import { testCommit } from "../../src/quality/verify/test-commit.ts"
import { verifyTask } from "../../src/quality/verify/verify-task.ts"
import { TEAM } from "../../test/support/stores.ts"
import { COUNT, setUpVerifier } from "../../test/support/verifier.ts"
import type { BenchCase } from "../lib/bench-case.ts"
import { median, show } from "../lib/measure.ts"

const FILES = 10_000
const ROUNDS = 5

export const gates: BenchCase = {
  name: "gates",
  summary: "gates on a tree of 10,000 files that was judged before: no command runs",
  async run() {
    const scripts = { test: COUNT, build: COUNT, lint: COUNT }
    const files = Array.from({ length: FILES }, (_, index) => [
      `src/${index % 100}/${index}.ts`,
      `export const a = ${index}\n`,
    ])
    const manifest = { "package.json": JSON.stringify({ scripts }) }
    await using world = await setUpVerifier({ ...Object.fromEntries(files), ...manifest })
    const base = world.repository.run("rev-parse", "HEAD")
    await world.create("1", { check: [COUNT] })
    world.repository.commit("Work", { "src/work.ts": "export const work = 1\n" })
    const verifier = await world.verifier()
    const task = () => verifyTask(verifier, { ...TEAM, taskId: parseTaskId("1"), base })
    // Of a commit that is not checked out here.
    const merged = () => testCommit(verifier, TEAM, base)
    const firsts = [await timed(task), await timed(merged)]
    const ran = world.count()
    if (ran !== 4) throw new Error(`${ran} of 4 commands ran at first`)
    const times: [number[], number[]] = [[], []]
    for (let round = 0; round < ROUNDS; round++) {
      times[0].push(await timed(task))
      times[1].push(await timed(merged))
    }
    const figures = (at: 0 | 1) => `the first time ${show(firsts[at] ?? 0)} ms, with its commands`
    return [
      {
        what: "commands run on an unchanged tree",
        value: world.count() - ran,
        unit: "runs",
        limit: { atMost: 0 },
        figures: `${ran} at first`,
      },
      { what: "task gate on an unchanged tree", value: median(times[0]), unit: "ms", figures: figures(0) },
      { what: "tests of a merge on a known tree", value: median(times[1]), unit: "ms", figures: figures(1) },
    ]
  },
}

async function timed(work: () => Promise<{ status: string }>): Promise<number> {
  const start = performance.now()
  const { status } = await work()
  if (status !== "passed") throw new Error(`the gate says ${status}`)
  return performance.now() - start
}
