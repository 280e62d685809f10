// The real engine and store in a simulated world, with faults. Every run of the tests takes the same 150 seeds, and 50
// others that change with each commit, so that over time many are tried. `SIM_RUNS=1000` runs the seeds 1 to 1000
// instead. `SIM_SEED` runs one seed alone and prints what happens: `SIM_SEED=123 bun test ./test/sim/simulation.test.ts`.
import { describe, expect, it } from "bun:test"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { sandboxEnv } from "../support/sandbox.ts"
import { compareRuns, simulate } from "./simulation.ts"

const FIXED_SEEDS = 150
const WINDOW = 50
const SEED = process.env.SIM_SEED
const SEEDS = process.env.SIM_RUNS === undefined ? chosenSeeds() : range(1, Number(process.env.SIM_RUNS))
const PATIENCE_MS = Math.max(60_000, SEEDS.length * 2000)

describe("the engine in a simulated world", () => {
  it("gives the same history for the same seed, and another for another", async () => {
    const first = await simulate(7)
    compareRuns(first, await simulate(7))
    expect(() => compareRuns(first, { ...first, events: first.events.slice(1) })).toThrow("I9")
    expect((await simulate(8)).events).not.toEqual(first.events)
  })

  it("brings every plan to its end when nothing goes wrong, without anybody's help", async () => {
    for (let seed = 1; seed <= 30; seed++) {
      const { ends } = await simulate(seed, { hasFaults: false })
      expect(new Set(ends)).toEqual(new Set(["done: all tasks are done and verified"]))
      expect(ends.length).toBeLessThanOrEqual(2)
    }
  }, 180_000)

  it("F012, F023: a hopeless task costs at most three runs, and the rest is delivered without it", async () => {
    let delivered = 0
    for (let seed = 1; seed <= 20; seed++) {
      const result = await simulate(seed, { hasFaults: false, isHopeless: true })
      const { ends, events, hopeless, partialDelivery } = result
      expect(ends.at(-1)).toBe("done: all tasks are done and verified")
      const beforeHelp = events.slice(
        0,
        events.findIndex(({ type }) => type === "team.left"),
      )
      const isOwn = ({ type, data }: (typeof events)[number]) =>
        type === "run.started" && data.task === hopeless && data.turn !== 0
      const attempts = Map.groupBy(beforeHelp.filter(isOwn), ({ data }) => data.attempt)
      for (const runs of attempts.values()) expect(runs.length).toBeLessThanOrEqual(3)
      if (!ends[0]?.startsWith("stuck: ")) continue
      const merged = beforeHelp.filter(({ type }) => type === "task.merged")
      const parts = beforeHelp.filter(({ type }) => type === "target.delivered")
      if (partialDelivery !== "always" || merged.length === 0) expect(parts).toEqual([])
      else {
        expect(String(parts.at(-1)?.data.left_out)).toContain(`${hopeless}: failed: `)
        delivered++
      }
    }
    expect(delivered).toBeGreaterThan(3)
  }, 180_000)

  it("F024: of tasks that change the same file each is repaired at most once, and one of them never", async () => {
    let mended = 0
    for (let seed = 1; seed <= 25; seed++) {
      const { events, ends, crowd } = await simulate(seed, { hasFaults: false, isCrowded: true })
      expect(ends.at(-1)).toBe("done: all tasks are done and verified")
      // Another run of the team does the tasks anew.
      const next = events.findIndex(({ type }) => type === "team.closed")
      const ofRun = next === -1 ? events : events.slice(0, next)
      const failed = ofRun.filter(({ type, data }) => type === "task.merge_failed" && data.reason === "conflict")
      const of = failed.map(({ data }) => String(data.task))
      // A fix that does not merge would be named as the task.
      expect(of.filter((task) => task.startsWith("fix-"))).toEqual([])
      expect(new Set(of).size).toBe(of.length)
      const ofCrowd = of.filter((task) => crowd.includes(task))
      expect(ofCrowd.length).toBeLessThanOrEqual(Math.max(0, crowd.length - 1))
      mended += of.length
    }
    expect(mended).toBeGreaterThan(20)
  }, 180_000)

  if (SEED === undefined)
    it(
      `holds to its invariants and ends, whatever goes wrong: ${SEEDS.length} runs, the last with seed ${SEEDS.at(-1)}`,
      runAll,
      PATIENCE_MS,
    )
  else it(`replays seed ${SEED}`, () => replay(Number(SEED)), PATIENCE_MS)
})

async function replay(seed: number): Promise<void> {
  const result = await simulate(seed, { say: (line) => console.log(line) })
  console.log(result.faults.join("\n"))
  compareRuns(result, await simulate(seed))
}

async function runAll(): Promise<void> {
  const parts = Math.min(SEEDS.length, availableParallelism())
  const dealt = Array.from({ length: parts }, (_, part) => SEEDS.filter((_, at) => at % parts === part))
  const lines = (await Promise.all(dealt.map(runSeeds))).flat()
  const failures = lines.flatMap((line) => ("message" in line ? line.message : []))
  expect(failures.join("\n")).toBe("")
  const runs = lines.reduce((sum, line) => sum + ("runs" in line ? line.runs : 0), 0)
  expect(runs).toBe(SEEDS.length)
}

/** The number of commits moves the window; without a history it stays where it is. */
function chosenSeeds(): number[] {
  const counted = Bun.spawnSync(["git", "rev-list", "--count", "HEAD"], { cwd: import.meta.dir, stderr: "ignore" })
  const commits = Number(counted.stdout.toString()) || 0
  const first = FIXED_SEEDS + 1 + commits * WINDOW
  return [...range(1, FIXED_SEEDS), ...range(first, first + WINDOW - 1)]
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at)
}

type Line = { readonly seed: number; readonly message: string } | { readonly runs: number; readonly steps: number }

async function runSeeds(seeds: readonly number[]): Promise<Line[]> {
  const command = [process.execPath, join(import.meta.dir, "run-seeds.ts"), ...seeds.map(String)]
  const child = Bun.spawn(command, { env: sandboxEnv(), stdout: "pipe", stderr: "inherit" })
  const text = await new Response(child.stdout).text()
  expect(await child.exited).toBe(0)
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line)
}
