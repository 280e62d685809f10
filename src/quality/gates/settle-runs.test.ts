import { describe, expect, it } from "bun:test"
import type { StoredResult } from "./result-store.ts"
import { hasRunEnough, settleRuns } from "./settle-runs.ts"

const result = (more: Partial<StoredResult> = {}): StoredResult => ({
  ...{ line: "npm test", tree: "t", exitCode: 1, tail: "", outputHash: "", durationMs: 1, ranAt: "", runs: 1 },
  ...more,
})
const tests = (...failed: string[]) => ({ format: "tap", passed: [], failed, skipped: [] })
const LIMIT = { twice: false, timeoutMs: 1000 }

describe("hasRunEnough", () => {
  it("takes one run, and two where a failure must come twice (I13)", () => {
    expect(hasRunEnough(result(), LIMIT)).toBe(true)
    expect(hasRunEnough(result(), { ...LIMIT, twice: true })).toBe(false)
    expect(hasRunEnough(result({ runs: 2 }), { ...LIMIT, twice: true })).toBe(true)
    expect(hasRunEnough(result({ exitCode: 0 }), { ...LIMIT, twice: true })).toBe(true)
    expect(hasRunEnough(result({ missing: "go" }), { ...LIMIT, twice: true })).toBe(true)
  })

  it("runs what was killed once more, and what was too slow only with more time", () => {
    const killed = { stopped: { ending: "was killed", limitMs: null } }
    expect(hasRunEnough(result(killed), LIMIT)).toBe(false)
    expect(hasRunEnough(result({ ...killed, runs: 2 }), LIMIT)).toBe(true)
    const slow = { stopped: { ending: "was stopped", limitMs: 1000 } }
    expect(hasRunEnough(result(slow), LIMIT)).toBe(true)
    expect(hasRunEnough(result(slow), { ...LIMIT, timeoutMs: 2000 })).toBe(false)
  })
})

describe("settleRuns", () => {
  it("calls flaky what failed and then passed", () => {
    expect(settleRuns(result({ tests: tests("a") }), result({ exitCode: 0 }))).toMatchObject({
      exitCode: 0,
      runs: 2,
      flaky: ["a"],
    })
  })

  it("counts the tests that failed twice, and names those that failed once", () => {
    const settled = settleRuns(result({ tests: tests("a", "b") }), result({ tests: tests("b", "c") }))
    expect(settled).toMatchObject({ exitCode: 1, runs: 2, tests: { failed: ["b"] }, flaky: ["a", "c"] })
  })

  it("is failed where no single test failed twice, or nobody can read them", () => {
    expect(settleRuns(result({ tests: tests("a") }), result({ tests: tests("b") }))).toMatchObject({
      exitCode: 1,
      runs: 2,
      tests: { failed: ["b"] },
    })
    expect(settleRuns(result(), result())).toMatchObject({ exitCode: 1, runs: 2 })
    expect(settleRuns(undefined, result())).toMatchObject({ runs: 1 })
  })
})
