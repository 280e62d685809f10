// Worktrees by the command line: the store keeps step with git, and nothing is touched by a call that is refused.
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { validateSafeDelete } from "../support/sandbox.ts"
import { type Bench, type Data, git, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"
import { prepareRepository } from "./command-cases.ts"

setDefaultTimeout(TEST_TIMEOUT_MS)

async function makeShop(): Promise<Bench> {
  const bench = makeBench()
  prepareRepository(bench)
  git(bench.cwd, "config", "user.name", "Test")
  git(bench.cwd, "config", "user.email", "test@example.com")
  await bench.ok("project", "create", "--goal", "x")
  await bench.ok("task", "create", "--id", "1", "--title", "Work")
  await bench.ok("task", "claim", "--id", "1", "--owner", "w1")
  return bench
}

async function worker(bench: Bench, id: string): Promise<Data | undefined> {
  const { workers } = await bench.ok<{ workers: Data[] }>("swarm", "status")
  return workers.find((each) => each.id === id)
}

async function events(bench: Bench): Promise<string[]> {
  const { events } = await bench.ok<{ events: { type: string }[] }>("events", "tail")
  return events.map((event) => event.type).filter((type) => type.startsWith("workspace."))
}

describe("the record of a worker", () => {
  it("has its worktree and branch as long as they are there, with an event for each change", async () => {
    using bench = await makeShop()
    const { path } = await bench.ok<{ path: string }>("worktree", "create", "--worker-id", "w1")
    await bench.ok("worktree", "create", "--worker-id", "w1")
    expect(await worker(bench, "w1")).toMatchObject({ worktree: path, branch: "teamwork/shop/main/w1" })
    writeFileSync(join(bench.cwd, "b.txt"), "b")
    git(bench.cwd, "add", "--all")
    git(bench.cwd, "commit", "--quiet", "-m", "Next")
    expect(await bench.ok("swarm", "sync", "--worker-id", "w1")).toMatchObject({ result: "fast-forward" })
    expect(existsSync(join(path, "b.txt"))).toBe(true)
    await bench.ok("worktree", "remove", "--worker-id", "w1")
    expect(await worker(bench, "w1")).toMatchObject({ worktree: null, branch: null })
    expect(await events(bench)).toEqual(["workspace.created", "workspace.synced", "workspace.removed"])
    expect(existsSync(path)).toBe(false)
  })

  it("starts on the target again once the project was cleaned, with nothing of what was merged", async () => {
    using bench = await makeShop()
    const { path } = await bench.ok<{ path: string }>("worktree", "create", "--worker-id", "w1")
    git(path, "commit", "--quiet", "--allow-empty", "-m", "Old")
    await bench.ok("worktree", "remove", "--worker-id", "w1")
    git(bench.cwd, "branch", "teamwork/shop/main/integration", "refs/teamwork/shop/main/1/1/head")
    await bench.ok("project", "clean", "--force")
    await bench.ok("worktree", "create", "--worker-id", "w1")
    expect(git(bench.cwd, "rev-parse", "teamwork/shop/main/w1")).toBe(git(bench.cwd, "rev-parse", "main"))
    await bench.ok("recover", "--run", "1", "--worker-id", "integration", "--branch", "old")
    expect(git(bench.cwd, "log", "-1", "--format=%s", "old")).toBe("Old")
  })

  it("is made for a worker that nobody knew", async () => {
    using bench = await makeShop()
    await bench.ok("worktree", "create", "--worker-id", "new")
    expect(await worker(bench, "new")).toMatchObject({ status: "idle", branch: "teamwork/shop/main/new" })
  })

  it("is mended by doctor --fix after somebody deleted the folder", async () => {
    using bench = await makeShop()
    const { path } = await bench.ok<{ path: string }>("worktree", "create", "--worker-id", "w1")
    writeFileSync(join(path, "b.txt"), "b")
    git(path, "add", "--all")
    git(path, "commit", "--quiet", "-m", "Work")
    rmSync(validateSafeDelete(path), { recursive: true })
    const found = await bench.text("doctor")
    expect(found).toMatch(/warning shop\/main: worktrees: worktree of w1 at .*: its folder was deleted\n/)
    expect(await bench.text("doctor", "--fix")).toMatch(/its folder was deleted \(fixed\)\n/)
    expect(await worker(bench, "w1")).toMatchObject({ worktree: null })
    expect(await bench.text("refs", "--task", "1")).toMatch(/\n1 +1 +head .* no +Work\n/)
    expect(await bench.text("doctor", "--fix")).not.toContain("worktree")
  })
})

describe("pinned work", () => {
  it("comes back by task, attempt and kind, and goes only when contained or named", async () => {
    using bench = await makeShop()
    const { path } = await bench.ok<{ path: string }>("worktree", "create", "--worker-id", "w1")
    writeFileSync(join(path, "b.txt"), "b")
    git(path, "add", "--all")
    git(path, "commit", "--quiet", "-m", "Work")
    const head = git(path, "rev-parse", "HEAD")
    writeFileSync(join(path, "c.txt"), "left over")
    await bench.ok("worktree", "remove", "--worker-id", "w1")
    expect(await bench.ok("recover", "1")).toMatchObject({ branch: "recovered/1-1", commit: head })
    expect(git(bench.cwd, "rev-parse", "recovered/1-1")).toBe(head)
    expect(await bench.ok("recover", "1", "--kind", "leftovers")).toMatchObject({ branch: "recovered/1-1-leftovers" })
    expect(git(bench.cwd, "show", "recovered/1-1-leftovers:c.txt")).toBe("left over")
    await bench.refused("branch.exists", "recover", "1")
    await bench.refused("pin.not_found", "recover", "1", "--attempt", "2")
    await bench.refused("pin.not_found", "recover", "2")
    await bench.refused("input.invalid", "recover", "1", "--branch", "a..b")
    expect(await bench.ok("refs", "--prune")).toMatchObject({ forgotten: [] })
    git(bench.cwd, "merge", "--quiet", "recovered/1-1")
    expect(await bench.ok("refs", "--prune")).toMatchObject({ forgotten: [{ kind: "head" }] })
    expect(await bench.ok("refs")).toMatchObject([{ kind: "base" }, { kind: "leftovers" }])
    await bench.ok("refs", "--task", "1", "--purge")
    expect(await bench.text("refs")).toBe("Nothing is pinned.\n")
  })
})

describe("a call that is refused", () => {
  it("changes neither the store nor the repository", async () => {
    using bench = await makeShop()
    const state = () =>
      JSON.stringify([bench.dump(), git(bench.cwd, "for-each-ref"), git(bench.cwd, "worktree", "list")])
    const before = state()
    await bench.refused("workspace.base_not_found", "worktree", "create", "--worker-id", "w1", "--base=--help")
    await bench.refused("input.invalid", "worktree", "create", "--worker-id", "../x")
    await bench.refused("input.invalid", "worktree", "create", "--worker-id", "integration")
    await bench.refused("workspace.not_found", "swarm", "sync", "--worker-id", "w1")
    await bench.refused("team.not_found", "worktree", "create", "--worker-id", "w1", "--team", "other")
    await bench.refused("workspace.no_repository", "worktree", "list", "--source-dir", bench.home)
    await bench.refused("git.failed", "worktree", "list", "--source-dir", join(bench.home, "nowhere"))
    expect(state()).toBe(before)
  })
})

it("doctor mends what a killed process left that was moving branches", async () => {
  using bench = await makeShop()
  const common = join(bench.cwd, ".git")
  const lock = join(common, "refs/heads/main.lock")
  mkdirSync(join(common, "teamwork-moves"))
  // Long dead: no process has this number and start.
  const to = git(bench.cwd, "rev-parse", "main")
  const note = {
    ...{ refs: [{ ref: "refs/heads/main", to }], process: { pid: 2 ** 22 + 1, start: "0" }, at: Date.now() },
    ...{ locks: { [lock]: to }, foreign: {}, places: [common] },
  }
  writeFileSync(join(common, "teamwork-moves/1"), JSON.stringify(note))
  writeFileSync(lock, `${to}\n`)
  const { findings } = await bench.ok<{ findings: { check: string; detail: string; fixed: boolean }[] }>(
    "doctor",
    "--fix",
  )
  expect(findings).toContainEqual(expect.objectContaining({ check: "repository", fixed: true }))
  expect(existsSync(lock)).toBe(false)
})
