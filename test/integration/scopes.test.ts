// What a worker delivers is what its task owns; the rest is kept as a commit, and told. On real repositories.
import { describe, expect, it } from "bun:test"
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Git } from "../../src/git/git.ts"
import { makeScopes } from "../../src/git/merges/scopes.ts"
import type { AsideResult } from "../../src/git/port.ts"
import type { Ownership } from "../../src/ownership/judge-path.ts"
import { judgeChanges } from "../../src/ownership/scope.ts"
import { makeRepository, type Repository } from "../support/repository.ts"

const OWNERSHIP: Ownership = {
  task: { id: "3", files: ["src/**"] },
  others: [{ id: "4", files: ["docs/**"] }],
  granted: [],
  shared: ["**/package.json", ".gitmodules"],
}
const REF = "refs/teamwork/shop/main/3/1/aside"
const FILES = { "src/a.ts": "a\n", "src/b.ts": "b\n", "docs/a.md": "docs\n", "package.json": "{}\n" }

function setAside(repository: Repository, change: Partial<Ownership> = {}, brings?: string): Promise<AsideResult> {
  return makeScopes(repository.git, "/nowhere").setAside({
    ...{ project: "shop", team: "main", run: 1, task: "3", attempt: 1, folder: repository.path, base: "main" },
    ...{ message: "Work on task 3", ...(brings === undefined ? {} : { brings }) },
    judge: (changes) => judgeChanges(changes, { ...OWNERSHIP, ...change }),
  })
}

/** On the worker's branch, which starts at main. */
function makeShop(files: Record<string, string> = FILES): Repository {
  const repository = makeRepository({ files })
  repository.run("checkout", "--quiet", "-b", "teamwork/shop/main/w1")
  return repository
}

const paths = (changes: readonly { path: string }[] | undefined) => changes?.map((change) => change.path) ?? []
const changed = (repository: Repository, from: string, to: string) =>
  repository.run("diff", "--name-status", "--no-renames", from, to).split("\n").filter(Boolean)
const isClean = (repository: Repository) => repository.run("status", "--porcelain") === ""

describe("what a task may deliver", () => {
  it("stays as it is when everything is in scope", async () => {
    using shop = makeShop()
    const head = shop.commit("Better", { "src/a.ts": "better\n", "src/new/c.ts": "c\n", "src/b.ts": null })
    expect(await setAside(shop)).toMatchObject({ head, aside: null })
    expect(shop.run("rev-parse", "HEAD")).toBe(head)
    expect(isClean(shop)).toBe(true)
  })

  it("is committed, and what was not committed outside of it is set aside", async () => {
    using shop = makeShop()
    shop.write({ "src/a.ts": "better\n", "docs/a.md": "mine\n", "docs/new.md": "new\n", "package.json": "{1}\n" })
    const { head, kept, aside } = await setAside(shop)
    expect(paths(kept)).toEqual(["src/a.ts"])
    expect(paths(aside?.changes)).toEqual(["docs/a.md", "docs/new.md", "package.json"])
    expect(aside?.changes.map((change) => change.reason)).toEqual(["not_owned", "not_owned", "shared"])
    expect(changed(shop, "main", head)).toEqual(["M\tsrc/a.ts"])
    expect(shop.run("log", "--format=%s", "main..HEAD")).toBe("Work on task 3")
    expect(shop.run("rev-parse", REF)).toBe(aside?.commit ?? "")
    expect(changed(shop, `${REF}^1`, REF)).toEqual(["M\tdocs/a.md", "A\tdocs/new.md", "M\tpackage.json"])
    expect(shop.run("show", `${REF}:docs/new.md`)).toBe("new")
    expect(shop.run("log", "-1", "--format=%B", REF)).toContain('- modified "docs/a.md": "docs/a.md" belongs to task 4')
    expect([isClean(shop), shop.read("docs/a.md"), existsSync(join(shop.path, "docs/new.md"))]).toEqual([
      true,
      "docs\n",
      false,
    ])
  })

  it("keeps the commits, their authors and words, and the originals within reach", async () => {
    using shop = makeShop()
    const first = shop.commit("First", { "src/a.ts": "1\n" })
    shop.run("config", "user.name", "Somebody Élse")
    shop.commit("Second: $(rm -rf .) `x`\n\nWith a body", { "src/a.ts": "2\n", "docs/a.md": "mine\n" })
    shop.commit("Only outside", { "docs/b.md": "mine\n" })
    const last = shop.commit("Third", { "src/c.ts": "3\n" })
    shop.write({ "src/d.ts": "4\n" })
    const { head, aside } = await setAside(shop)
    expect(shop.run("log", "--reverse", "--format=%an: %s", "main..HEAD").split("\n")).toEqual([
      "Test: First",
      "Somebody Élse: Second: $(rm -rf .) `x`",
      "Somebody Élse: Third",
      "teamwork: Work on task 3",
    ])
    expect(shop.run("log", "--format=%B", "-1", "HEAD~2")).toContain("With a body")
    expect(shop.run("rev-parse", "HEAD~3")).toBe(first)
    expect(changed(shop, "main", head)).toEqual(["M\tsrc/a.ts", "A\tsrc/c.ts", "A\tsrc/d.ts"])
    expect(paths(aside?.changes)).toEqual(["docs/a.md", "docs/b.md"])
    expect(shop.run("merge-base", "--is-ancestor", last, REF)).toBe("")
    expect(isClean(shop)).toBe(true)
  })

  it("holds nothing that was only there for a while, in any commit", async () => {
    using shop = makeShop()
    shop.commit("There", { "docs/a.md": "mine\n", "src/a.ts": "1\n" })
    const last = shop.commit("And back", { "docs/a.md": "docs\n", "src/a.ts": "2\n" })
    const { aside } = await setAside(shop)
    expect(paths(aside?.changes)).toEqual(["docs/a.md"])
    expect(shop.run("log", "--format=", "--name-only", "main..HEAD").split("\n").filter(Boolean)).toEqual([
      "src/a.ts",
      "src/a.ts",
    ])
    expect(shop.run("merge-base", "--is-ancestor", last, REF)).toBe("")
  })

  it("a rename over the border is kept on the side that is owned", async () => {
    using shop = makeShop()
    shop.run("mv", "docs/a.md", "src/a.md")
    shop.run("mv", "src/b.ts", "lib.ts")
    shop.run("commit", "--quiet", "-m", "Move")
    const { head, aside } = await setAside(shop)
    expect(changed(shop, "main", head)).toEqual(["A\tsrc/a.md", "D\tsrc/b.ts"])
    expect(aside?.changes.map(({ path, change }) => `${change} ${path}`)).toEqual(["deleted docs/a.md", "added lib.ts"])
  })

  it("deletions and modes outside of it are set aside, inside they are kept", async () => {
    using shop = makeShop({ ...FILES, "test/a.test.ts": "t\n", "docs/run.sh": "x\n", "src/run.sh": "x\n" })
    shop.write({ "test/a.test.ts": null, "src/b.ts": null })
    for (const file of ["docs/run.sh", "src/run.sh"]) chmodSync(join(shop.path, file), 0o755)
    const { head, aside } = await setAside(shop)
    expect(aside?.changes.map(({ path, change }) => `${change} ${path}`)).toEqual([
      "mode docs/run.sh",
      "deleted test/a.test.ts",
    ])
    expect(changed(shop, "main", head)).toEqual(["D\tsrc/b.ts", "M\tsrc/run.sh"])
    expect(shop.read("test/a.test.ts")).toBe("t\n")
    expect(shop.run("ls-tree", "HEAD", "docs/run.sh", "src/run.sh")).toMatch(/^100644.*\n100755/)
    expect(isClean(shop)).toBe(true)
  })

  it("links are kept unless they lead out of the repository", async () => {
    using shop = makeShop()
    symlinkSync("a.ts", join(shop.path, "src/in"))
    symlinkSync("../docs/a.md", join(shop.path, "src/over"))
    symlinkSync("/etc/passwd", join(shop.path, "src/out"))
    symlinkSync("../../..", join(shop.path, "src/up"))
    symlinkSync("../.git/config", join(shop.path, "src/git"))
    rmSync(join(shop.path, "docs/a.md"))
    symlinkSync("../src/a.ts", join(shop.path, "docs/a.md"))
    const { kept, aside } = await setAside(shop)
    expect(paths(kept)).toEqual(["src/in", "src/over"])
    expect(aside?.changes.map(({ path, reason }) => `${path}: ${reason}`)).toEqual([
      "docs/a.md: not_owned",
      "src/git: link_outside",
      "src/out: link_outside",
      "src/up: link_outside",
    ])
    expect(isClean(shop)).toBe(true)
    expect(shop.read("docs/a.md")).toBe("docs\n")
  })

  it("a folder in the place of a file, and a file in the place of a folder", async () => {
    using shop = makeShop({ ...FILES, "lib/x": "x\n", "src/deep/x": "x\n" })
    shop.write({ "lib/x": null, "src/deep/x": null, lib: null, "src/deep": null })
    shop.write({ lib: "file\n", "src/deep": "file\n" })
    const { head, aside } = await setAside(shop)
    expect(paths(aside?.changes)).toEqual(["lib", "lib/x"])
    expect(changed(shop, "main", head)).toEqual(["A\tsrc/deep", "D\tsrc/deep/x"])
    expect([shop.read("lib/x"), isClean(shop)]).toEqual(["x\n", true])
    const odd = { task: { id: "3", files: ["lib/a/**"] } }
    using other = makeShop({ ...FILES, "lib/a": "file\n" })
    other.write({ "lib/a": null })
    other.write({ "lib/a/b": "b\n" })
    const result = await setAside(other, odd)
    expect(result.aside?.changes.map(({ reason }) => reason)).toEqual(["not_owned", "in_the_way"])
    expect([other.read("lib/a"), isClean(other)]).toEqual(["file\n", true])
  })

  it("takes paths as they are: unicode, spaces, quotes, dashes, case, bytes that are no letters", async () => {
    using shop = makeShop()
    const mine = [
      "src/größe.ts",
      "src/cafe\u0301.ts",
      "src/a b.ts",
      'src/"q".ts',
      "src/-rf",
      "src/$(x)",
      "SRC/UP.ts",
      "src/l\n2",
    ]
    const theirs = ["docs/größe ✨.md", "-x", ":(exclude)y", "Docs/b.md"]
    for (const path of [...mine, ...theirs]) shop.write({ [path]: "x\n" })
    const folder = Buffer.from(join(shop.path, "src/"))
    writeFileSync(Buffer.concat([folder, Buffer.from([0x66, 0xff, 0x2e])]), "bytes\n")
    const { kept, aside } = await setAside(shop)
    expect(paths(kept).sort()).toEqual(mine.sort())
    expect(paths(aside?.changes).sort()).toEqual([...theirs, "src/f\ufffd."].sort())
    expect(shop.run("ls-tree", "-r", "--name-only", "HEAD")).not.toContain("\\377")
    expect(shop.run("ls-tree", "-r", "--name-only", REF)).toContain("\\377")
    expect(isClean(shop)).toBe(true)
  })

  it("repositories inside are set aside; a submodule that was there may move", async () => {
    using library = makeRepository({ name: "library" })
    using shop = makeRepository({ files: FILES })
    shop.run("-c", "protocol.file.allow=always", "submodule", "add", "--quiet", library.path, "src/library")
    shop.commit("With a library")
    shop.run("checkout", "--quiet", "-b", "teamwork/shop/main/w1")
    shop
      .at(join(shop.path, "src/library"))
      .run("-c", "user.name=T", "-c", "user.email=t@example.com", "commit", "--quiet", "--allow-empty", "-m", "Next")
    for (const name of ["born", "unborn"]) {
      mkdirSync(join(shop.path, "src", name))
      shop.at(join(shop.path, "src", name)).run("init", "--quiet")
    }
    const born = shop.at(join(shop.path, "src/born"))
    born.run("-c", "user.name=T", "-c", "user.email=t@example.com", "commit", "--quiet", "--allow-empty", "-m", "Own")
    const { kept, aside } = await setAside(shop)
    expect(paths(kept)).toEqual(["src/library"])
    expect(aside?.changes.map(({ path, reason }) => `${path}: ${reason}`)).toEqual([
      "src/born: nested_repository",
      "src/unborn: nested_repository",
    ])
    expect(born.run("log", "--format=%s")).toBe("Own")
    expect((await setAside(shop)).aside).toMatchObject({ isNew: false, commit: aside?.commit ?? "" })
  })

  it("a merge and a rewritten history become one commit on the base", async () => {
    using shop = makeShop()
    shop.commit("Mine", { "src/a.ts": "mine\n" })
    shop.run("checkout", "--quiet", "-b", "elsewhere", "main")
    shop.commit("Theirs", { "docs/a.md": "theirs\n" })
    shop.run("checkout", "--quiet", "teamwork/shop/main/w1")
    shop.run("merge", "--quiet", "--no-edit", "elsewhere")
    const merged = shop.run("rev-parse", "HEAD")
    const { head, aside } = await setAside(shop)
    expect(shop.run("rev-list", "--parents", "main..HEAD")).toBe(`${head} ${shop.run("rev-parse", "main")}`)
    expect(changed(shop, "main", head)).toEqual(["M\tsrc/a.ts"])
    expect(shop.run("log", "-1", "--format=%B")).toContain("- Mine")
    expect(paths(aside?.changes)).toEqual(["docs/a.md"])
    expect(shop.run("merge-base", "--is-ancestor", merged, REF)).toBe("")

    using other = makeRepository({ files: FILES })
    other.commit("More", { "docs/b.md": "b\n" })
    other.run("checkout", "--quiet", "-b", "teamwork/shop/main/w1", "HEAD~1")
    const lost = other.commit("From before", { "src/a.ts": "mine\n" })
    const rewritten = await setAside(other)
    expect(changed(other, "main", rewritten.head)).toEqual(["M\tsrc/a.ts"])
    expect(paths(rewritten.aside?.changes)).toEqual(["docs/b.md"])
    expect(other.run("merge-base", "--is-ancestor", lost, REF)).toBe("")
    expect(other.read("docs/b.md")).toBe("b\n")
  })

  it.each([
    ["a merge", { "src/b.ts": "mine\n" }],
    ["going on from it", {}],
  ] as [string, Record<string, string>][])("the work that a fix brings along by %s stays in it", async (_, own) => {
    using shop = makeShop()
    if (Object.keys(own).length > 0) shop.commit("Mine", own)
    shop.run("checkout", "--quiet", "-b", "fixed", "main")
    const fixed = shop.commit("Fixed", { "src/a.ts": "fixed\n", "docs/a.md": "not its own\n" })
    shop.run("checkout", "--quiet", "teamwork/shop/main/w1")
    shop.run("merge", "--quiet", "--no-edit", "fixed")
    const { head, aside } = await setAside(shop, {}, "refs/heads/fixed")
    expect(shop.run("merge-base", "--is-ancestor", fixed, head)).toBe("")
    expect(changed(shop, "main", head)).toEqual(["src/a.ts", ...Object.keys(own)].map((path) => `M\t${path}`))
    expect(paths(aside?.changes)).toEqual(["docs/a.md"])
    expect(await setAside(shop, {}, "refs/heads/fixed")).toMatchObject({ head, aside: null })
  })

  it("what was set aside before stays within reach, and nothing new changes nothing", async () => {
    using shop = makeShop()
    shop.write({ "docs/a.md": "one\n" })
    const first = await setAside(shop)
    expect((await setAside(shop)).aside).toBeNull()
    shop.write({ "docs/a.md": "two\n", "src/a.ts": "more\n" })
    const second = await setAside(shop)
    expect(second.aside).toMatchObject({ isNew: true })
    expect(shop.run("merge-base", "--is-ancestor", first.aside?.commit ?? "", REF)).toBe("")
    expect(shop.run("show", `${first.aside?.commit}:docs/a.md`)).toBe("one")
    expect(shop.run("show", `${REF}:docs/a.md`)).toBe("two")
  })

  it("leaves ignored files where they are, and runs no hooks", async () => {
    using shop = makeShop({ ...FILES, ".gitignore": "*.log\n" })
    shop.write({ "docs/x.log": "x\n", "src/a.ts": "1\n", ".git/hooks/reference-transaction": "#!/bin/sh\nexit 1\n" })
    chmodSync(join(shop.path, ".git/hooks/reference-transaction"), 0o755)
    expect(await setAside(shop)).toMatchObject({ aside: null })
    expect(shop.read("docs/x.log")).toBe("x\n")
  })

  it("needs to know where the work began", async () => {
    using shop = makeShop()
    const scopes = makeScopes(shop.git, "/nowhere")
    const request = { project: "shop", team: "main", run: 1, task: "3", attempt: 1, folder: shop.path, message: "x" }
    const judge = () => ({ kept: [], aside: [] })
    for (const base of [undefined, "nowhere", "--help", "teamwork/shop/main/w1", "HEAD^{tree}"])
      await expect(scopes.setAside({ ...request, judge, base })).rejects.toMatchObject({ code: "input.invalid" })
    shop.run("update-ref", "refs/teamwork/shop/main/3/1/base", "main")
    expect(await scopes.setAside({ ...request, judge })).toMatchObject({
      base: shop.run("rev-parse", "main"),
      aside: null,
    })
  })
})

/** The same git, that ends before its call number `last`, as if the process had been killed there. */
function endingAt(git: Git, last: number): { git: Git; isOver: () => boolean } {
  let calls = 0
  const wrap = (inner: Git): Git => {
    const counted =
      <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
      async (...args: Args): Promise<Result> => {
        if (++calls >= last) throw new Error("killed")
        return call(...args)
      }
    return {
      ...inner,
      run: counted(inner.run),
      read: counted(inner.read),
      list: counted(inner.list),
      in: (folder) => wrap(inner.in(folder)),
    }
  }
  return { git: wrap(git), isOver: () => calls >= last }
}

it("ended at any moment, it has lost nothing, and the next call brings it to the same end", async () => {
  let points = 0
  for (let last = 1; ; last++) {
    using shop = makeShop()
    const original = shop.commit("Both", { "src/a.ts": "1\n", "docs/a.md": "mine\n" })
    shop.write({ "src/b.ts": "2\n", "docs/new.md": "new\n" })
    const ending = endingAt(shop.git, last)
    await setAside({ ...shop, git: ending.git }).catch((error) => {
      if (!String(error).includes("killed")) throw error
    })
    const { head } = await setAside(shop)
    expect(changed(shop, "main", head)).toEqual(["M\tsrc/a.ts", "M\tsrc/b.ts"])
    expect(shop.run("merge-base", "--is-ancestor", original, REF)).toBe("")
    const reachable = shop.run("rev-list", REF).split("\n")
    const kept = reachable.filter((commit) => shop.run("ls-tree", "--name-only", commit, "docs/new.md") !== "")
    expect(kept).not.toEqual([])
    expect([isClean(shop), existsSync(join(shop.path, ".git/teamwork-scope-index"))]).toEqual([true, false])
    if (!ending.isOver()) break
    points++
  }
  expect(points).toBeGreaterThan(15)
}, 240_000)

it("changes between two commits come with both ends of a rename", async () => {
  using shop = makeShop()
  shop.run("mv", "docs/a.md", "docs/b.md")
  shop.commit("Move", { "src/a.ts": "x\n" })
  expect(await makeScopes(shop.git, "/nowhere").changes("main", "HEAD")).toMatchObject([
    { path: "docs/a.md", change: "deleted", type: "file" },
    { path: "docs/b.md", change: "added" },
    { path: "src/a.ts", change: "modified" },
  ])
})
