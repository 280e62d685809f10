// Worktrees in every state a repository may be in, on real git.
import { describe, expect, it } from "bun:test"
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { setMode, snapshotFolder, unreachableCommits } from "../support/repository.ts"
import { makeScratch, sandboxEnv, validateSafeDelete } from "../support/sandbox.ts"
import { refusal } from "../support/stores.ts"
import { setUpWorkspaces, type WorkspaceSetup } from "../support/workspaces.ts"

const worker = "w1"

describe("a workspace is made", () => {
  it("from what is checked out, on a branch of its own, clean", async () => {
    using world = await setUpWorkspaces()
    const made = await world.workspaces.create({ worker })
    const head = world.repository.run("rev-parse", "HEAD")
    expect(made).toMatchObject({ worker, branch: "teamwork/shop/main/w1", base: head, head, isNew: true, copied: [] })
    expect(made.path).toMatch(/\/home of worktrees\/worktrees\/shop-[0-9a-f]{8}\/main\/w1$/)
    const tree = world.tree(worker)
    expect(tree.run("status", "--porcelain", "--branch")).toBe("## teamwork/shop/main/w1")
    expect(tree.read("a.txt")).toBe("a\n")
    expect(await world.verify(worker, head)).toBe(head)
  })

  it("from the integration branch once there is one, and from any base that is named", async () => {
    using world = await setUpWorkspaces()
    const { repository, workspaces } = world
    const first = repository.run("rev-parse", "HEAD")
    const second = repository.commit("Second", { "b.txt": "b" })
    repository.run("branch", "teamwork/shop/main/integration", first)
    repository.run("tag", "v2", second)
    expect(await workspaces.create({ worker: "w1" })).toMatchObject({ base: first })
    expect(await workspaces.create({ worker: "w2", base: "main" })).toMatchObject({ base: second })
    expect(await workspaces.create({ worker: "w3", base: "v2" })).toMatchObject({ base: second })
    expect(await workspaces.create({ worker: "w4", base: first.slice(0, 12) })).toMatchObject({ base: first })
    expect((await workspaces.list()).map((each) => each.worker)).toEqual(["w1", "w2", "w3", "w4"])
  })

  it("again when it is there already, without changing it", async () => {
    using world = await setUpWorkspaces()
    await world.workspaces.create({ worker })
    world.tree(worker).write({ "ignored.log": "x", ".gitignore": "*.log\n.gitignore\n" })
    const attempt = { task: "1", attempt: 1 }
    expect(await world.workspaces.create({ worker, attempt })).toMatchObject({ isNew: false, attempt })
    expect(world.tree(worker).read("ignored.log")).toBe("x")
    expect(await world.workspaces.find(worker)).toMatchObject({ attempt, state: "clean" })
  })

  it("by one of two that ask at the same moment; the other gets the same", async () => {
    using world = await setUpWorkspaces()
    const other = await world.from(world.repository.path)
    const made = await Promise.all([world.workspaces.create({ worker }), other.workspaces.create({ worker })])
    expect(made.map((each) => each.isNew).sort()).toEqual([false, true])
  })

  it("not over work that is there", async () => {
    using world = await setUpWorkspaces()
    await world.workspaces.create({ worker })
    world.tree(worker).write({ "a.txt": "changed" })
    const { code, message } = await refusal(world.workspaces.create({ worker }))
    expect(code).toBe("workspace.exists")
    expect(message).toContain("a.txt differs")
    expect(message).toContain("teamwork worktree remove --worker-id w1")
    expect(world.tree(worker).read("a.txt")).toBe("changed")
  })

  it.each([["nothing"], ["--help"], ["; rm -rf ."], ["$(touch x)"], ["a\nb"], [""]])("not from %j", async (base) => {
    using world = await setUpWorkspaces()
    const before = snapshotFolder(world.repository.path)
    expect(await refusal(world.workspaces.create({ worker, base }))).toMatchObject({ code: "workspace.base_not_found" })
    expect(snapshotFolder(world.repository.path)).toEqual(before)
    expect(await world.workspaces.list()).toEqual([])
  })

  it("not for a worker whose branch is where all work meets", async () => {
    using world = await setUpWorkspaces()
    expect(await refusal(world.workspaces.create({ worker: "integration" }))).toMatchObject({ code: "input.invalid" })
  })
})

describe("a repository", () => {
  it("without commits gets the exact command to make one", async () => {
    using world = await setUpWorkspaces({ files: null })
    const { code, message } = await refusal(world.workspaces.create({ worker }))
    expect(code).toBe("workspace.no_commit")
    expect(message).toContain('git add --all && git commit -m "Start"')
    expect(existsSync(world.workspaces.pathOf(worker))).toBe(false)
  })

  it("that is none is refused", async () => {
    using world = await setUpWorkspaces()
    using scratch = makeScratch()
    expect(await refusal(world.from(scratch.path))).toMatchObject({ code: "workspace.no_repository" })
  })

  it("with a detached head serves as it is", async () => {
    using world = await setUpWorkspaces()
    const first = world.repository.run("rev-parse", "HEAD")
    world.repository.commit("Second", { "b.txt": "b" })
    world.repository.run("checkout", "--quiet", "--detach", first)
    expect(await world.workspaces.create({ worker })).toMatchObject({ base: first })
  })

  it("with changes of the user keeps them, and the worker does not see them", async () => {
    using world = await setUpWorkspaces({ files: { "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" } })
    world.repository.write({ "a.txt": "mine", "c.txt": null, "new.txt": "new" })
    world.repository.run("add", "a.txt")
    const isGit = (path: string) => path === ".git"
    const before = snapshotFolder(world.repository.path, isGit)
    const status = world.repository.run("status", "--porcelain")
    await world.workspaces.create({ worker })
    expect(world.tree(worker).read("a.txt")).toBe("a\n")
    world.tree(worker).commit("Work", { "a.txt": "work" })
    await world.workspaces.move({ worker })
    await world.workspaces.remove({ worker })
    expect(snapshotFolder(world.repository.path, isGit)).toEqual(before)
    expect(world.repository.run("status", "--porcelain")).toBe(status)
  })

  it("with submodules", async () => {
    using library = (await setUpWorkspaces({ name: "library" })).repository
    using world = await setUpWorkspaces()
    const allowed = ["-c", "protocol.file.allow=always"]
    world.repository.run(...allowed, "submodule", "add", "--quiet", library.path, "deps/library")
    world.repository.commit("With a submodule")
    await world.workspaces.create({ worker })
    const tree = world.tree(worker)
    tree.run(...allowed, "submodule", "update", "--init", "--quiet")
    const inside = tree.at(join(tree.path, "deps/library"))
    inside.run("config", "user.name", "Test")
    inside.run("config", "user.email", "test@example.com")
    const work = inside.commit("Work in the submodule", { "lib.txt": "new" })
    await world.workspaces.remove({ worker })
    expect(existsSync(tree.path)).toBe(false)
    expect(world.repository.run("cat-file", "-t", work)).toBe("commit")
    expect(unreachableCommits(world.repository)).toEqual([])
  })

  it("with LFS pointers, where git-lfs is not installed but set up", async () => {
    const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
    using scratch = makeScratch()
    // All that a checkout needs, and no git-lfs, whatever this machine has.
    for (const name of ["git", "sh", "cat"]) symlinkSync(Bun.which(name) ?? "", join(scratch.path, name))
    using world = await setUpWorkspaces({
      files: { ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n", "big.bin": pointer },
      env: { PATH: scratch.path },
    })
    for (const [name, value] of [
      ["clean", "git-lfs clean -- %f"],
      ["smudge", "git-lfs smudge -- %f"],
      ["process", "git-lfs filter-process"],
      ["required", "true"],
    ] as const)
      world.repository.run("config", `filter.lfs.${name}`, value)
    await world.workspaces.create({ worker })
    expect(world.tree(worker).read("big.bin")).toBe(pointer)
    world.tree(worker).write({ "big.bin": "changed" })
    await world.workspaces.remove({ worker })
    const { "workers/w1/1/leftovers": leftovers = "" } = await world.pinned()
    expect(world.repository.run("-c", "filter.lfs.required=false", "cat-file", "blob", `${leftovers}:big.bin`)).toBe(
      "changed",
    )
  })

  it("with spaces, quotes and other letters in its paths", async () => {
    const odd = "a b/ü 'q' \"d\" $(x)\n/-日本.txt"
    using world = await setUpWorkspaces({ name: "mein Lädchen $(x)", files: { [odd]: "odd" } })
    await world.workspaces.create({ worker })
    expect(world.tree(worker).read(odd)).toBe("odd")
    world.tree(worker).write({ [odd]: "odder", "neu ü\n": "neu" })
    expect((await world.workspaces.find(worker))?.changes.toSorted()).toEqual([odd, "neu ü\n"].toSorted())
    await world.workspaces.remove({ worker })
    const { "workers/w1/1/leftovers": leftovers = "" } = await world.pinned()
    expect(world.repository.run("cat-file", "blob", `${leftovers}:${odd}`)).toBe("odder")
    expect(world.repository.run("cat-file", "blob", `${leftovers}:neu ü\n`)).toBe("neu")
  })

  it("is the same from inside one of its worktrees, the user's and ours", async () => {
    using world = await setUpWorkspaces()
    const { repository } = world
    repository.run("worktree", "add", "--quiet", "-b", "feature", "../feature")
    const feature = repository.at(join(repository.path, "../feature"))
    const ahead = feature.commit("Ahead", { "b.txt": "b" })
    const there = await world.from(feature.path)
    expect(await there.workspaces.create({ worker: "w1" })).toMatchObject({ base: ahead })
    const own = world.tree("w1").commit("Work of w1", { "c.txt": "c" })
    const inside = await world.from(world.workspaces.pathOf("w1"))
    const second = await inside.workspaces.create({ worker: "w2" })
    expect(second.base).toBe(repository.run("rev-parse", "main"))
    expect(second.path).toBe(world.workspaces.pathOf("w2"))
    await inside.workspaces.remove({ worker: "w1" })
    expect(Object.values(await world.pinned())).toContain(own)
  })

  it("whose worktree leads to its own repository by a relative path", async () => {
    using world = await setUpWorkspaces()
    const { path, base } = await world.workspaces.create({ worker })
    const own = world.tree(worker).run("rev-parse", "--absolute-git-dir")
    writeFileSync(join(path, ".git"), `gitdir: ${relative(path, own)}\n`)
    expect(await world.verify(worker, base)).toBe(base)
    expect(await world.workspaces.remove({ worker })).toMatchObject({ isRemoved: true })
    expect(existsSync(path)).toBe(false)
  })

  it("of another user says how to trust it, and works once trusted", async () => {
    using world = await setUpWorkspaces()
    using scratch = makeScratch()
    const real = Bun.which("git") ?? ""
    writeFileSync(join(scratch.path, "git"), `#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec '${real}' "$@"\n`, {
      mode: 0o755,
    })
    const config = join(scratch.path, "config")
    writeFileSync(config, "")
    const env = { PATH: `${scratch.path}:${sandboxEnv().PATH}`, GIT_CONFIG_GLOBAL: config }
    const { code, message } = await refusal(world.from(world.repository.path, { env }))
    expect(code).toBe("workspace.no_repository")
    const command = /run: git (config --global --add safe\.directory) '(.+)'$/.exec(message)
    expect(command).not.toBeNull()
    world.repository.run("config", "--file", config, "--add", "safe.directory", command?.[2] ?? "")
    world.repository.run("config", "--file", config, "--add", "safe.directory", "*")
    const trusted = await world.from(world.repository.path, { env })
    expect(await trusted.workspaces.create({ worker })).toMatchObject({ isNew: true })
  })

  it("with hooks that refuse everything and commits that must be signed", async () => {
    using world = await setUpWorkspaces()
    for (const hook of ["pre-commit", "post-checkout", "reference-transaction", "commit-msg", "post-index-change"])
      world.repository.write({ [`.git/hooks/${hook}`]: "#!/bin/sh\ntouch ran\nexit 1\n" })
    for (const { name } of [
      { name: "pre-commit" },
      { name: "post-checkout" },
      { name: "reference-transaction" },
      { name: "commit-msg" },
      { name: "post-index-change" },
    ])
      chmodSync(join(world.repository.path, ".git/hooks", name), 0o755)
    world.repository.run("config", "commit.gpgSign", "true")
    world.repository.run("config", "gpg.program", "false")
    await world.workspaces.create({ worker })
    world.tree(worker).write({ "new.txt": "new" })
    await world.workspaces.remove({ worker })
    expect(Object.keys(await world.pinned())).toContain("workers/w1/1/leftovers")
    expect(existsSync(join(world.repository.path, "ran"))).toBe(false)
  })

  it("in which another git holds a lock is waited for", async () => {
    using world = await setUpWorkspaces()
    mkdirSync(join(world.repository.path, ".git/refs/heads/teamwork/shop/main"), { recursive: true })
    const lock = join(world.repository.path, ".git/refs/heads/teamwork/shop/main/w1.lock")
    writeFileSync(lock, "")
    const made = world.workspaces.create({ worker })
    const release = setTimeout(() => rmSync(validateSafeDelete(lock)), 200)
    expect(await made).toMatchObject({ isNew: true })
    clearTimeout(release)
  })

  it("that is bare", async () => {
    using world = await setUpWorkspaces()
    const bare = join(world.repository.path, "../bare.git")
    world.repository.run("clone", "--quiet", "--bare", world.repository.path, bare)
    const { workspaces, pins } = await world.from(bare, { copy: [".env"] })
    const made = await workspaces.create({ worker })
    const tree = world.repository.at(made.path)
    tree.run("config", "user.name", "Test")
    tree.run("config", "user.email", "test@example.com")
    const first = tree.commit("Work", { "b.txt": "b" })
    tree.run("commit", "--quiet", "--amend", "-m", "Rewritten")
    await workspaces.remove({ worker })
    expect((await pins.list()).map((pin) => pin.commit)).toContain(first)
  })

  it("with a sparse checkout gives the worker the same part, and takes what is left out for no deletion", async () => {
    using world = await setUpWorkspaces({ files: { "in/a.txt": "a", "out/b.txt": "b", "top.txt": "t" } })
    world.repository.run("sparse-checkout", "set", "in")
    await world.workspaces.create({ worker })
    const tree = world.tree(worker)
    expect(existsSync(join(tree.path, "in/a.txt"))).toBe(true)
    expect(existsSync(join(tree.path, "out/b.txt"))).toBe(false)
    tree.write({ "in/a.txt": "changed" })
    await world.workspaces.move({ worker })
    expect(existsSync(join(tree.path, "out/b.txt"))).toBe(false)
    expect(tree.read("in/a.txt")).toBe("a")
    const { "workers/w1/1/leftovers": leftovers = "" } = await world.pinned()
    expect(tree.run("diff", "--name-status", `${leftovers}^`, leftovers)).toBe("M\tin/a.txt")
  })

  it("in which the user has the worker's branch checked out", async () => {
    using world = await setUpWorkspaces()
    world.repository.run("checkout", "--quiet", "-b", "teamwork/shop/main/w1")
    const { code, message } = await refusal(world.workspaces.create({ worker }))
    expect(code).toBe("workspace.branch_taken")
    expect(message).toContain(`is checked out at ${world.repository.path}`)
  })

  it("with a branch that is called teamwork", async () => {
    using world = await setUpWorkspaces()
    world.repository.run("branch", "teamwork")
    const { code, message } = await refusal(world.workspaces.create({ worker }))
    expect(code).toBe("workspace.branch_taken")
    expect(message).toContain("git branch -m teamwork NEW")
  })

  it("with the worker's branch left from before keeps what is on it", async () => {
    using world = await setUpWorkspaces()
    world.repository.run("checkout", "--quiet", "-b", "teamwork/shop/main/w1")
    const old = world.repository.commit("Old work", { "old.txt": "old" })
    world.repository.run("checkout", "--quiet", "main")
    await world.workspaces.create({ worker })
    expect(world.tree(worker).run("rev-parse", "HEAD")).toBe(world.repository.run("rev-parse", "main"))
    expect(await world.pinned()).toMatchObject({ "workers/w1/1/head": old })
  })
})

describe("the place of a workspace", () => {
  it("with foreign files is refused, and they stay", async () => {
    using world = await setUpWorkspaces()
    const path = world.workspaces.pathOf(worker)
    mkdirSync(path, { recursive: true })
    writeFileSync(join(path, "precious"), "x")
    expect(await refusal(world.workspaces.create({ worker }))).toMatchObject({ code: "workspace.foreign_files" })
    expect(await world.workspaces.remove({ worker })).toMatchObject({ isRemoved: false })
    expect(readFileSync(join(path, "precious"), "utf8")).toBe("x")
    expect(world.repository.run("branch", "--list", "teamwork/*")).toBe("")
  })

  it("that was deleted by hand is made anew; what was committed and staged stays", async () => {
    using world = await setUpWorkspaces()
    await world.workspaces.create({ worker })
    const tree = world.tree(worker)
    const work = tree.commit("Work", { "b.txt": "b" })
    tree.write({ "staged.txt": "staged" })
    tree.run("add", "staged.txt")
    rmSync(validateSafeDelete(tree.path), { recursive: true })
    expect(await world.workspaces.find(worker)).toMatchObject({ state: "gone" })
    expect(await refusal(world.verify(worker, work))).toMatchObject({ code: "workspace.unproven" })
    expect(await world.workspaces.create({ worker })).toMatchObject({ isNew: true })
    const pinned = await world.pinned()
    expect(pinned).toMatchObject({ "workers/w1/1/head": work })
    expect(world.repository.run("cat-file", "blob", `${pinned["workers/w1/1/leftovers"]}:staged.txt`)).toBe("staged")
  })

  it("that somebody put another repository into is set aside and not deleted", async () => {
    using world = await setUpWorkspaces()
    await world.workspaces.create({ worker })
    const path = world.workspaces.pathOf(worker)
    rmSync(validateSafeDelete(join(path, ".git")))
    const own = world.repository.at(path)
    own.run("init", "--quiet")
    own.run("config", "user.name", "Test")
    own.run("config", "user.email", "test@example.com")
    const work = own.commit("Somebody's", { "b.txt": "b" })
    const head = world.repository.run("rev-parse", "main")
    expect(await refusal(world.verify(worker, head))).toMatchObject({ details: { reason: "path" } })
    await world.workspaces.create({ worker })
    expect(world.tree(worker).run("status", "--porcelain")).toBe("")
    const aside = [...new Bun.Glob("**/.set-aside/*/b.txt").scanSync({ cwd: world.home, dot: true })]
    expect(aside).toHaveLength(1)
    expect(world.repository.run("cat-file", "-t", work)).toBe("commit")
  })
})

describe("the proof", () => {
  const cases: [string, string, (world: WorkspaceSetup) => void][] = [
    ["another branch", "branch", (world) => world.tree(worker).run("checkout", "--quiet", "-b", "other")],
    ["no branch", "branch", (world) => world.tree(worker).run("checkout", "--quiet", "--detach")],
    ["another base", "base", (world) => world.tree(worker).commit("Work")],
    ["a changed file", "changes", (world) => world.tree(worker).write({ "a.txt": "b" })],
    [
      "a staged file",
      "changes",
      (world) => {
        world.tree(worker).write({ b: "b" })
        world.tree(worker).run("add", "b")
      },
    ],
    ["a new file", "changes", (world) => world.tree(worker).write({ "b.txt": "b" })],
    ["a deleted file", "changes", (world) => world.tree(worker).write({ "a.txt": null })],
    ["another mode", "changes", (world) => setMode(world.tree(worker), "a.txt", 0o755)],
    ["a repository inside", "changes", (world) => world.tree(worker).run("init", "--quiet", "inner")],
    [
      "a hidden change",
      "changes",
      (world) => {
        world.tree(worker).run("update-index", "--assume-unchanged", "a.txt")
        world.tree(worker).write({ "a.txt": "hidden" })
      },
    ],
    [
      "a change hidden as left out",
      "changes",
      (world) => {
        world.tree(worker).run("update-index", "--skip-worktree", "a.txt")
        world.tree(worker).write({ "a.txt": "hidden" })
      },
    ],
    ["a broken link to git", "path", (world) => world.tree(worker).write({ ".git": "gitdir: /nowhere\n" })],
    [
      "a link in its place",
      "path",
      (world) => {
        const { path } = world.tree(worker)
        const real = join(path, "../elsewhere")
        Bun.spawnSync(["mv", path, real])
        symlinkSync(real, path)
      },
    ],
  ]
  it.each(cases)("refuses %s", async (_, reason, spoil) => {
    using world = await setUpWorkspaces()
    const { base } = await world.workspaces.create({ worker })
    spoil(world)
    const { code, details } = await refusal(world.verify(worker, base))
    expect({ code, reason: details.reason }).toEqual({ code: "workspace.unproven", reason })
  })
})

describe("what is left by killed processes", () => {
  it("is found, pinned and mended: a folder deleted by hand", async () => {
    using world = await setUpWorkspaces()
    await world.workspaces.create({ worker })
    const work = world.tree(worker).commit("Work", { "b.txt": "b" })
    rmSync(validateSafeDelete(world.workspaces.pathOf(worker)), { recursive: true })
    expect(await world.workspaces.examine(false)).toMatchObject([{ what: "gone", isFixed: false }])
    expect(await world.workspaces.examine(true)).toMatchObject([{ what: "gone", isFixed: true }])
    expect(await world.workspaces.examine(true)).toEqual([])
    expect(await world.pinned()).toMatchObject({ "workers/w1/1/head": work })
    expect(world.repository.run("worktree", "list", "--porcelain")).not.toContain("w1")
    expect(world.repository.run("branch", "--list", "teamwork/*")).toBe("")
  })

  it("locks of a git that is gone, but none that a running git may hold", async () => {
    using world = await setUpWorkspaces()
    await world.workspaces.create({ worker })
    const admin = world.tree(worker).run("rev-parse", "--absolute-git-dir")
    const long = new Date(0)
    const locks = [
      join(admin, "index.lock"),
      join(world.repository.path, ".git/refs/heads/teamwork/shop/main/w1.lock"),
      join(world.repository.path, ".git/packed-refs.lock"),
    ]
    for (const lock of locks) {
      writeFileSync(lock, "")
      utimesSync(lock, long, long)
    }
    const running = Bun.spawn(["git", "cat-file", "--batch"], {
      ...{ cwd: join(world.repository.path, ".git"), env: sandboxEnv() },
      ...{ stdin: "pipe", stdout: "pipe" },
    })
    running.stdin.write("HEAD\n")
    running.stdin.flush()
    await running.stdout.getReader().read()
    expect(await world.workspaces.examine(true)).toEqual([])
    expect(locks.map((lock) => existsSync(lock))).toEqual([true, true, true])
    running.kill()
    await running.exited
    expect((await world.workspaces.examine(true)).map((each) => each.what)).toEqual(["lock", "lock", "lock"])
    expect(locks.map((lock) => existsSync(lock))).toEqual([false, false, false])
  })
})
