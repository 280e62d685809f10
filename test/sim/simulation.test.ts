// The real engine and store in a simulated world, with faults. `SIM_RUNS` says how many seeds are run, `SIM_SEED` runs one
// of them alone and tells what happens in it: `SIM_SEED=123 bun test ./test/sim/simulation.test.ts`.
import { describe, expect, it } from "bun:test"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { sandboxEnv } from "../support/sandbox.ts"
import { compareRuns, simulate } from "./simulation.ts"

const RUNS = Number(process.env.SIM_RUNS ?? 1000)
const SEED = process.env.SIM_SEED
const PATIENCE_MS = Math.max(60_000, RUNS * 2000)

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
      expect(ends).toEqual(["done: all tasks are done and verified"])
    }
  }, 180_000)

  if (SEED === undefined) it(`holds to its invariants and ends, whatever goes wrong: ${RUNS} runs`, runAll, PATIENCE_MS)
  else it(`replays seed ${SEED}`, () => replay(Number(SEED)), PATIENCE_MS)
})

async function replay(seed: number): Promise<void> {
  const result = await simulate(seed, { say: (line) => console.log(line) })
  console.log(result.faults.join("\n"))
  compareRuns(result, await simulate(seed))
}

async function runAll(): Promise<void> {
  const parts = Math.min(RUNS, availableParallelism())
  const ranges = Array.from({ length: parts }, (_, part) => ({
    first: Math.floor((RUNS * part) / parts) + 1,
    last: Math.floor((RUNS * (part + 1)) / parts),
  }))
  const lines = (await Promise.all(ranges.map(runSeeds))).flat()
  const failures = lines.flatMap((line) => ("message" in line ? line.message : []))
  expect(failures.join("\n")).toBe("")
  const runs = lines.reduce((sum, line) => sum + ("runs" in line ? line.runs : 0), 0)
  expect(runs).toBe(RUNS)
}

type Line = { readonly seed: number; readonly message: string } | { readonly runs: number; readonly steps: number }

async function runSeeds({ first, last }: { first: number; last: number }): Promise<Line[]> {
  const command = [process.execPath, join(import.meta.dir, "run-seeds.ts"), String(first), String(last)]
  const child = Bun.spawn(command, { env: sandboxEnv(), stdout: "pipe", stderr: "inherit" })
  const text = await new Response(child.stdout).text()
  expect(await child.exited).toBe(0)
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line)
}
