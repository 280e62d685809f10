// Merging without git must give what git gives, and leave to git whatever there is to decide.
import { describe, expect, it } from "bun:test"
import fc from "fast-check"
import { mergeApart } from "../../src/git/merges/merge-apart.ts"
import { mergeCommits } from "../../src/git/merges/merge-commits.ts"
import { type Files, type MergeRepository, makeMergeRepository } from "../support/merge-repository.ts"

const START: Files = {
  "README.md": "start\n",
  "src/a.ts": "a\n",
  "src/b.ts": "b\n",
  "src/in/deep.ts": "deep\n",
  "src.ts": "sorted between\n",
  "odd/ü name.txt": "x\n",
}

async function both(repository: MergeRepository, ours: Files, theirs: Files) {
  const base = await repository.commit([], START)
  const one = await repository.commit([base], ours)
  const other = await repository.commit([base], theirs)
  const apart = await mergeApart(repository.git, { ours: one, theirs: other, base })
  return { apart, byGit: await mergeCommits(repository.git, one, other) }
}

describe("merging two that changed different files", () => {
  it.each<[what: string, ours: Files, theirs: Files]>([
    ["new files", { "new.txt": "1\n" }, { "other.txt": "2\n" }],
    ["in the same folder", { "src/a.ts": "changed\n" }, { "src/b.ts": "changed\n", "src/c.ts": "new\n" }],
    ["in a new folder of both", { "lib/one.ts": "1\n" }, { "lib/two.ts": "2\n", "lib/in/three.ts": "3\n" }],
    ["names around a folder's", { "src-x": "1\n" }, { "src/in/x": "2\n", src0: "3\n" }],
    ["names that are not ASCII", { "odd/ö.txt": "1\n" }, { "odd/ü name.txt": "2\n", "ärger/ß": "3\n" }],
    ["what the others removed", { "src/in/deep.ts": null }, { "src/a.ts": "changed\n" }],
    ["a mode and a link", { "x.sh": "1\n" }, { "src/a.ts": { mode: "100755", content: "a\n" }, l: link("src.ts") }],
  ])("gives the tree that git gives: %s", async (_, ours, theirs) => {
    using repository = await makeMergeRepository()
    const { apart, byGit } = await both(repository, ours, theirs)
    expect(apart).toBeDefined()
    expect(byGit).toEqual({ isClean: true, tree: apart ?? "" })
  })

  it.each<[what: string, ours: Files, theirs: Files]>([
    ["the same file", { "src/a.ts": "one\n" }, { "src/a.ts": "two\n" }],
    ["the same new file", { "new.txt": "one\n" }, { "new.txt": "two\n" }],
    ["a file that is gone", { "src/a.ts": null }, { "src/a.ts": "changed\n" }],
    ["a removal", { "new.txt": "1\n" }, { "src/a.ts": null }],
    ["a folder that was renamed", { "src/in/deep.ts": null, "src/out/deep.ts": "deep\n" }, { "src/in/new.ts": "1\n" }],
    ["a file where there is a folder", { "lib/x": "1\n" }, { lib: "2\n" }],
    ["a folder where there is a file", { lib: "1\n" }, { "lib/x": "2\n" }],
    ["a repository within", { "new.txt": "1\n" }, { sub: { mode: "160000", content: "1".repeat(40) } }],
  ])("leaves to git: %s", async (_, ours, theirs) => {
    using repository = await makeMergeRepository()
    expect((await both(repository, ours, theirs)).apart).toBeUndefined()
  })

  it("leaves to git what is no line of commits", async () => {
    using repository = await makeMergeRepository()
    const base = await repository.commit([], START)
    const side = await repository.commit([base], { side: "1\n" })
    const merge = await repository.commit([base, side], { other: "2\n" })
    const ours = await repository.commit([base], { ours: "3\n" })
    expect(await mergeApart(repository.git, { ours, theirs: merge, base })).toBeUndefined()
  })

  it("gives the same as git for whatever two did, or leaves it to git", async () => {
    using repository = await makeMergeRepository()
    const path = fc.constantFrom(
      ...Object.keys(START),
      "src/new.ts",
      "src/in/new.ts",
      "lib/x",
      "lib",
      "src/in",
      "Z",
      "a/b/c",
    )
    const content = fc.constantFrom("1\n", "2\n", "a\n", "deep\n", null)
    const edits = fc.dictionary(path, content, { minKeys: 1, maxKeys: 4 }).filter(isPossible)
    let count = 0
    await fc.assert(
      fc.asyncProperty(edits, edits, async (ours, theirs) => {
        const { apart, byGit } = await both(repository, ours, theirs)
        if (apart === undefined) return
        count++
        expect(byGit).toEqual({ isClean: true, tree: apart })
      }),
      { numRuns: 60 },
    )
    expect(count).toBeGreaterThan(5)
  })
})

function link(to: string) {
  return { mode: "120000", content: to }
}

/** Nothing is a file and a folder, and only what is there is removed. */
function isPossible(files: Files): boolean {
  const left = new Set([...Object.keys(START), ...Object.keys(files)].filter((path) => files[path] !== null))
  const isApart = [...left].every((one) => ![...left].some((other) => other.startsWith(`${one}/`)))
  return isApart && Object.entries(files).every(([path, file]) => file !== null || path in START)
}
