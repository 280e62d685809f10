// What happens to a worktree between being made and being removed: set-up, copied files, the next attempt, sync.
import { describe, expect, it } from "bun:test"
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Repository, snapshotFolder } from "../support/repository.ts"
import { makeScratch } from "../support/sandbox.ts"
import { refusal } from "../support/stores.ts"
import { setUpWorkspaces } from "../support/workspaces.ts"

const worker = "w1"
const isGit = (path: string) => path === ".git"

describe("moving to the next attempt", () => {
  it("writes only the files that differ", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [`d${index % 10}/f${index}.txt`, `${index}`]),
    )
    using world = await setUpWorkspaces({ files })
    await world.workspaces.create({ worker, attempt: { task: "1", attempt: 1 } })
    const tree = world.tree(worker)
    tree.commit("Work", { "d1/f1.txt": "work" })
    tree.write({ "d2/f2.txt": "uncommitted" })
    const base = world.repository.commit("Next", { "d3/f3.txt": "next", "new.txt": "new", "d4/f4.txt": null })
    const before = stamps(tree)
    const moved = await world.workspaces.move({ worker, base: "main", attempt: { task: "2", attempt: 1 } })
    expect(moved).toMatchObject({ isNew: false, base, head: base, attempt: { task: "2", attempt: 1 } })
    expect(moved.pinned.map((pin) => pin.ref.split("/").slice(4).join("/"))).toEqual([
      "1/1/head",
      "1/1/base",
      "1/1/leftovers",
    ])
    const after = stamps(tree)
    const written = Object.keys(after).filter((file) => after[file] !== before[file])
    expect(written.toSorted()).toEqual(["d1/f1.txt", "d2/f2.txt", "d3/f3.txt", "new.txt"])
    expect(Object.keys(before).filter((file) => after[file] === undefined)).toEqual(["d4/f4.txt"])
  })

  const spoilers: [string, (tree: Repository) => void][] = [
    ["commits", (tree) => tree.commit("Work", { "b/b.txt": "work", "new/n.txt": "n" })],
    [
      "changes, staged and not",
      (tree) => {
        tree.write({ "a.txt": "x", "b/b.txt": "y" })
        tree.run("add", "a.txt")
      },
    ],
    ["deleted files and folders", (tree) => tree.write({ "a.txt": null, b: null })],
    [
      "new files and empty folders",
      (tree) => {
        tree.write({ "new/deep/file.txt": "x" })
        mkdirSync(join(tree.path, "empty/folder"), { recursive: true })
      },
    ],
    ["ignored files", (tree) => tree.write({ "x.log": "x", "out/o.log": "o", "build/made": "m" })],
    [
      "repositories inside",
      (tree) => {
        tree.run("init", "--quiet", "inner")
        tree.run("init", "--quiet", "build/inner")
      },
    ],
    ["modes that git sees", (tree) => chmodSync(join(tree.path, "a.txt"), 0o755)],
    [
      "modes that git does not see",
      (tree) => {
        chmodSync(join(tree.path, "a.txt"), 0o600)
        chmodSync(join(tree.path, "b"), 0o700)
        tree.run("status")
      },
    ],
    [
      "hidden changes",
      (tree) => {
        tree.run("update-index", "--assume-unchanged", "a.txt")
        tree.run("update-index", "--skip-worktree", "b/b.txt")
        tree.write({ "a.txt": "hidden", "b/b.txt": "hidden" })
      },
    ],
    [
      "a link instead of a file, and one instead of a folder",
      (tree) => {
        tree.write({ "a.txt": null, b: null })
        symlinkSync("/etc/passwd", join(tree.path, "a.txt"))
        symlinkSync("/etc", join(tree.path, "b"))
      },
    ],
    ["another branch", (tree) => tree.run("checkout", "--quiet", "-b", "own")],
    ["no branch", (tree) => tree.run("checkout", "--quiet", "--detach")],
    [
      "a merge in the middle",
      (tree) => {
        tree.run("checkout", "--quiet", "-b", "side")
        tree.commit("Side", { "a.txt": "side\n" })
        tree.run("checkout", "--quiet", "teamwork/shop/main/w1")
        tree.commit("Ours", { "a.txt": "ours\n" })
        Bun.spawnSync(["git", "merge", "side"], { cwd: tree.path })
      },
    ],
    [
      "a rebase in the middle",
      (tree) => {
        tree.run("checkout", "--quiet", "-b", "side")
        tree.commit("Side", { "a.txt": "side\n" })
        tree.run("checkout", "--quiet", "teamwork/shop/main/w1")
        tree.commit("Ours", { "a.txt": "ours\n" })
        Bun.spawnSync(["git", "rebase", "side"], { cwd: tree.path })
      },
    ],
    ["a sparse checkout", (tree) => tree.run("sparse-checkout", "set", "nothing")],
    [
      "settings of its own",
      (tree) => {
        tree.run("config", "extensions.worktreeConfig", "true")
        tree.run("config", "--worktree", "core.hooksPath", "/nowhere")
      },
    ],
    ["a damaged index", (tree) => writeFileSync(join(tree.run("rev-parse", "--absolute-git-dir"), "index"), "damaged")],
    ["a lost link to git", (tree) => tree.write({ ".git": null })],
  ]
  it.each(spoilers)("leaves it as clean as a fresh one after %s", async (_, spoil) => {
    const files = { ".gitignore": "*.log\nbuild/\n", "a.txt": "a\n", "b/b.txt": "b\n", "c.sh": "#!/bin/sh\n" }
    using world = await setUpWorkspaces({ files })
    chmodSync(join(world.repository.path, "c.sh"), 0o755)
    world.repository.commit("Executable")
    await world.workspaces.create({ worker })
    spoil(world.tree(worker))
    const { base } = await world.workspaces.move({ worker })
    await world.workspaces.create({ worker: "fresh" })
    const [moved, fresh] = [world.tree(worker), world.tree("fresh")]
    expect(snapshotFolder(moved.path, isGit)).toEqual(snapshotFolder(fresh.path, isGit))
    expect(moved.run("status", "--porcelain", "--ignored", "--branch")).toBe("## teamwork/shop/main/w1")
    expect(moved.run("status").replaceAll("w1", "fresh")).toBe(fresh.run("status"))
    expect(moved.run("ls-files", "-v", "--stage")).toBe(fresh.run("ls-files", "-v", "--stage"))
    expect(moved.run("config", "--list")).toBe(fresh.run("config", "--list"))
    expect(await world.verify(worker, base)).toBe(base)
  })

  it("keeps what workspace.keep names", async () => {
    using world = await setUpWorkspaces({
      files: { ".gitignore": "node_modules\n*.log\n", "a.txt": "a" },
      keep: ["node_modules"],
    })
    await world.workspaces.create({ worker })
    world.tree(worker).write({ "node_modules/x/index.js": "x", "sub/node_modules/y.js": "y", "x.log": "x" })
    await world.workspaces.move({ worker })
    expect(world.tree(worker).read("node_modules/x/index.js")).toBe("x")
    expect(world.tree(worker).read("sub/node_modules/y.js")).toBe("y")
    expect(existsSync(join(world.tree(worker).path, "x.log"))).toBe(false)
  })

  it("makes one where there is none", async () => {
    using world = await setUpWorkspaces()
    expect(await world.workspaces.move({ worker })).toMatchObject({ isNew: true, pinned: [] })
  })

  it("starts over after one that was interrupted", async () => {
    using world = await setUpWorkspaces()
    const { base } = await world.workspaces.create({ worker, attempt: { task: "1", attempt: 1 } })
    const tree = world.tree(worker)
    const work = tree.commit("Work", { "b.txt": "b" })
    const record = join(world.view(worker), "teamwork.json")
    const known = JSON.parse(readFileSync(record, "utf8"))
    writeFileSync(record, JSON.stringify({ ...known, pending: "move" }))
    tree.write({ "a.txt": null, "b.txt": "half" })
    expect(await world.workspaces.find(worker)).toMatchObject({ state: "unfinished" })
    expect(await refusal(world.verify(worker, base))).toMatchObject({ details: { reason: "unfinished" } })
    expect(await world.workspaces.move({ worker })).toMatchObject({ isNew: true, head: base })
    expect(await world.pinned()).toMatchObject({ "1/1/head": work })
  })
})

function stamps(tree: Repository): Record<string, string> {
  const files = Object.keys(snapshotFolder(tree.path, isGit)).filter((path) => !path.endsWith("/"))
  return Object.fromEntries(
    files.map((file) => {
      const { ino, mtimeNs, ctimeNs } = lstatSync(join(tree.path, file), { bigint: true })
      return [file, `${ino} ${mtimeNs} ${ctimeNs}`]
    }),
  )
}

describe("what an amend left behind", () => {
  it("is pinned each time, also when the reflog was looked at before or has lost its beginning", async () => {
    using world = await setUpWorkspaces()
    await world.workspaces.create({ worker, attempt: { task: "1", attempt: 1 } })
    const tree = world.tree(worker)
    const left: string[] = []
    for (const name of ["first", "second", "third"]) {
      if (name === "third") tree.run("reflog", "expire", "--expire=now", "--all")
      left.push(tree.commit(name, { [`${name}.txt`]: "x" }))
      tree.run("commit", "--quiet", "--amend", "-m", `${name}, better`)
      await world.workspaces.pin({ worker })
      await world.workspaces.pin({ worker })
      const earlier = Object.entries(await world.pinned()).filter(([name]) => name.startsWith("1/1/earlier/"))
      expect(earlier.map(([, commit]) => commit).toSorted()).toEqual(left.toSorted())
    }
  })
})

describe("an attempt that is no longer a worker's", () => {
  it("keeps its pins, whatever becomes of the worktree; the rest is pinned as the worker's own", async () => {
    using world = await setUpWorkspaces()
    const attempt = { task: "1", attempt: 1 }
    await world.workspaces.create({ worker, attempt })
    const tree = world.tree(worker)
    const first = tree.commit("First", { "b.txt": "b" })
    await world.workspaces.pin({ worker })
    await world.workspaces.disown({ worker, attempt })
    expect(await world.workspaces.find(worker)).toMatchObject({ attempt: null, head: first, state: "clean" })
    const later = tree.commit("Later", { "c.txt": "c" })
    await world.workspaces.move({ worker, attempt: { task: "2", attempt: 1 } })
    expect(await world.pinned()).toMatchObject({ "1/1/head": first, "workers/w1/1/head": later })
    await world.workspaces.disown({ worker: "nobody", attempt })
    // Whoever took the first one over and comes late must not take the second one away.
    await world.workspaces.disown({ worker, attempt })
    expect(await world.workspaces.find(worker)).toMatchObject({ attempt: { task: "2", attempt: 1 } })
  })
})

describe("workspace.setup", () => {
  it("runs in a new and in a moved worktree, and its output is kept", async () => {
    using world = await setUpWorkspaces({
      files: { ".gitignore": "made\n" },
      setup: 'echo "set up in $(basename "$PWD")"; echo to stderr >&2; echo x >> made',
    })
    const { setupLog } = await world.workspaces.create({ worker })
    expect(readFileSync(setupLog ?? "", "utf8")).toBe("set up in w1\nto stderr\n")
    expect(world.tree(worker).read("made")).toBe("x\n")
    await world.workspaces.move({ worker })
    expect(world.tree(worker).read("made")).toBe("x\n")
  })

  it("that fails leaves no worktree and says where its output is", async () => {
    using world = await setUpWorkspaces({ setup: "echo trying; echo no network >&2; exit 3" })
    const { code, message, details } = await refusal(world.workspaces.create({ worker }))
    expect(code).toBe("workspace.setup_failed")
    expect(message).toContain("ended with 3: no network")
    expect(readFileSync(String(details.log), "utf8")).toBe("trying\nno network\n")
    expect(await world.workspaces.list()).toEqual([])
    expect(world.repository.run("branch", "--list", "teamwork/*")).toBe("")
    expect(existsSync(world.workspaces.pathOf(worker))).toBe(false)
  })

  it("that takes too long is stopped, with all it started", async () => {
    using world = await setUpWorkspaces({ setup: "sleep 600 & sleep 600", setupTimeoutSeconds: 1 })
    const { code, message } = await refusal(world.workspaces.create({ worker }))
    expect(code).toBe("workspace.setup_failed")
    expect(message).toContain("was stopped after 1 s")
  })

  it("that changes tracked files is refused", async () => {
    using world = await setUpWorkspaces({ setup: "echo changed > a.txt" })
    const { code, message } = await refusal(world.workspaces.create({ worker }))
    expect(code).toBe("workspace.unproven")
    expect(message).toContain("a.txt differs from its commit")
  })
})

describe("workspace.copy", () => {
  it("copies what git does not track, and none of it can be committed by accident", async () => {
    using world = await setUpWorkspaces({
      files: { ".gitignore": ".env\n", "a.txt": "a", "config/app.json": "{}" },
      copy: [".env", "config/*.local", "**/.secret", "a.txt", "*.md"],
    })
    const { repository } = world
    repository.write({ ".env": "KEY=1", "config/x.local": "x", "config/odd [1] .local": "o", "deep/er/.secret": "s" })
    repository.write({ "a.txt": "changed by the user", "other.txt": "o" })
    chmodSync(join(repository.path, ".env"), 0o600)
    const { copied } = await world.workspaces.create({ worker })
    expect(copied.toSorted()).toEqual([".env", "config/odd [1] .local", "config/x.local", "deep/er/.secret"])
    const tree = world.tree(worker)
    expect(tree.read(".env")).toBe("KEY=1")
    expect(lstatSync(join(tree.path, ".env")).mode & 0o777).toBe(0o600)
    expect(tree.read("a.txt")).toBe("a")
    tree.run("add", "--all")
    expect(tree.run("status", "--porcelain")).toBe("")
    tree.write({ ".env": "KEY=changed" })
    await world.workspaces.move({ worker })
    expect(tree.read(".env")).toBe("KEY=1")
    await world.workspaces.create({ worker: "w2" })
    expect(world.tree("w2").run("status", "--porcelain")).toBe("")
    expect(readFileSync(join(repository.path, ".git/info/exclude"), "utf8")).not.toContain("x.local")
  })

  it("follows no link, neither from the checkout nor out of the worktree", async () => {
    using world = await setUpWorkspaces({ files: { "a.txt": "a" }, copy: ["**/.env", "link", "out/secret"] })
    using scratch = makeScratch()
    writeFileSync(join(scratch.path, ".env"), "elsewhere")
    symlinkSync(scratch.path, join(world.repository.path, "folder"))
    symlinkSync(join(scratch.path, ".env"), join(world.repository.path, "link"))
    world.repository.write({ "out/secret": "s" })
    world.repository.run("checkout", "--quiet", "-b", "evil")
    const target = Bun.spawnSync(["git", "hash-object", "-w", "--stdin"], {
      cwd: world.repository.path,
      stdin: new TextEncoder().encode(scratch.path),
    })
      .stdout.toString()
      .trim()
    world.repository.run("update-index", "--add", "--cacheinfo", `120000,${target},out`)
    world.repository.run("commit", "--quiet", "-m", "A link out of the tree")
    world.repository.run("update-index", "--force-remove", "out")
    const { copied } = await world.workspaces.create({ worker, base: "evil" })
    expect(copied).toEqual([])
    expect(existsSync(join(scratch.path, "secret"))).toBe(false)
  })

  it.each([["../outside"], ["/etc/passwd"], ["a/../../b"], [""], [":(exclude)x"]])("refuses %j", async (glob) => {
    using world = await setUpWorkspaces({ copy: [glob] })
    expect(await refusal(world.workspaces.create({ worker }))).toMatchObject({ code: "workspace.bad_copy" })
    expect(await world.workspaces.list()).toEqual([])
  })
})

describe("sync", () => {
  it("does nothing where there is nothing new", async () => {
    using world = await setUpWorkspaces()
    await world.workspaces.create({ worker })
    const head = world.tree(worker).commit("Work", { "b.txt": "b" })
    expect(await world.workspaces.sync({ worker })).toMatchObject({ result: "up-to-date", head, onto: "main" })
  })

  it("goes forward to the integration branch, files and all", async () => {
    using world = await setUpWorkspaces()
    await world.workspaces.create({ worker })
    const next = world.repository.commit("Next", { "a.txt": "next", "n.txt": "n" })
    world.repository.run("branch", "teamwork/shop/main/integration")
    world.repository.commit("Not yet integrated", { "later.txt": "l" })
    const synced = await world.workspaces.sync({ worker })
    expect(synced).toMatchObject({ result: "fast-forward", head: next, onto: "teamwork/shop/main/integration" })
    expect(world.tree(worker).read("a.txt")).toBe("next")
    expect(world.tree(worker).run("status", "--porcelain", "--branch")).toBe("## teamwork/shop/main/w1")
  })

  it("merges, and leaves uncommitted changes elsewhere alone", async () => {
    using world = await setUpWorkspaces({ files: { "a.txt": "a", "b.txt": "b", "c.txt": "c" } })
    await world.workspaces.create({ worker })
    const tree = world.tree(worker)
    const own = tree.commit("Work", { "b.txt": "work" })
    tree.write({ "c.txt": "uncommitted", "new.txt": "new" })
    const next = world.repository.commit("Next", { "a.txt": "next" })
    const { result, head } = await world.workspaces.sync({ worker, onto: "main" })
    expect(result).toBe("merged")
    expect(tree.run("rev-parse", "HEAD", "HEAD^1", "HEAD^2").split("\n")).toEqual([head, own, next])
    expect(tree.run("log", "-1", "--format=%s")).toBe("Merge main into teamwork/shop/main/w1")
    expect([tree.read("a.txt"), tree.read("b.txt"), tree.read("c.txt")]).toEqual(["next", "work", "uncommitted"])
    expect(tree.run("status", "--porcelain")).toBe(" M c.txt\n?? new.txt")
  })

  it("changes nothing on a conflict and names the files", async () => {
    using world = await setUpWorkspaces({ files: { "a.txt": "a\n", "ü b.txt": "b\n", "c.txt": "c" } })
    await world.workspaces.create({ worker })
    const tree = world.tree(worker)
    const own = tree.commit("Work", { "a.txt": "work\n", "ü b.txt": "work\n" })
    world.repository.commit("Next", { "a.txt": "next\n", "ü b.txt": "next\n", "c.txt": "next" })
    const { code, message, details } = await refusal(world.workspaces.sync({ worker }))
    expect(code).toBe("workspace.conflict")
    expect(message).toContain("both changed a.txt, ü b.txt")
    expect(details.files).toEqual(["a.txt", "ü b.txt"])
    expect(tree.run("rev-parse", "HEAD")).toBe(own)
    expect(tree.run("status", "--porcelain", "--branch")).toBe("## teamwork/shop/main/w1")
    expect(tree.read("c.txt")).toBe("c")
    expect(await world.workspaces.find(worker)).toMatchObject({ state: "clean" })
  })

  it("changes nothing where it would overwrite uncommitted changes", async () => {
    using world = await setUpWorkspaces()
    await world.workspaces.create({ worker })
    const tree = world.tree(worker)
    tree.write({ "a.txt": "uncommitted" })
    world.repository.commit("Next", { "a.txt": "next" })
    const { code, message } = await refusal(world.workspaces.sync({ worker }))
    expect(code).toBe("workspace.changed")
    expect(message).toContain("a.txt")
    expect(tree.read("a.txt")).toBe("uncommitted")
    expect(tree.run("log", "-1", "--format=%s")).toBe("Start")
    expect(await world.workspaces.find(worker)).toMatchObject({ state: "changed" })
  })

  it("changes nothing where a new file would be overwritten", async () => {
    using world = await setUpWorkspaces()
    await world.workspaces.create({ worker })
    world.tree(worker).write({ "new.txt": "mine" })
    world.repository.commit("Next", { "new.txt": "theirs" })
    expect(await refusal(world.workspaces.sync({ worker }))).toMatchObject({ code: "workspace.changed" })
    expect(world.tree(worker).read("new.txt")).toBe("mine")
  })

  it("is refused without a worktree, and on another branch", async () => {
    using world = await setUpWorkspaces()
    expect(await refusal(world.workspaces.sync({ worker }))).toMatchObject({ code: "workspace.not_found" })
    await world.workspaces.create({ worker })
    world.tree(worker).run("checkout", "--quiet", "--detach")
    expect(await refusal(world.workspaces.sync({ worker }))).toMatchObject({ code: "workspace.unproven" })
    expect(await refusal(world.workspaces.sync({ worker, onto: "nowhere" }))).toMatchObject({
      code: "workspace.base_not_found",
    })
  })

  it("that was interrupted is taken back, after pinning", async () => {
    using world = await setUpWorkspaces()
    await world.workspaces.create({ worker, attempt: { task: "1", attempt: 1 } })
    const tree = world.tree(worker)
    const own = tree.commit("Work", { "b.txt": "b" })
    const record = join(world.view(worker), "teamwork.json")
    const known = JSON.parse(readFileSync(record, "utf8"))
    writeFileSync(record, JSON.stringify({ ...known, pending: "sync" }))
    tree.write({ "a.txt": "half written" })
    expect(await world.workspaces.examine(true)).toMatchObject([{ what: "unfinished", isFixed: true }])
    expect(await world.workspaces.find(worker)).toMatchObject({ state: "clean", head: own })
    const { "1/1/leftovers": leftovers = "" } = await world.pinned()
    expect(world.repository.run("cat-file", "blob", `${leftovers}:a.txt`)).toBe("half written")
  })
})
