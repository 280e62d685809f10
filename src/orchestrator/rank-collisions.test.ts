import { describe, expect, it } from "bun:test"
import fc from "fast-check"
import { openTask } from "../../test/support/engine.ts"
import { NO_WORK } from "../tasks/task.ts"
import { expectFiles, type RankedWork, rankCollisions } from "./rank-collisions.ts"

const work = (id: string, paths: readonly string[], patterns: readonly string[] = []): RankedWork => ({
  ...{ id, paths, patterns },
})
const ranks = (ready: readonly RankedWork[], ahead: readonly RankedWork[] = []) =>
  Object.fromEntries(rankCollisions(ready, ahead))

describe("F019: the order of ready tasks", () => {
  it("puts one of those that collide beside all that collide with nothing", () => {
    const area = ["a", "b", "c"].map((id) => work(id, ["src/routes.ts"]))
    expect(ranks([...area, work("x", ["src/x.ts"]), work("y", [])])).toEqual({ a: 0, b: 1, c: 2, x: 0, y: 0 })
  })

  it("counts what runs and what waits to be merged", () => {
    const ready = [work("a", ["a.ts", "b.ts"]), work("b", ["b.ts"]), work("c", ["c.ts"])]
    expect(ranks(ready, [work("1", ["a.ts"]), work("2", ["b.ts", "c.ts"])])).toEqual({ b: 1, c: 1, a: 3 })
  })

  it("compares what is owned with what was changed, and patterns with each other", () => {
    const ready = [work("a", [], ["src/api/**"]), work("b", [], ["docs/*.md"]), work("c", [], ["src/*/index.ts"])]
    expect(ranks(ready, [work("1", ["docs/guide.md"])])).toEqual({ a: 0, b: 1, c: 1 })
  })

  it("gives each ready task a rank, and never more than there are others", () => {
    const files = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d"), { maxLength: 3 })
    fc.assert(
      fc.property(fc.array(files, { maxLength: 12 }), fc.array(files, { maxLength: 4 }), (some, more) => {
        const ready = some.map((paths, at) => work(`r${at}`, paths))
        const found = rankCollisions(
          ready,
          more.map((paths, at) => work(`a${at}`, paths)),
        )
        expect([...found.keys()].sort()).toEqual(ready.map(({ id }) => id).sort())
        for (const rank of found.values()) expect(rank).toBeWithin(0, ready.length + more.length)
      }),
    )
  })
})

describe("the files that a task is expected to change", () => {
  it("are those it owns, and else those that its words name, without what is merged by a rule", () => {
    expect(expectFiles(openTask("1", { files: ["src/a.ts", "package.json"], description: "see src/b.ts" }))).toEqual({
      ...{ patterns: ["src/a.ts"], paths: [] },
    })
    const words = {
      title: "Add a route in ./src/routes.ts",
      description: "Mention it in docs/api and package.json, e.g. 1.2",
    }
    expect(expectFiles(openTask("1", { ...words, work: { ...NO_WORK, commands: ["echo > list.txt"] } }))).toEqual({
      ...{ patterns: [], paths: ["src/routes.ts", "docs/api", "list.txt"] },
    })
  })
})
