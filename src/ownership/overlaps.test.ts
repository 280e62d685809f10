import { describe, expect, it } from "bun:test"
import fc from "fast-check"
import type { TaskFiles } from "./judge-path.ts"
import { findOverlaps, listOverlaps, makeConcurrency } from "./overlaps.ts"

const SHARED = ["**/package.json", "**/*.lock"]
const task = (id: string, ...files: string[]): TaskFiles => ({ id, files })

describe("overlaps of tasks", () => {
  it("name both patterns and a path", () => {
    expect(findOverlaps(task("1", "docs/**", "src/**/*.ts"), [task("2", "src/api/**"), task("3", "x")], [])).toEqual([
      { task: "1", pattern: "src/**/*.ts", other: "2", otherPattern: "src/api/**", path: "src/api/.ts" },
    ])
  })

  it("leave shared files to those who name them", () => {
    const named = task("1", "package.json")
    expect(findOverlaps(named, [task("2", "**")], SHARED)).toEqual([])
    expect(findOverlaps(named, [task("2", "**")], [])).toHaveLength(1)
    expect(findOverlaps(named, [task("2", "{package.json,lib/**}")], SHARED)).toMatchObject([{ path: "package.json" }])
    expect(findOverlaps(task("1", "{yarn.lock,lib/**}"), [task("2", "lib/a.ts")], SHARED)).toMatchObject([
      { path: "lib/a.ts" },
    ])
  })

  it("of many tasks are those of each pair", () => {
    const pattern = fc.constantFrom(
      "a/**",
      "a/b/*",
      "*",
      "**",
      "a/?",
      "b",
      "{a,b}/c",
      "ab/*",
      "a/b/c",
      "[ab]/c",
      "a*/c/",
    )
    const files = fc.array(pattern, { maxLength: 3 })
    fc.assert(
      fc.property(fc.array(files, { maxLength: 7 }), (all) => {
        const tasks = all.map((each, index) => task(String(index), ...each))
        const pairs = tasks.flatMap((each, index) => findOverlaps(each, tasks.slice(index + 1), SHARED))
        const names = (found: typeof pairs) => found.map(({ task, other }) => [task, other].sort().join(" ")).sort()
        expect(names(listOverlaps(tasks, SHARED))).toEqual(names(pairs))
      }),
      { numRuns: 300 },
    )
  })

  it("are found among a thousand tasks with five patterns each in a moment", () => {
    const tasks = Array.from({ length: 1000 }, (_, index) => {
      const folder = `packages/p${index}`
      return task(
        String(index),
        `${folder}/src/**`,
        `${folder}/*.md`,
        `${folder}/test/**/*.ts`,
        `docs/${index}.md`,
        `e/${index}/`,
      )
    })
    const start = performance.now()
    expect(listOverlaps(tasks, SHARED)).toEqual([])
    expect(listOverlaps([...tasks, task("late", "packages/p7/src/a.ts")], SHARED)).toHaveLength(1)
    expect(performance.now() - start).toBeLessThan(5000)
  })
})

describe("tasks at the same time", () => {
  const node = (id: string, blockedBy: string[], status: "open" | "resolved" | "failed" = "open") => ({
    id,
    blockedBy,
    status,
  })

  it("are those of which neither waits for the other, directly or through others", () => {
    const canMeet = makeConcurrency([node("1", []), node("2", ["1"]), node("3", ["2"]), node("4", ["1"])])
    expect([canMeet("1", "3"), canMeet("3", "1"), canMeet("3", "4"), canMeet("2", "4")]).toEqual([
      false,
      false,
      true,
      true,
    ])
  })

  it("may also be those between which lies a task that is met", () => {
    const through = (status: "resolved" | "failed") =>
      makeConcurrency([node("1", []), node("2", ["1"], status), node("3", ["2"])])("1", "3")
    expect([through("resolved"), through("failed")]).toEqual([true, false])
  })
})
