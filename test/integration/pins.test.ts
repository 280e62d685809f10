// No commit and no uncommitted file of any attempt is lost, whatever a worker did to its worktree.
import { describe, expect, it } from "bun:test"
import { chmodSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import type { Pin, PinKind } from "../../src/git/port.ts"
import { writePins } from "../../src/git/workspaces/pins.ts"
import { type Repository, unreachableCommits } from "../support/repository.ts"
import { validateSafeDelete } from "../support/sandbox.ts"
import { refusal } from "../support/stores.ts"
import { setUpWorkspaces, type WorkspaceSetup } from "../support/workspaces.ts"

const worker = "w1"
const attempt = { task: "1", attempt: 1 }

describe("a worktree that is removed", () => {
  it("leaves base, head and leftovers pinned under its attempt, and no branch", async () => {
    using world = await setUpWorkspaces()
    const { base } = await world.workspaces.create({ worker, attempt })
    const tree = world.tree(worker)
    const head = tree.commit("Work", { "b.txt": "b" })
    tree.write({ "a.txt": "changed", "new.txt": "new", "b.txt": null })
    const removed = await world.workspaces.remove({ worker })
    expect(removed).toMatchObject({ isRemoved: true })
    const pinned = await world.pinned()
    expect(pinned).toEqual({ "1/1/base": base, "1/1/head": head, "1/1/leftovers": expect.any(String) })
    const leftovers = pinned["1/1/leftovers"] ?? ""
    expect(world.repository.run("rev-parse", `${leftovers}^`)).toBe(head)
    expect(world.repository.run("diff", "--name-status", head, leftovers)).toBe("M\ta.txt\nD\tb.txt\nA\tnew.txt")
    expect(world.repository.run("branch", "--list", "teamwork/*")).toBe("")
    expect(existsSync(tree.path)).toBe(false)
    expect(world.repository.run("worktree", "list", "--porcelain").split("\n\n")).toHaveLength(1)
    expect(removed.pinned.map((pin) => pin.kind).toSorted()).toEqual(["base", "head", "leftovers"])
  })

  it("has no leftovers when it is clean, and ignored files are none", async () => {
    using world = await setUpWorkspaces({ files: { ".gitignore": "*.log\n", "a.txt": "a" } })
    const { base } = await world.workspaces.create({ worker, attempt })
    world.tree(worker).write({ "x.log": "x" })
    await world.workspaces.remove({ worker })
    expect(await world.pinned()).toEqual({ "1/1/base": base, "1/1/head": base })
  })

  it("is told whose work it is", async () => {
    using world = await setUpWorkspaces()
    const { base } = await world.workspaces.create({ worker, attempt })
    await world.workspaces.remove({ worker, place: { task: "2", attempt: 3 } })
    expect(await world.pinned()).toEqual({ "2/3/base": base, "2/3/head": base })
  })

  it("that is not there is no trouble", async () => {
    using world = await setUpWorkspaces()
    expect(await world.workspaces.remove({ worker })).toMatchObject({ isRemoved: false, pinned: [] })
  })

  it("with tasks named like the words beside them gets refs that do not clash", async () => {
    using world = await setUpWorkspaces()
    for (const [index, task] of ["workers", "delivered", "1"].entries()) {
      await world.workspaces.create({ worker: `w${index}`, attempt: { task, attempt: 1 } })
      world.tree(`w${index}`).commit(task)
      await world.workspaces.remove({ worker: `w${index}` })
    }
    await world.workspaces.create({ worker: "1" })
    await world.workspaces.remove({ worker: "1" })
    world.repository.run("update-ref", "refs/teamwork/shop/main/delivered/1", "HEAD")
    const listed = await world.pins.list()
    expect(listed.filter((pin) => pin.kind === "head").map((pin) => pin.place)).toEqual(
      expect.arrayContaining([
        { task: "workers", attempt: 1 },
        { task: "delivered", attempt: 1 },
        { task: "1", attempt: 1 },
        { worker: "1" },
      ]),
    )
    expect((await world.pins.list({ task: "workers" })).map((pin) => pin.subject)).toContain("workers")
  })
})

describe("rewritten history", () => {
  const cases: [string, (tree: Repository) => void][] = [
    ["an amend", (tree) => tree.run("commit", "--quiet", "--amend", "-m", "Other")],
    ["a reset", (tree) => tree.run("reset", "--quiet", "--hard", "HEAD~2")],
    ["a rebase", (tree) => tree.run("-c", "user.name=Other", "rebase", "--quiet", "--force-rebase", "HEAD~2")],
    ["a switch to no branch", (tree) => tree.run("checkout", "--quiet", "--detach", "HEAD~1")],
    ["a branch of its own", (tree) => tree.run("checkout", "--quiet", "-b", "own", "HEAD~1")],
    [
      "a moved branch while on another",
      (tree) => {
        tree.run("checkout", "--quiet", "--detach", "HEAD~1")
        tree.run("branch", "--force", "teamwork/shop/main/w1", "HEAD~1")
      },
    ],
    [
      "a rebase that stopped at a conflict",
      (tree) => {
        tree.run("checkout", "--quiet", "-b", "side", "HEAD~2")
        tree.commit("Conflict", { "b.txt": "conflict" })
        tree.run("checkout", "--quiet", "teamwork/shop/main/w1")
        Bun.spawnSync(["git", "rebase", "side"], { cwd: tree.path })
        tree.run("branch", "--quiet", "-D", "side")
      },
    ],
    [
      "a bisection",
      (tree) => {
        tree.run("bisect", "start", "HEAD", "HEAD~2")
        tree.run("reset", "--quiet", "--hard", "HEAD~1")
      },
    ],
    [
      "packed refs",
      (tree) => {
        tree.run("pack-refs", "--all")
        tree.run("reset", "--quiet", "--hard", "HEAD~1")
        tree.run("pack-refs", "--all")
      },
    ],
  ]
  it.each(cases)("loses nothing by %s", async (_, rewrite) => {
    using world = await setUpWorkspaces()
    await world.workspaces.create({ worker, attempt })
    const tree = world.tree(worker)
    const first = tree.commit("First", { "b.txt": "b1" })
    const second = tree.commit("Second", { "b.txt": "b2" })
    rewrite(tree)
    await world.workspaces.remove({ worker })
    const kept = world.repository.run("rev-list", "--all").split("\n")
    expect(kept).toEqual(expect.arrayContaining([first, second]))
    expect(unreachableCommits(world.repository)).toEqual([])
  })

  it("loses nothing either when the user turned the logs off", async () => {
    using world = await setUpWorkspaces()
    world.repository.run("config", "core.logAllRefUpdates", "false")
    await world.workspaces.create({ worker })
    const lost = world.tree(worker).commit("First", { "b.txt": "b1" })
    world.tree(worker).run("commit", "--quiet", "--amend", "-m", "Other")
    await world.workspaces.remove({ worker })
    expect(Object.values(await world.pinned())).toContain(lost)
  })

  it("of a row of commits pins the last, which keeps the others", async () => {
    using world = await setUpWorkspaces()
    await world.workspaces.create({ worker, attempt })
    const tree = world.tree(worker)
    for (const name of ["a", "b", "c"]) tree.commit(name, { [name]: name })
    const last = tree.run("rev-parse", "HEAD")
    tree.run("reset", "--quiet", "--hard", "HEAD~3")
    await world.workspaces.remove({ worker })
    const earlier = Object.entries(await world.pinned()).filter(([ref]) => ref.includes("/earlier/"))
    expect(earlier).toEqual([[`1/1/earlier/${last.slice(0, 16)}`, last]])
  })
})

describe("leftovers", () => {
  async function leftoversOf(world: WorkspaceSetup, spoil: (tree: Repository) => void | Promise<void>) {
    await world.workspaces.create({ worker })
    await spoil(world.tree(worker))
    await world.workspaces.remove({ worker })
    const commit = (await world.pinned())["workers/w1/1/leftovers"] ?? ""
    return {
      commit,
      show: (path: string) => world.repository.run("cat-file", "blob", `${commit}:${path}`),
      changes: () => world.repository.run("diff", "--name-status", `${commit}^`, commit),
    }
  }

  it("have both versions of a file that was staged and changed again", async () => {
    using world = await setUpWorkspaces()
    const { show, commit } = await leftoversOf(world, (tree) => {
      tree.write({ "a.txt": "staged" })
      tree.run("add", "a.txt")
      tree.write({ "a.txt": "changed again" })
    })
    expect(show("a.txt")).toBe("changed again")
    expect(world.repository.run("cat-file", "blob", `${commit}^2:a.txt`)).toBe("staged")
  })

  it("have what was staged and then deleted", async () => {
    using world = await setUpWorkspaces()
    const { commit } = await leftoversOf(world, (tree) => {
      tree.write({ "b.txt": "staged" })
      tree.run("add", "b.txt")
      tree.write({ "b.txt": null })
    })
    expect(world.repository.run("cat-file", "blob", `${commit}^2:b.txt`)).toBe("staged")
  })

  it("have changes that were hidden from git", async () => {
    using world = await setUpWorkspaces({ files: { "a.txt": "a", "b.txt": "b", "c.txt": "c" } })
    const { changes } = await leftoversOf(world, (tree) => {
      tree.run("update-index", "--assume-unchanged", "a.txt")
      tree.run("update-index", "--skip-worktree", "b.txt")
      tree.write({ "a.txt": "hidden", "b.txt": "hidden" })
    })
    expect(changes()).toBe("M\ta.txt\nM\tb.txt")
  })

  it("have a merge with conflicts as it stands", async () => {
    using world = await setUpWorkspaces()
    const { show } = await leftoversOf(world, (tree) => {
      tree.run("checkout", "--quiet", "-b", "side")
      tree.commit("Side", { "a.txt": "side\n" })
      tree.run("checkout", "--quiet", "teamwork/shop/main/w1")
      tree.commit("Ours", { "a.txt": "ours\n" })
      Bun.spawnSync(["git", "merge", "side"], { cwd: tree.path })
    })
    expect(show("a.txt")).toContain("<<<<<<< HEAD\nours\n")
    expect(unreachableCommits(world.repository)).toEqual([])
  })

  it("have modes and links, also out of the tree", async () => {
    using world = await setUpWorkspaces()
    const { changes, show } = await leftoversOf(world, (tree) => {
      chmodSync(join(tree.path, "a.txt"), 0o755)
      symlinkSync("/etc/passwd", join(tree.path, "link"))
    })
    expect(changes()).toBe("M\ta.txt\nA\tlink")
    expect(show("link")).toBe("/etc/passwd")
  })

  it("leave out what has no content: pipes and sockets", async () => {
    using world = await setUpWorkspaces({ files: { "a.txt": "a", "b.txt": "b" } })
    const server = createServer()
    const { changes } = await leftoversOf(world, async (tree) => {
      Bun.spawnSync(["mkfifo", join(tree.path, "pipe")])
      tree.write({ "a.txt": null, "new.txt": "new" })
      Bun.spawnSync(["mkfifo", join(tree.path, "a.txt")])
      await new Promise<void>((resolve) => server.listen(`${tree.path}/s`, resolve))
    })
    server.close()
    expect(changes()).toContain("A\tnew.txt")
    expect(changes()).not.toContain("pipe")
  })

  it("have files and folders that nobody may read or write", async () => {
    using world = await setUpWorkspaces()
    const { show } = await leftoversOf(world, (tree) => {
      tree.write({ "secret.txt": "s", "closed/c.txt": "c" })
      chmodSync(join(tree.path, "secret.txt"), 0)
      chmodSync(join(tree.path, "closed"), 0o555)
      tree.write({ "shut/deep/d.txt": "d", "b/tracked.txt": "t" })
      chmodSync(join(tree.path, "shut/deep"), 0)
      chmodSync(join(tree.path, "shut"), 0)
      chmodSync(join(tree.path, "b"), 0)
    })
    const found = [show("secret.txt"), show("closed/c.txt"), show("shut/deep/d.txt"), show("b/tracked.txt")]
    expect(found).toEqual(["s", "c", "d", "t"])
  })

  it("have large files", async () => {
    using world = await setUpWorkspaces()
    const size = 64 * 1024 * 1024
    const { commit } = await leftoversOf(world, (tree) =>
      writeFileSync(join(tree.path, "big"), Buffer.alloc(size, "x")),
    )
    expect(world.repository.run("cat-file", "-s", `${commit}:big`)).toBe(String(size))
  })

  it("have the commits, branches and files of repositories inside", async () => {
    using world = await setUpWorkspaces()
    let work = ""
    const { commit } = await leftoversOf(world, (tree) => {
      tree.run("init", "--quiet", "--initial-branch=main", "inner")
      const inner = tree.at(join(tree.path, "inner"))
      inner.run("config", "user.name", "Test")
      inner.run("config", "user.email", "test@example.com")
      work = inner.commit("Inner", { "x.txt": "x" })
      inner.write({ "y.txt": "y" })
      tree.run("init", "--quiet", "empty")
      tree.write({ "outer.txt": "o", "empty/z.txt": "z" })
    })
    expect(world.repository.run("ls-tree", "--name-only", commit)).toBe("a.txt\nouter.txt")
    expect(world.repository.run("cat-file", "-t", work)).toBe("commit")
    const nested = Object.entries(await world.pinned()).filter(([ref]) => ref.includes("/nested/"))
    expect(nested.map(([ref]) => ref)).toContain("workers/w1/1/nested/2/heads/main")
    const files = nested.flatMap(([, sha]) => world.repository.run("ls-tree", "--name-only", sha).split("\n"))
    expect(files).toEqual(expect.arrayContaining(["x.txt", "y.txt", "z.txt"]))
    expect(unreachableCommits(world.repository)).toEqual([])
  })

  it("are kept when the index is damaged", async () => {
    using world = await setUpWorkspaces()
    const { changes } = await leftoversOf(world, (tree) => {
      writeFileSync(join(tree.run("rev-parse", "--absolute-git-dir"), "index"), "damaged")
      tree.write({ "new.txt": "new" })
    })
    expect(changes()).toBe("A\tnew.txt")
  })

  it("are taken without touching the worktree or its index", async () => {
    using world = await setUpWorkspaces()
    await world.workspaces.create({ worker })
    const tree = world.tree(worker)
    tree.write({ "a.txt": "changed", "new.txt": "new" })
    tree.run("add", "new.txt")
    tree.run("status")
    const index = join(tree.run("rev-parse", "--absolute-git-dir"), "index")
    const before = [readFileSync(index, "hex"), tree.run("status", "--porcelain")]
    const pins = await world.workspaces.pin({ worker })
    expect(pins.map((pin) => pin.kind)).toEqual(["head", "leftovers"])
    expect([readFileSync(index, "hex"), tree.run("status", "--porcelain")]).toEqual(before)
    expect(await world.workspaces.pin({ worker })).toEqual(pins)
    expect(Object.keys(await world.pinned())).toHaveLength(2)
  })

  it("of a repository inside that git cannot open are kept all the same, as files", async () => {
    using world = await setUpWorkspaces()
    await world.workspaces.create({ worker })
    const tree = world.tree(worker)
    tree.write({ "inner/x.txt": "x" })
    tree.run("init", "--quiet", "inner")
    writeFileSync(join(tree.path, "inner/.git/config"), "[core]\n\trepositoryformatversion = 99\n")
    await world.workspaces.remove({ worker })
    expect(existsSync(tree.path)).toBe(false)
    const kept = "refs/teamwork/shop/main/workers/w1/1/nested/1/heads/teamwork-leftovers"
    expect(world.repository.run("show", `${kept}:x.txt`)).toBe("x")
  })
})

describe("pins", () => {
  it("of the same attempt keep what came before and is not contained", async () => {
    using world = await setUpWorkspaces()
    const { repository, pins } = world
    const base = repository.run("rev-parse", "HEAD")
    const first = repository.commit("First", { "1": "1" })
    const second = repository.commit("Second", { "2": "2" })
    repository.run("reset", "--quiet", "--hard", base)
    const other = repository.commit("Other", { "3": "3" })
    repository.run("reset", "--quiet", "--hard", base)
    await pin(world, { base, head: first })
    await pin(world, { base, head: second })
    expect(await world.pinned()).toEqual({ "1/1/base": base, "1/1/head": second })
    await pin(world, { head: other, aside: first })
    await pin(world, { aside: other })
    expect(await world.pinned()).toEqual({
      "1/1/base": base,
      "1/1/head": other,
      "1/1/aside": other,
      [`1/1/earlier/${second.slice(0, 16)}`]: second,
      [`1/1/earlier/${first.slice(0, 16)}`]: first,
    })
    expect(await pins.find(attempt, "head")).toMatchObject({ commit: other, number: 1, kind: "head" })
    expect(await pins.find({ task: "1", attempt: 2 }, "head")).toBeUndefined()
    repository.run("pack-refs", "--all")
    expect(await pins.find(attempt, "head")).toMatchObject({ commit: other })
  })

  it("by two at the same moment are all kept", async () => {
    using world = await setUpWorkspaces()
    const heads = ["a", "b", "c", "d"].map((name) => {
      world.repository.run("checkout", "--quiet", "--detach", "main")
      return world.repository.commit(name, { [name]: name })
    })
    world.repository.run("checkout", "--quiet", "main")
    const all = await Promise.all(heads.map(() => world.from(world.repository.path)))
    const done = await Promise.allSettled(all.map((each, index) => pin(each, { head: heads[index] ?? "" })))
    const kept = heads.filter((_, index) => done[index]?.status === "fulfilled")
    expect(kept.length).toBeGreaterThan(0)
    expect(Object.values(await world.pinned())).toEqual(expect.arrayContaining(kept))
  })

  it("tell whether the target has them", async () => {
    using world = await setUpWorkspaces()
    const { repository, pins } = world
    const base = repository.run("rev-parse", "HEAD")
    repository.run("checkout", "--quiet", "-b", "side")
    const head = repository.commit("Work $(x)\n\nbody", { "1": "1" })
    repository.run("checkout", "--quiet", "main")
    await pin(world, { base, head })
    expect(await pins.list()).toMatchObject([
      { kind: "base", isContained: true, subject: "Start", date: expect.stringMatching(/^\d{4}-/) },
      { kind: "head", isContained: false, subject: "Work $(x)" },
    ])
    expect(await pins.list({ target: "side" })).toMatchObject([{ isContained: true }, { isContained: true }])
    expect(await pins.list({ task: "2" })).toEqual([])
  })

  it("come back as a branch, and never over one that exists", async () => {
    using world = await setUpWorkspaces()
    await world.workspaces.create({ worker, attempt })
    const head = world.tree(worker).commit("Work", { "b.txt": "b" })
    await world.workspaces.remove({ worker })
    const pin = await world.pins.find(attempt, "head")
    if (pin === undefined) throw new Error("not pinned")
    await world.pins.recover(pin, "back/1")
    expect(world.repository.run("rev-parse", "back/1")).toBe(head)
    expect(await refusal(world.pins.recover(pin, "main"))).toMatchObject({ code: "branch.exists" })
    for (const name of ["-x", "a..b", "a b", "", "HEAD", "x\ny"])
      expect(await refusal(world.pins.recover(pin, name))).toMatchObject({ code: "input.invalid" })
    expect(world.repository.run("rev-parse", "main")).not.toBe(head)
  })

  it("go when they are purged by name", async () => {
    using world = await setUpWorkspaces()
    await world.workspaces.create({ worker, attempt })
    await world.workspaces.remove({ worker })
    await world.pins.purge(await world.pins.list({ task: "1" }))
    expect(await world.pinned()).toEqual({})
  })

  it("are there when the folder of a worktree vanished while its branch was moved", async () => {
    using world = await setUpWorkspaces()
    await world.workspaces.create({ worker })
    const first = world.tree(worker).commit("First", { "b.txt": "1" })
    world.tree(worker).run("reset", "--quiet", "--hard", "HEAD~1")
    rmSync(validateSafeDelete(world.workspaces.pathOf(worker)), { recursive: true })
    await world.workspaces.examine(true)
    expect(Object.values(await world.pinned())).toContain(first)
  })
})

function pin({ context }: Pick<WorkspaceSetup, "context">, commits: Partial<Record<PinKind, string>>): Promise<Pin[]> {
  const wanted = new Map(Object.entries(commits) as [PinKind, string][])
  return writePins(context, { place: attempt, wanted })
}
