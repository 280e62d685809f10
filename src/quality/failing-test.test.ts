import { describe, expect, it } from "bun:test"
import type { TaskId } from "../kernel/ids.ts"
import { ANY_TEST, allowedTests, asksForFailingTest, findAskedTests } from "./failing-test.ts"
import type { Verdict } from "./verdict.ts"

describe("a task that is asked for a failing test", () => {
  it.each([
    "A failing test reproduces the bug",
    "Add a failing regression test",
    "The cause is named, and something shows it, such as a test that fails because of it",
    "There is a test which still fails",
  ])("F014: says so: %s", (line) => {
    expect(asksForFailingTest({ acceptance: ["something else", line] })).toBe(true)
  })

  it.each([
    "Tests of the new behaviour are there and pass",
    "No failing tests are left",
    "Fix the failing test",
    "The failing tests pass",
    "The failing test is gone",
    "It does not fail any test",
  ])("is not one that says: %s", (line) => {
    expect(asksForFailingTest({ acceptance: [line] })).toBe(false)
  })

  it("F014: brought the tests that the base does not have", () => {
    const results = (passed: string[], failed: string[]) => ({ format: "tap", passed, failed, skipped: [] })
    expect(findAskedTests(results(["a"], ["b", "new"]), results(["a"], ["b"]), false)).toEqual(["new"])
    // Where the base names no tests that pass, only files of tests may have changed.
    expect(findAskedTests(results([], ["new"]), results([], []), false)).toEqual([])
    expect(findAskedTests(results([], ["new"]), results([], []), true)).toEqual(["new"])
    expect(findAskedTests(undefined, undefined, true)).toEqual([ANY_TEST])
    expect(findAskedTests(undefined, undefined, false)).toEqual([])
  })
})

describe("the failing tests that a gate lets through", () => {
  const id = (name: string) => name as TaskId
  const task = (name: string, ...needs: string[]) =>
    ({ id: id(name), blockedBy: needs.map(id), status: "open" }) as const
  const baseline = { before: 0, now: 1, broken: [], asked: ["new"], flaky: null }
  const verdict: Verdict = {
    ...{ scope: "task", subject: "show", status: "passed", issues: [], by: "gate", timestamp: "" },
    checks: [{ name: "acceptance_passes", status: "passed", command: "npm test", baseline }],
  }
  const all = new Map([["npm test", ["new"]]])

  it("F014: are those of merged tasks, until a task that needs them is done", () => {
    const tasks = [task("show"), task("middle", "show"), task("fix", "middle"), task("other")]
    expect(allowedTests([verdict], tasks, "merged")).toEqual(all)
    expect(allowedTests([verdict], tasks, { task: id("other") })).toEqual(all)
    expect(allowedTests([verdict], tasks, { task: id("fix") })).toEqual(new Map())
    expect(allowedTests([verdict], tasks, "final")).toEqual(new Map())
    expect(allowedTests([verdict], [task("show"), task("other")], "final")).toEqual(all)
    expect(allowedTests([{ ...verdict, status: "failed" }], tasks, "merged")).toEqual(new Map())
  })

  it("are found among thousands of tasks at once", () => {
    const names = Array.from({ length: 5000 }, (_, number) => `task-${number}`)
    const verdicts = names.map((subject) => ({ ...verdict, subject, checks: [] }))
    const tasks = [task("show"), ...names.map((name) => task(name))]
    const start = performance.now()
    expect(allowedTests([...verdicts, verdict], tasks, "final")).toEqual(all)
    // To ask of each task who needs it took longer than anybody waits.
    expect(performance.now() - start).toBeLessThan(5000)
  })
})
