// A worker's own repository on repositories of every kind: what it shares with the user's, and what it does not.
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeScopes } from "../../src/git/merges/scopes.ts"
import type { FileChange } from "../../src/ownership/scope.ts"
import { makeRepository, type Repository, snapshotFolder, unreachableCommits } from "../support/repository.ts"
import { makeScratch, sandboxEnv } from "../support/sandbox.ts"
import { setUpWorkspaces, type WorkspaceSetup } from "../support/workspaces.ts"

setDefaultTimeout(30_000)
const worker = "w1"
const attempt = { task: "1", attempt: 1 }

/** Work from the first commit to a pin that the user's repository can read without the worker's. */
async function workAndPin(
  world: Pick<WorkspaceSetup, "workspaces" | "pinned">,
  repository: Repository,
): Promise<string> {
  const { path } = await world.workspaces.move({ worker, attempt })
  const commit = repository.at(path).commit("Work", { "made/by-worker.txt": "work\n" })
  await world.workspaces.pin({ worker })
  expect((await world.pinned())["1/1/head"]).toBe(commit)
  await world.workspaces.remove({ worker })
  expect(repository.run("show", `${commit}:made/by-worker.txt`)).toBe("work")
  return commit
}

describe("the repository of a worker", () => {
  it("F121: has its own stash, settings, hooks and index, and the next task finds none of them", async () => {
    using world = await setUpWorkspaces()
    const { repository } = world
    repository.write({ "a.txt": "the user's\n" })
    repository.run("stash", "--quiet")
    const before = snapshotFolder(join(repository.path, ".git"), (path) =>
      /^(?:objects|(?:logs\/)?refs\/heads\/teamwork)/.test(path),
    )
    await world.workspaces.create({ worker, attempt })
    const tree = world.tree(worker)
    expect(tree.run("stash", "list")).toBe("")
    tree.write({ "a.txt": "the agent's\n" })
    tree.run("stash", "--quiet")
    tree.run("config", "user.email", "evil@example.com")
    tree.run("config", "core.hooksPath", "/nowhere")
    mkdirSync(join(tree.run("rev-parse", "--absolute-git-dir"), "hooks"))
    writeFileSync(join(tree.run("rev-parse", "--absolute-git-dir"), "hooks/post-commit"), "")
    tree.run("branch", "own")
    expect(
      snapshotFolder(join(repository.path, ".git"), (path) =>
        /^(?:objects|(?:logs\/)?refs\/heads\/teamwork)/.test(path),
      ),
    ).toEqual(before)
    await world.workspaces.move({ worker, attempt: { task: "2", attempt: 1 } })
    expect(tree.run("stash", "list")).toBe("")
    expect(tree.run("config", "user.email")).toBe("test@example.com")
    expect(tree.run("branch", "--list", "own")).toBe("")
    expect(existsSync(join(tree.run("rev-parse", "--absolute-git-dir"), "hooks"))).toBe(false)
    expect(repository.run("stash", "show", "-p")).toContain("+the user's")
    // What was in the agent's stash is not lost.
    const kept = Object.entries(await world.pinned()).filter(([ref]) => ref.startsWith("1/1/earlier/"))
    expect(kept.map(([, commit]) => repository.run("show", `${commit}:a.txt`))).toContain("the agent's")
  })

  it("shows the user's branches and tags, and no remote", async () => {
    using world = await setUpWorkspaces()
    const { repository } = world
    repository.run("tag", "-a", "v1", "-m", "One")
    repository.run("branch", "feature")
    repository.run("pack-refs", "--all")
    repository.run("branch", "loose")
    repository.run("remote", "add", "origin", "/nowhere")
    repository.run("update-ref", "refs/remotes/origin/main", "main")
    await world.workspaces.create({ worker })
    const tree = world.tree(worker)
    expect(tree.run("describe")).toBe("v1")
    expect(tree.run("diff", "--stat", "main")).toBe("")
    expect(tree.run("branch", "--format=%(refname:short)", "--list", "feature", "loose", "main").split("\n")).toEqual([
      "feature",
      "loose",
      "main",
    ])
    expect(tree.run("rev-parse", "origin/main")).toBe(repository.run("rev-parse", "main"))
    expect(tree.run("remote")).toBe("")
    expect(tree.run("fsck", "--no-progress", "--no-dangling")).toBe("")
  })

  it("has the remotes that workspace.remote names", async () => {
    using world = await setUpWorkspaces({ remotes: ["origin"] })
    world.repository.run("remote", "add", "origin", "/somewhere")
    world.repository.run("remote", "add", "other", "/elsewhere")
    await world.workspaces.create({ worker })
    expect(world.tree(worker).run("remote", "-v").split("\n")).toHaveLength(2)
    expect(world.tree(worker).run("remote", "get-url", "origin")).toBe("/somewhere")
  })

  it("keeps the settings that the files depend on", async () => {
    using world = await setUpWorkspaces()
    const { repository } = world
    repository.run("config", "core.autocrlf", "input")
    repository.run("config", "filter.upper.clean", "tr a-z A-Z")
    repository.run("config", "filter.upper.smudge", "tr A-Z a-z")
    repository.run("config", `diff.odd "name.x`, 'a\\b\n"c"')
    repository.commit("Filtered", { ".gitattributes": "*.up filter=upper\n", "a.up": "text\n" })
    await world.workspaces.create({ worker, attempt })
    const tree = world.tree(worker)
    expect(tree.run("config", "core.autocrlf")).toBe("input")
    expect(tree.run("config", `diff.odd "name.x`)).toBe('a\\b\n"c"')
    expect(tree.read("a.up")).toBe("text\n")
    expect(tree.run("status", "--porcelain")).toBe("")
    tree.write({ "b.up": "more\n" })
    await world.workspaces.remove({ worker })
    const { "1/1/leftovers": leftovers = "" } = await world.pinned()
    expect(repository.run("cat-file", "blob", `${leftovers}:b.up`)).toBe("MORE")
  })

  it("keeps working when the user drops its base and has git tidy up", async () => {
    using world = await setUpWorkspaces()
    const { repository } = world
    repository.commit("Dropped later", { "b.txt": "b\n" })
    await world.workspaces.create({ worker, attempt })
    repository.run("reset", "--quiet", "--hard", "HEAD~1")
    repository.run("reflog", "expire", "--expire=now", "--all")
    repository.run("gc", "--quiet", "--prune=now")
    const tree = world.tree(worker)
    expect(tree.run("log", "--format=%s").split("\n")).toEqual(["Dropped later", "Start"])
    const commit = tree.commit("Work", { "c.txt": "c\n" })
    await world.workspaces.remove({ worker })
    expect(repository.run("show", `${commit}:b.txt`)).toBe("b")
    expect(unreachableCommits(repository)).toEqual([])
  })

  it("leaves no ref behind whose commit the user had removed", async () => {
    using world = await setUpWorkspaces()
    const { repository } = world
    await world.workspaces.create({ worker, attempt })
    const commit = world.tree(worker).commit("Work", { "b.txt": "b\n" })
    await world.workspaces.pin({ worker })
    for (const file of [commit, repository.run("rev-parse", `${commit}^{tree}`)])
      rmSync(join(repository.path, ".git/objects", file.slice(0, 2), file.slice(2)))
    expect(() => repository.run("gc", "--quiet")).toThrow()
    const left = await world.workspaces.examine(true)
    expect(left.map((each) => each.detail).join("\n")).toContain("which git has removed")
    repository.run("gc", "--quiet")
    // It is still in the repository of the worker, and is pinned again.
    await world.workspaces.remove({ worker })
    expect((await world.pinned())["1/1/head"]).toBe(commit)
    expect(repository.run("show", `${commit}:b.txt`)).toBe("b")
  })

  it("brings packed work over as well, and says what is damaged", async () => {
    using world = await setUpWorkspaces()
    await world.workspaces.create({ worker, attempt })
    const tree = world.tree(worker)
    const first = tree.commit("One", { "one.txt": "1\n" })
    tree.run("gc", "--quiet", "--prune=now")
    const second = tree.commit("Two", { "two.txt": "2\n" })
    await world.workspaces.pin({ worker })
    expect(world.repository.run("log", "--format=%H", `${second}`).split("\n").slice(0, 2)).toEqual([second, first])
    const third = tree.commit("Three", { "three.txt": "3\n" })
    const loose = join(tree.run("rev-parse", "--absolute-git-dir"), "objects", third.slice(0, 2), third.slice(2))
    Bun.spawnSync(["chmod", "u+w", loose])
    writeFileSync(loose, "broken")
    await world.workspaces.remove({ worker })
    const { "1/1/head": head, "1/1/leftovers": leftovers = "" } = await world.pinned()
    // The commit cannot be read any more; its files are kept on top of the last one that can.
    expect(head).toBe(second)
    expect(world.repository.run("show", `${leftovers}:three.txt`)).toBe("3")
  })

  it("that was replaced by another one keeps what lies in both", async () => {
    using world = await setUpWorkspaces()
    await world.workspaces.create({ worker, attempt })
    const tree = world.tree(worker)
    const first = tree.commit("First", { "one.txt": "1\n" })
    Bun.spawnSync(["rm", "-rf", join(tree.path, ".git")])
    tree.run("init", "--quiet", "--initial-branch=mine")
    tree.run("config", "user.name", "Agent")
    tree.run("config", "user.email", "agent@example.com")
    const mine = tree.commit("Mine", { "two.txt": "2\n" })
    await world.workspaces.remove({ worker })
    const pinned = await world.pinned()
    expect(pinned["1/1/head"]).toBe(first)
    expect(pinned["1/1/nested/1/heads/mine"]).toBe(mine)
    expect(world.repository.run("show", `${pinned["1/1/leftovers"]}:two.txt`)).toBe("2")
  })
})

describe("a linked worktree of version 0.1.0", () => {
  /** As that version left it in the middle of a run: commits, one of them dropped, and files that are not committed. */
  function makeLinked({ repository, workspaces }: WorkspaceSetup) {
    const path = workspaces.pathOf(worker)
    const branch = "teamwork/shop/main/w1"
    const base = repository.run("rev-parse", "HEAD")
    repository.run("worktree", "add", "--quiet", "--no-track", "-B", branch, path, base)
    const tree = repository.at(path)
    const admin = tree.run("rev-parse", "--absolute-git-dir")
    writeFileSync(join(admin, "teamwork.json"), JSON.stringify({ base, attempt, pending: null }))
    const dropped = tree.commit("Dropped", { "dropped.txt": "1\n" })
    tree.run("reset", "--quiet", "--hard", "HEAD~1")
    const commit = tree.commit("Kept", { "kept.txt": "2\n" })
    tree.write({ "kept.txt": "changed\n", "new.txt": "new\n" })
    tree.run("update-index", "--assume-unchanged", "a.txt")
    tree.write({ "a.txt": "hidden\n" })
    return { path, dropped, commit, base }
  }

  async function expectPinned(
    world: WorkspaceSetup,
    { dropped, commit, base }: ReturnType<typeof makeLinked>,
  ): Promise<void> {
    const pinned = await world.pinned()
    expect(pinned).toMatchObject({ "1/1/head": commit, "1/1/base": base })
    expect(Object.values(pinned)).toContain(dropped)
    const show = (file: string) => world.repository.run("show", `${pinned["1/1/leftovers"]}:${file}`)
    expect(["kept.txt", "new.txt", "a.txt"].map(show)).toEqual(["changed", "new", "hidden"])
    expect(world.repository.run("worktree", "list").split("\n")).toHaveLength(1)
  }

  it("is pinned and replaced where its worker goes on", async () => {
    using world = await setUpWorkspaces()
    const linked = makeLinked(world)
    expect(await world.workspaces.find(worker)).toMatchObject({ state: "changed", attempt, head: linked.commit })
    const moved = await world.workspaces.move({ worker, attempt: { task: "2", attempt: 1 } })
    expect(moved).toMatchObject({ isNew: true, path: linked.path, base: linked.base })
    await expectPinned(world, linked)
    expect(world.tree(worker).run("rev-parse", "--absolute-git-dir")).not.toContain(world.repository.path)
    expect(world.tree(worker).run("status", "--porcelain")).toBe("")
  })

  it("is pinned and removed by hand, and by the look of doctor after its folder was deleted", async () => {
    using world = await setUpWorkspaces()
    const linked = makeLinked(world)
    await world.workspaces.remove({ worker })
    await expectPinned(world, linked)
    const again = makeLinked(world)
    Bun.spawnSync(["rm", "-rf", again.path])
    expect(await world.workspaces.examine(true)).toMatchObject([{ what: "gone", isFixed: true }])
    expect(Object.values(await world.pinned())).toContain(again.commit)
    expect(world.repository.run("worktree", "list").split("\n")).toHaveLength(1)
  })
})

describe("a repository of the user's", () => {
  it("that is shallow", async () => {
    using full = makeRepository()
    full.commit("Second", { "b.txt": "b\n" })
    using scratch = makeScratch()
    const clone = clonedAt(full, join(scratch.path, "shop"), "--depth=1")
    await using world = await worldOf(clone, scratch.path)
    await workAndPin(world, clone)
    expect(clone.run("log", "--format=%s").split("\n")).toEqual(["Second"])
  })

  it("that is a partial clone: workers have all files, and are told what they cannot read", async () => {
    using full = makeRepository()
    full.run("config", "uploadpack.allowFilter", "true")
    const old = full.run("rev-parse", "HEAD:a.txt")
    full.commit("Second", { "a.txt": "second\n", "big/b.txt": "b\n" })
    using scratch = makeScratch()
    const clone = clonedAt(full, join(scratch.path, "shop"), "--filter=blob:none", "--no-checkout")
    await using world = await worldOf(clone, scratch.path)
    const made = await world.workspaces.create({ worker, attempt })
    expect(made.setupNotes?.join()).toContain("workspace.remote")
    const tree = clone.at(made.path)
    expect(tree.read("big/b.txt")).toBe("b\n")
    expect(tree.run("status", "--porcelain")).toBe("")
    expect(() => tree.run("cat-file", "-p", old)).toThrow()
    const commit = tree.commit("Work", { "c.txt": "c\n" })
    await world.workspaces.remove({ worker })
    expect(clone.run("show", `${commit}:c.txt`)).toBe("c")
  })

  it("that is a partial clone, where workspace.remote allows its remote", async () => {
    using full = makeRepository()
    full.run("config", "uploadpack.allowFilter", "true")
    const old = full.run("rev-parse", "HEAD:a.txt")
    full.commit("Second", { "a.txt": "second\n" })
    using scratch = makeScratch()
    const clone = clonedAt(full, join(scratch.path, "shop"), "--filter=blob:none", "--no-checkout")
    await using world = await worldOf(clone, scratch.path, { remotes: ["origin"] })
    const { path, setupNotes } = await world.workspaces.create({ worker, attempt })
    expect(setupNotes).toBeUndefined()
    expect(clone.at(path).run("cat-file", "-p", old)).toBe("a")
  })

  it("with ids of 64 letters", async () => {
    using scratch = makeScratch()
    const repository = initialised(join(scratch.path, "shop"), "--object-format=sha256")
    await using world = await worldOf(repository, scratch.path)
    const commit = await workAndPin(world, repository)
    expect(commit).toHaveLength(64)
  })

  it("whose git folder lies elsewhere", async () => {
    using scratch = makeScratch()
    const repository = initialised(
      join(scratch.path, "shop"),
      `--separate-git-dir=${join(scratch.path, "git of shop")}`,
    )
    await using world = await worldOf(repository, scratch.path)
    await workAndPin(world, repository)
    expect(repository.run("status", "--porcelain")).toBe("")
  })

  it("that borrows its own objects from another one", async () => {
    using full = makeRepository()
    using scratch = makeScratch()
    const clone = clonedAt(full, join(scratch.path, "shop"), "--shared")
    await using world = await worldOf(clone, scratch.path)
    await workAndPin(world, clone)
  })

  it("with submodules: a worker can fill them, move them, and nothing of it is lost", async () => {
    using inner = makeRepository({ name: "inner" })
    const next = inner.commit("Next", { "b.txt": "b\n" })
    inner.run("branch", "older", "HEAD~1")
    using world = await setUpWorkspaces()
    const { repository } = world
    const allow = ["-c", "protocol.file.allow=always"]
    repository.run(...allow, "submodule", "--quiet", "add", inner.path, "inner")
    repository.run("-C", "inner", "checkout", "--quiet", "HEAD~1")
    repository.commit("With a submodule")
    await world.workspaces.create({ worker, attempt })
    const tree = world.tree(worker)
    expect(tree.run("status", "--porcelain")).toBe("")
    tree.run(...allow, "submodule", "--quiet", "update", "--init")
    expect(await world.workspaces.find(worker)).toMatchObject({ state: "clean" })
    tree.run("-C", "inner", "checkout", "--quiet", next)
    const commit = tree.commit("Move the submodule")
    tree.write({ "inner/c.txt": "not committed\n" })
    await world.workspaces.remove({ worker })
    const pinned = await world.pinned()
    expect(pinned["1/1/head"]).toBe(commit)
    expect(repository.run("ls-tree", commit, "inner")).toContain(next)
    const kept = pinned["1/1/nested/1/heads/teamwork-leftovers"] ?? ""
    expect(repository.run("show", `${kept}:c.txt`)).toBe("not committed")
  })

  // Without git-lfs pointers stay as they are, see workspaces.test.ts.
  it.skipIf(Bun.which("git-lfs") === null)("with files in git-lfs", async () => {
    using scratch = makeScratch()
    const repository = initialised(join(scratch.path, "shop"))
    repository.run("lfs", "install", "--local")
    repository.commit("Large", { ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n", "a.bin": "large\n" })
    await using world = await worldOf(repository, scratch.path)
    const { path } = await world.workspaces.create({ worker, attempt })
    const tree = repository.at(path)
    expect(tree.read("a.bin")).toBe("large\n")
    expect(tree.run("status", "--porcelain")).toBe("")
    const first = tree.commit("First", { "b.bin": "first\n" })
    const commit = tree.commit("Work", { "b.bin": "larger\n" })
    await world.workspaces.remove({ worker })
    repository.run("merge", "--quiet", "--ff-only", commit)
    expect(repository.read("b.bin")).toBe("larger\n")
    repository.run("checkout", "--quiet", first)
    expect(repository.read("b.bin")).toBe("first\n")
  })
})

function clonedAt(from: Repository, path: string, ...options: string[]): Repository {
  from.run("clone", "--quiet", ...options, `file://${from.path}`, path)
  return named(from.at(path))
}

function initialised(path: string, ...options: string[]): Repository {
  const { success, stderr } = Bun.spawnSync(["git", "init", "--quiet", "--initial-branch=main", ...options, path], {
    env: sandboxEnv(),
  })
  if (!success) throw new Error(stderr.toString())
  using any = makeRepository()
  const repository = named(any.at(path))
  repository.commit("Start", { "a.txt": "a\n" })
  return repository
}

function named(repository: Repository): Repository {
  repository.run("config", "user.name", "Test")
  repository.run("config", "user.email", "test@example.com")
  return repository
}

/** Workspaces of a repository that the test made itself. */
async function worldOf(repository: Repository, folder: string, options: { remotes?: readonly string[] } = {}) {
  const world = await setUpWorkspaces()
  const { workspaces, pins } = await world.from(repository.path, options)
  expect(existsSync(folder)).toBe(true)
  const pinned: WorkspaceSetup["pinned"] = async () =>
    Object.fromEntries((await pins.list()).map((pin) => [pin.ref.replace("refs/teamwork/shop/main/", ""), pin.commit]))
  return { workspaces, pins, pinned, [Symbol.asyncDispose]: async () => world[Symbol.dispose]() }
}

it("F121: settings are written so that git reads what the user's repository has", async () => {
  using world = await setUpWorkspaces()
  const { repository } = world
  const values = { "filter.a b.clean": 'x "y" \\ z', "diff.v.xfuncname": "^(a|b)#;\\t", "merge.m.name": " spaced " }
  for (const [key, value] of Object.entries(values)) repository.run("config", key, value)
  await world.workspaces.create({ worker })
  for (const [key, value] of Object.entries(values))
    expect(world.tree(worker).run("config", "--null", "--get", key)).toBe(`${value}\0`)
  expect(readFileSync(join(repository.path, ".git/config"), "utf8")).not.toContain("gpgsign")
})

it("leaves the index of a worker that committed everything itself as it is", async () => {
  using world = await setUpWorkspaces()
  const { repository, home } = world
  await world.workspaces.create({ worker, attempt })
  const tree = world.tree(worker)
  tree.commit("First", { "b.txt": "b\n", "a.txt": null })
  const judge = (changes: readonly FileChange[]) => ({
    kept: changes.map((each) => ({ ...each, inScope: true, reason: "owned" as const, message: "" })),
    aside: [],
  })
  const request = { project: "shop", team: "main", run: 1, task: "1", attempt: 1, folder: tree.path, message: "Work" }
  const head = tree.run("rev-parse", "HEAD")
  const base = tree.run("rev-parse", "HEAD~1")
  const scopes = makeScopes(repository.git, home)
  expect(await scopes.setAside({ ...request, base, judge })).toMatchObject({ head })
  expect(tree.run("status", "--porcelain")).toBe("")
})
