import { describe, expect, it } from "bun:test"
import {
  type RanCommand,
  readStandings,
  type Standing,
  standingOf,
  standingWithout,
  summarizeStandings,
} from "./baseline.ts"
import { compareResults, compareTooSlow } from "./compare-results.ts"
import { ANY_TEST } from "./failing-test.ts"

const PASSED: RanCommand = {
  ...{ command: { kind: "test", line: "npm test" }, hasPassed: true, durationMs: 5, outputFile: "/out" },
}
const failed = (...names: string[]): RanCommand => ({
  ...{ ...PASSED, hasPassed: false },
  tests: { format: "tap", passed: ["z"], failed: names, skipped: [] },
})
const UNREADABLE: RanCommand = { ...PASSED, hasPassed: false }
const MISSING: RanCommand = { ...UNREADABLE, missing: "ava" }
const EMPTY: RanCommand = { ...PASSED, ranNoTest: true }
const SLOW: RanCommand = { ...UNREADABLE, stopped: { limitMs: 1000 } }

const compare = (now: RanCommand, before: RanCommand | undefined, more: { isNamed?: boolean; asked?: string[] } = {}) =>
  compareResults(now, {
    base: before && standingOf(before),
    isNamed: more.isNamed ?? false,
    asked: new Set(more.asked),
  })

describe("a result next to the base", () => {
  it.each([
    ["green stays green", PASSED, PASSED, "passed"],
    ["what was red is green", PASSED, failed("a"), "passed"],
    ["the same is red", failed("a"), failed("a"), "passed"],
    ["less is red", failed("a"), failed("a", "b"), "passed"],
    ["something else is red", failed("a", "b"), failed("a"), "failed"],
    ["green becomes red", failed("a"), PASSED, "failed"],
    ["nobody knows the base", failed("a"), undefined, "failed"],
    ["red as a whole stays red", UNREADABLE, UNREADABLE, "skipped"],
    ["red as a whole can be read now", failed("a"), UNREADABLE, "skipped"],
    ["what could be read can be read no more", UNREADABLE, failed("a"), "failed"],
    ["green becomes red as a whole", UNREADABLE, PASSED, "failed"],
    ["a program is missing as before", MISSING, MISSING, "skipped"],
    ["a program is missing that was there", MISSING, PASSED, "failed"],
    ["a program is missing that was there, and the tests were red", MISSING, failed("a"), "failed"],
    ["a program is there now, and tests fail", failed("a"), MISSING, "failed"],
    ["a program is there now, and tests pass", PASSED, MISSING, "passed"],
    ["it takes too long as before", SLOW, SLOW, "skipped"],
    ["it takes too long now", SLOW, PASSED, "failed"],
    ["it ran no test before either", EMPTY, EMPTY, "skipped"],
    ["it runs no test any more", EMPTY, PASSED, "failed"],
    ["it runs no test any more, and some were red", EMPTY, failed("a"), "failed"],
    ["it ran no test, and nobody knows the base", EMPTY, undefined, "skipped"],
    [
      "it was killed after the failures of before",
      { ...failed("a"), stopped: { limitMs: null } },
      failed("a"),
      "failed",
    ],
  ] as const)("F001 F003: %s", (_, now, before, status) => {
    expect(compare(now, before).status).toBe(status)
  })

  it("passes nothing that ran no test where the acceptance names it, and takes no killed run for a failing test", () => {
    expect(compare(EMPTY, EMPTY, { isNamed: true }).status).toBe("failed")
    const killed = { ...UNREADABLE, stopped: { limitMs: null } }
    expect(compare(killed, PASSED, { asked: [ANY_TEST] }).status).toBe("failed")
    expect(compare(MISSING, PASSED, { asked: [ANY_TEST] }).status).toBe("failed")
  })

  it("F003: counts what was red before and is now, and names what is broken", () => {
    expect(compare(PASSED, failed("a", "b"))).toMatchObject({
      before: 2,
      now: 0,
      remark: "2 tests failed before, none now",
    })
    expect(compare(failed("a", "c"), failed("a", "b"))).toMatchObject({
      ...{ before: 2, now: 2, broken: ["c"], remark: "1 test fails that did not before: c" },
    })
    expect(compare(failed("a"), failed("a", "b"))).toMatchObject({ before: 2, now: 1, isWarning: true })
  })

  it("F003: holds a task to the check that it names, unless that cannot run here", () => {
    expect(compare(failed("a"), failed("a"), { isNamed: true }).status).toBe("failed")
    expect(compare(UNREADABLE, UNREADABLE, { isNamed: true }).status).toBe("failed")
    expect(compare(MISSING, MISSING, { isNamed: true }).status).toBe("skipped")
  })

  it("F001: excuses no missing program that the task itself may have to write", () => {
    const own: RanCommand = { ...UNREADABLE, missing: "shop" }
    expect(compare(own, own, { isNamed: true })).toMatchObject({ status: "failed", isWarning: false })
    expect(compare(own, own).status).toBe("skipped")
  })

  it("F014: lets a failing test through that a task was asked for", () => {
    expect(compare(failed("a", "new"), failed("a"), { asked: ["new"] })).toMatchObject({
      status: "passed",
      asked: ["new"],
    })
    expect(compare(failed("b", "new"), failed("a"), { asked: ["new"] })).toMatchObject({
      status: "failed",
      broken: ["b"],
    })
    expect(compare(UNREADABLE, PASSED, { asked: [ANY_TEST] }).status).toBe("passed")
  })

  it("tells what is flaky, and what is not run at all", () => {
    expect(compare({ ...PASSED, flaky: ["a"] }, PASSED)).toMatchObject({
      status: "passed",
      isWarning: true,
      flaky: ["a"],
    })
    expect(compareTooSlow({ advice: "wait" })).toMatchObject({ status: "skipped", isWarning: true })
  })
})

describe("a standing", () => {
  it("F001 F002: says what is missing and what to do", () => {
    const ruff = { ...MISSING, command: { kind: "lint", line: "ruff check ." }, missing: "ruff" } as const
    expect(standingOf(ruff)).toMatchObject({ state: "not_installed", program: "ruff", advice: "pip install ruff" })
    expect(standingOf(MISSING).advice).toBe("install the project's packages: npm install")
    expect(standingOf(SLOW)).toMatchObject({
      state: "too_slow",
      advice: expect.stringContaining("gates.timeoutSeconds"),
    })
    expect(standingWithout("build", true)).toMatchObject({ state: "absent", line: null })
    expect(standingWithout("build", false)).toMatchObject({
      state: "off",
      advice: expect.stringContaining("enableBuild"),
    })
  })

  it("is told in a few words, and read as far as it can be", () => {
    const gates: Standing[] = [standingOf(PASSED), standingOf(MISSING), standingOf(failed("a", "b"))]
    expect(summarizeStandings(gates)).toBe("test green, test not installed (ava), test red (2 failing)")
    expect(readStandings(JSON.stringify(gates))).toEqual(gates)
    expect(readStandings('[{"state":"purple"},3]')).toEqual([])
    expect(readStandings("{")).toEqual([])
  })
})
