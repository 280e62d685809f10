import { describe, expect, it } from "bun:test"
import { join } from "node:path"
import { makeRepository, type Repository } from "../../test/support/repository.ts"
import { startTalk } from "../lib/process/talk.ts"
import { findCommit, getTree, isAncestor, makeContains } from "./ancestry.ts"
import { isFullName, makeObjectReader } from "./object-reader.ts"

describe("what git objects without being started", () => {
  it("names as they are now, whoever moved them meanwhile", async () => {
    using repository = makeRepository()
    const objects = await repository.git.objects()
    const first = repository.run("rev-parse", "HEAD")
    expect(await objects.commit("HEAD")).toMatchObject({ commit: first, parents: [] })
    expect(await objects.commit("refs/heads/other")).toBeUndefined()
    const second = repository.commit("Second", { "b.txt": "b\n" })
    repository.run("branch", "other", first)
    expect(await objects.commit("HEAD")).toMatchObject({ commit: second, parents: [first] })
    expect((await objects.commit("refs/heads/other"))?.commit).toBe(first)
    repository.run("pack-refs", "--all")
    repository.run("gc", "--quiet")
    expect((await objects.commit("refs/heads/other"))?.commit).toBe(first)
    repository.run("update-ref", "refs/heads/other", second)
    expect((await objects.commit("refs/heads/other"))?.commit).toBe(second)
    repository.run("branch", "-D", "other")
    expect(await objects.commit("refs/heads/other")).toBeUndefined()
  })

  it("files and folders, whatever is in them", async () => {
    using repository = makeRepository({ files: { "a/b": "1234567890 commit 3\nx missing\n", empty: "" } })
    const objects = await repository.git.objects()
    const tree = repository.run("rev-parse", "HEAD^{tree}")
    expect(String((await objects.read(`${tree}:a/b`))?.content)).toBe("1234567890 commit 3\nx missing\n")
    expect((await objects.read(`${tree}:empty`))?.content.length).toBe(0)
    expect(await objects.read(`${tree}:none`)).toBeUndefined()
    expect(await objects.read("two\nlines")).toBeUndefined()
    expect(await objects.id(`${tree}:a`)).toBe(repository.run("rev-parse", "HEAD:a"))
  })

  it("differences, with attributes that hide nothing", async () => {
    using repository = makeRepository({ files: { ".gitattributes": "*.x -diff\n", "a.x": "one\n" } })
    const before = repository.run("rev-parse", "HEAD^{tree}")
    repository.commit("Change", { "a.x": "two\n" })
    const after = repository.run("rev-parse", "HEAD^{tree}")
    const objects = await repository.git.objects()
    expect(await objects.diff(["--patch", "--unified=0"], before, after)).toContain("-one\n+two\n")
    expect(await objects.diff(["--patch", "--unified=0"], before, before)).toBe("")
  })

  it("from a new process where the old one was killed", async () => {
    using repository = makeRepository()
    const head = repository.run("rev-parse", "HEAD")
    const env = { ...process.env, GIT_DIR: join(repository.path, ".git") }
    let starts = 0
    const objects = makeObjectReader(
      (args) => {
        const dies = ++starts === 2 ? ["sh", "-c", "read word; kill -9 $$"] : ["git", ...args]
        return startTalk({ command: dies, cwd: "/", env, timeoutMs: 20_000 })
      },
      () => `mark ${starts}`,
    )
    expect((await objects.commit("HEAD"))?.commit).toBe(head)
    const tree = repository.run("rev-parse", "HEAD^{tree}")
    expect(await objects.diff(["--raw"], tree, tree)).toBe("")
    expect(starts).toBe(3)
  })

  it("only for names that need no guess", () => {
    const names = ["HEAD", "refs/heads/a-b/c", "a".repeat(40), "main-worktree/HEAD"]
    expect(names.map(isFullName)).toEqual(names.map(() => true))
    const others = ["main", "abc123", "HEAD~1", "refs/heads/a^{tree}", "-x", "refs/heads/a b", "a\nb", ":/x", "@{-1}"]
    expect(others.map(isFullName)).toEqual(others.map(() => false))
  })
})

describe("who contains whom", () => {
  it("near and far, and not at all", async () => {
    using repository = makeRepository()
    const line = [repository.run("rev-parse", "HEAD"), ...grow(repository, 60)]
    repository.run("switch", "--quiet", "--orphan", "apart")
    const apart = repository.commit("Apart", { apart: "" })
    const contains = makeContains(repository.git)
    const [last = "", first = "", middle = ""] = [line.at(-1), line[0], line[20]]
    expect(await Promise.all([last, middle, first, apart].map((each) => contains(last, each)))).toEqual([
      ...[true, true, true],
      false,
    ])
    expect(await contains(first, last)).toBe(false)
    expect(await contains(middle, first)).toBe(true)
    expect(await contains(last, "0".repeat(40))).toBe(false)
    for (const each of [last, middle, first]) expect(await isAncestor(repository.git, each, last)).toBe(true)
    for (const each of [apart, "0".repeat(40)]) expect(await isAncestor(repository.git, each, last)).toBe(false)
  })

  it("asks git for all that is far away at once, however many are looked for", async () => {
    using repository = makeRepository()
    const line = [repository.run("rev-parse", "HEAD"), ...grow(repository, 60)]
    const asked: string[] = []
    const git = {
      ...repository.git,
      run: (args: readonly string[]) => {
        asked.push(args[0] ?? "")
        return repository.git.run(args)
      },
    }
    const contains = makeContains(git)
    for (const each of line) expect(await contains(line.at(-1) ?? "", each)).toBe(true)
    expect(asked).toEqual(["rev-list"])
  })

  it("through merges, which no line has", async () => {
    using repository = makeRepository()
    const base = repository.run("rev-parse", "HEAD")
    repository.run("switch", "--quiet", "-c", "side")
    const side = repository.commit("Side", { side: "" })
    repository.run("switch", "--quiet", "main")
    const main = repository.commit("Main", { main: "" })
    expect(await isAncestor(repository.git, side, main)).toBe(false)
    repository.run("merge", "--quiet", "--no-edit", "side")
    const merge = repository.run("rev-parse", "HEAD")
    for (const each of [base, main, side]) expect(await isAncestor(repository.git, each, merge)).toBe(true)
    expect(await makeContains(repository.git)(merge, side)).toBe(true)
    expect(await findCommit(repository.git, "main")).toMatchObject({ commit: merge, parents: [main, side] })
    expect(await getTree(repository.git, "side")).toBe(repository.run("rev-parse", "side^{tree}"))
  })
})

/** Commits without a checkout: many of them are soon made. */
function grow(repository: Repository, count: number): string[] {
  const tree = repository.run("rev-parse", "HEAD^{tree}")
  const made: string[] = []
  for (let number = 0; number < count; number++) {
    const parent = made.at(-1) ?? repository.run("rev-parse", "HEAD")
    made.push(repository.run("commit-tree", tree, "-p", parent, "-m", String(number)))
  }
  return made
}
