// The repository as gates read it, on real git with names and settings that people really have.
import { describe, expect, it } from "bun:test"
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { openGateRepository } from "../../src/git/gate-repository.ts"
import { parseDiff } from "../../src/quality/gates/diff-lines.ts"
import type { GateRepository } from "../../src/quality/gates/port.ts"
import { makeRepository, type Repository } from "../support/repository.ts"
import { makeScratch } from "../support/sandbox.ts"

async function open(repository: Repository, home = join(repository.path, "../home")): Promise<GateRepository> {
  const opened = await openGateRepository(repository.git, { home, prepare: async () => undefined })
  if (opened === undefined) throw new Error("no repository")
  return opened
}

const ODD_NAMES = [
  "with space",
  "-rf",
  "; rm -rf x",
  "$(touch y)",
  "two\nlines",
  'say "hi"',
  "ünï",
  "tab\there",
  "a/b c/d",
]

describe("the repository of a gate", () => {
  it("is found from a folder inside, and is nothing outside of one", async () => {
    using repository = makeRepository({ files: { "sub/a": "" } })
    const gates = await openGateRepository(repository.git.in(join(repository.path, "sub")), {
      home: "/nowhere",
      prepare: async () => undefined,
    })
    expect(gates?.folder).toBe(repository.path)
    using scratch = makeScratch()
    expect(
      await openGateRepository(repository.git.in(scratch.path), { home: "/nowhere", prepare: async () => undefined }),
    ).toBeUndefined()
  })

  it("finds commits by any name, and takes nothing for an option", async () => {
    using repository = makeRepository()
    const [commit, tree] = ["HEAD", "HEAD^{tree}"].map((each) => repository.run("rev-parse", each))
    const gates = await open(repository)
    for (const name of ["HEAD", "main", commit ?? "", "refs/heads/main"])
      expect(await gates.find(name)).toEqual({ commit, tree } as never)
    for (const name of ["nowhere", "--all", "-h", "; rm -rf x", "$(touch y)", "main\nmain", "main:a.txt", "", " "])
      expect([name, await gates.find(name)]).toEqual([name, undefined])
    expect(existsSync(join(repository.path, "y"))).toBe(false)
  })

  it("names what is not committed: changed, deleted, staged and unknown files, but not ignored ones", async () => {
    using repository = makeRepository({ files: { ".gitignore": "ignored\n", changed: "1", deleted: "1", staged: "1" } })
    const gates = await open(repository)
    expect(await gates.listUncommitted()).toEqual([])
    repository.write({ changed: "2", deleted: null, staged: "2", ignored: "x", "new/file": "x" })
    repository.run("add", "staged")
    repository.write(Object.fromEntries(ODD_NAMES.map((name) => [name, "x"])))
    expect((await gates.listUncommitted()).sort()).toEqual(
      ["changed", "deleted", "staged", "new/file", ...ODD_NAMES].sort(),
    )
  })

  it("tells what differs, whatever names the files have and whatever diff is set to", async () => {
    using repository = makeRepository()
    const settings = {
      "diff.noprefix": "true",
      "diff.mnemonicPrefix": "true",
      "color.ui": "always",
      "diff.renames": "copies",
    }
    for (const [name, value] of Object.entries({ ...settings, "diff.external": "false", "core.quotePath": "true" }))
      repository.run("config", name, value)
    const base = repository.run("rev-parse", "HEAD")
    const files = Object.fromEntries(ODD_NAMES.map((name) => [name, `one\n${name}\n`]))
    const commit = repository.commit("Odd names", { ...files, "moved.txt": repository.read("a.txt"), "a.txt": null })
    const gates = await open(repository)
    const found = parseDiff(await gates.readDiff(base, commit))
    expect(found.map((file) => file.path).sort()).toEqual([...ODD_NAMES, "a.txt", "moved.txt"].sort())
    for (const name of ODD_NAMES) {
      const lines = found
        .find((file) => file.path === name)
        ?.hunks.flatMap((hunk) => hunk.added.map((line) => line.text))
      expect(lines).toEqual(`one\n${name}`.split("\n"))
    }
  })

  it("tells what differs, also where attributes say that it is not to be shown", async () => {
    using repository = makeRepository()
    const base = repository.run("rev-parse", "HEAD")
    const commit = repository.commit("Hide", {
      ".gitattributes": "*.ts -diff\n*.js binary\n",
      "a.ts": "one\n",
      "b.js": "two\n",
    })
    const found = parseDiff(await (await open(repository)).readDiff(base, commit))
    expect(found.flatMap((file) => file.hunks.flatMap((hunk) => hunk.added.map((line) => line.text)))).toContain("one")
    expect(found.map((file) => [file.path, file.hunks.length])).toEqual([
      [".gitattributes", 1],
      ["a.ts", 1],
      ["b.js", 1],
    ])
  })

  it("tells headings, modes, links and binary files as git has them", async () => {
    const body = (inner: string) => `export function one() {\n  a\n  b\n  c\n  ${inner}\n}\n`
    using repository = makeRepository({ files: { "a.ts": body("old"), run: "#!/bin/sh\n", "x.bin": "\0a" } })
    const base = repository.run("rev-parse", "HEAD")
    repository.write({ "a.ts": body("new"), "x.bin": "\0b" })
    symlinkSync("../../etc", join(repository.path, "link"))
    repository.run("update-index", "--chmod=+x", "run")
    repository.run("config", "core.fileMode", "false")
    const commit = repository.commit("Change")
    const found = parseDiff(await (await open(repository)).readDiff(base, commit))
    expect(found).toEqual([
      {
        ...{ path: "a.ts", status: "modified", oldMode: "100644", newMode: "100644", isBinary: false },
        hunks: [{ heading: "export function one() {", added: [{ number: 5, text: "  new" }], removed: ["  old"] }],
      },
      {
        ...{ path: "link", status: "added", oldMode: null, newMode: "120000", isBinary: false },
        hunks: [{ heading: "", added: [{ number: 1, text: "../../etc" }] }],
      },
      { path: "run", status: "modified", oldMode: "100644", newMode: "100755", isBinary: false, hunks: [] },
      { path: "x.bin", status: "modified", oldMode: "100644", newMode: "100644", isBinary: true, hunks: [] },
    ])
  })

  it("knows who contains whom, where they meet, and merges", async () => {
    using repository = makeRepository()
    const start = repository.run("rev-parse", "HEAD")
    repository.run("checkout", "-q", "-b", "side")
    const side = repository.commit("Side", { "side.txt": "x" })
    repository.run("checkout", "-q", "main")
    const main = repository.commit("Main", { "main.txt": "x" })
    repository.run("merge", "-q", "--no-edit", "side")
    const merge = repository.run("rev-parse", "HEAD")
    repository.run("checkout", "-q", "--orphan", "other")
    const other = repository.commit("Other")
    const gates = await open(repository)
    expect([await gates.contains(merge, side), await gates.contains(side, main)]).toEqual([true, false])
    expect([await gates.isNextTo(start, side), await gates.isNextTo(side, side)]).toEqual([true, true])
    expect([await gates.isNextTo(main, merge), await gates.isNextTo(side, main)]).toEqual([false, false])
    expect(await gates.findBase(side, main)).toBe(start)
    expect(await gates.findBase(side, main, merge)).toBe(start)
    expect(await gates.findBase(side, other)).toBeUndefined()
    expect(await gates.listMerges(start, merge)).toEqual([merge])
    expect(await gates.listMerges(start, side)).toEqual([])
  })

  it("reads a tree that is checked out nowhere", async () => {
    using repository = makeRepository({ files: { "package.json": "{}\n", "web/a b.txt": "x", "web/in/deep": "" } })
    const gates = await open(repository)
    const tree = repository.run("rev-parse", "HEAD^{tree}")
    repository.commit("Gone", { "package.json": null, web: null })
    const files = gates.openTree(tree)
    expect(await files.list("")).toEqual(["package.json", "web/"])
    expect(await files.list("web")).toEqual(["a b.txt", "in/"])
    expect(await files.list("nowhere")).toEqual([])
    expect(await files.read("package.json")).toBe("{}")
    expect(await files.read("web/a b.txt")).toBe("x")
  })

  it("knows files and folders by git's ids, and files byte by byte", async () => {
    using repository = makeRepository()
    repository.commit("Two", { "web/a b.txt": "x\n", "web/in/c.txt": "c" })
    const gates = await open(repository)
    const files = gates.openTree(repository.run("rev-parse", "HEAD^{tree}"))
    for (const path of ["", "web", "web/a b.txt"])
      expect(await files.id(path)).toBe(repository.run("rev-parse", `HEAD:${path}`))
    expect(await files.id("nowhere")).toBeUndefined()
    expect(await files.id("web\nx")).toBeUndefined()
    expect(await files.bytes("web/a b.txt")).toEqual(new TextEncoder().encode("x\n"))
    expect(await files.bytes("web")).toBeUndefined()
  })
})

describe("a checkout for a gate", () => {
  it("holds the commit, and is gone afterwards, also when its user fails", async () => {
    using repository = makeRepository()
    const first = repository.run("rev-parse", "HEAD")
    repository.commit("Second", { "b.txt": "b" })
    const gates = await open(repository)
    let where = ""
    const seen = await gates.checkedOut(first, async (folder) => {
      where = folder
      writeFileSync(join(folder, "left.txt"), "")
      return { head: repository.at(folder).run("rev-parse", "HEAD"), names: readdirSync(folder).sort() }
    })
    expect(seen).toEqual({ head: first, names: [".git", "a.txt", "left.txt"] })
    expect(existsSync(where)).toBe(false)
    const failing = gates.checkedOut(first, () => Promise.reject(new Error("no")))
    expect(await failing.catch((error) => error)).toMatchObject({ message: "no" })
    expect(repository.run("worktree", "list").split("\n")).toHaveLength(1)
    expect(repository.run("status", "--porcelain")).toBe("")
  })

  it("that a dead process left is removed by the next, and one in use stays", async () => {
    using repository = makeRepository()
    const home = join(repository.path, "../home")
    const commit = repository.run("rev-parse", "HEAD")
    const gates = await open(repository, home)
    const stale = join(home, "checkouts", "1-1")
    mkdirSync(join(home, "checkouts"), { recursive: true })
    repository.run("worktree", "add", "-q", "--detach", stale, commit)
    writeFileSync(`${stale}.json`, JSON.stringify({ pid: process.pid, start: "long ago" }))
    await gates.checkedOut(commit, async (outer) => {
      expect(existsSync(stale)).toBe(false)
      await gates.checkedOut(commit, async (inner) => {
        expect(inner).not.toBe(outer)
        expect(existsSync(join(outer, "a.txt"))).toBe(true)
      })
      expect(existsSync(join(outer, "a.txt"))).toBe(true)
    })
    expect(readdirSync(join(home, "checkouts"))).toEqual([])
    expect(repository.run("worktree", "list").split("\n")).toHaveLength(1)
  })
})
