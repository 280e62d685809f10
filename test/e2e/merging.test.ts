// Merging, delivering and taking back by hand, in repositories with names that a shell would take for commands.
import { afterEach, describe, expect, it, setDefaultTimeout } from "bun:test"
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { sandboxEnv } from "../support/sandbox.ts"
import { type Bench, type Data, makeBench, readError, TEST_TIMEOUT_MS } from "./bench.ts"

setDefaultTimeout(2 * TEST_TIMEOUT_MS)

let bench: Bench
afterEach(() => bench[Symbol.dispose]())

describe("teamwork swarm merge", () => {
  it("goes through a whole conflict: two branches, a fix task, its work, and delivery", async () => {
    const { git, work } = await prepare(["1", "2"])
    await work("w1", "1", { shared: "one\n" })
    await work("w2", "2", { shared: "two\n" })
    const merge = await bench.run(["swarm", "merge"])
    expect(merge.exitCode).toBe(1)
    expect(merge.json<{ data: Data }>().data).toMatchObject({
      outcomes: [
        { task_id: "1", kind: "merged" },
        { task_id: "2", kind: "conflict", with: ["1"], conflicts: [{ path: "shared", kind: "add/add" }] },
      ],
      fixes: [{ task_id: "2", fix: "fix-2-1", is_new: true }],
    })
    const fix = await bench.ok("task", "get", "fix-2-1")
    expect(fix.title).toBe("Fix the merge of task 2: Task 2")
    expect(fix.description).toContain(`git merge ${git("rev-parse", "refs/teamwork/shop/main/2/1/head")}\n`)
    git("checkout", "--quiet", "-b", "teamwork/shop/main/w3", "teamwork/shop/main/integration")
    expect(() => git("merge", "--quiet", "refs/teamwork/shop/main/2/1/head")).toThrow()
    await work("w3", "fix-2-1", { shared: "both\n" }, { isOnBranch: true })
    expect(await bench.ok("swarm", "merge")).toMatchObject({
      outcomes: [{ kind: "contained" }, { task_id: "fix-2-1", kind: "merged" }, { task_id: "2", kind: "contained" }],
    })
    expect(git("show", "teamwork/shop/main/integration:shared")).toBe("both")
    expect(await bench.text("diff", "fix-2-1")).toContain("+both")
  })

  it("keeps out what fails the tests, and what a task does not own", async () => {
    const { git, work } = await prepare(["1", "2", "3"])
    const names = (kind: string, answer: { data: { outcomes: Data[] } }) =>
      answer.data.outcomes.filter((outcome) => outcome.kind === kind).map((outcome) => outcome.task_id)
    await bench.ok("config", "set", "gates.test", "! test -e bad")
    await bench.ok("task", "update", "3", "--files", "own*")
    await work("w1", "1", { good: "1\n" })
    await work("w2", "2", { bad: "2\n" })
    await work("w3", "3", { own: "3\n", elsewhere: "3\n" })
    const merge = await bench.run(["swarm", "merge"])
    expect(merge.exitCode).toBe(1)
    const answer = merge.json<{ data: { outcomes: Data[] } }>()
    expect(names("merged", answer)).toEqual(["1"])
    expect(names("guilty", answer)).toEqual(["2"])
    expect(names("refused", answer)).toEqual(["3"])
    expect(JSON.stringify(answer)).toContain('elsewhere\\" does not belong to task 3, which owns own*')
    expect(git("ls-tree", "--name-only", "teamwork/shop/main/integration").split("\n")).toEqual(["good"])
    expect((await bench.ok("task", "get", "fix-2-1")).description).toContain("! test -e bad")
  })

  it("tests in a checkout that is set up like a worker's, and anew when that is set up otherwise", async () => {
    const { work } = await prepare(["1", "2"])
    writeFileSync(join(bench.cwd, ".env"), "x")
    writeFileSync(join(bench.cwd, ".git/info/exclude"), ".env\nready\n")
    await bench.ok("config", "set", "gates.test", "test ! -e one || { test -e ready && test -e .env; }")
    await work("w1", "1", { one: "1\n" })
    expect((await bench.run(["swarm", "merge"])).exitCode).toBe(1)
    await bench.ok("config", "set", "workspace.setup", "touch ready")
    await bench.ok("config", "set", "workspace.copy", ".env")
    await work("w2", "2", { two: "2\n" })
    expect(await bench.ok("swarm", "merge")).toMatchObject({ gate: { status: "passed" } })
  })

  it("tells of branches that do not fit together while they are worked on", async () => {
    const { work } = await prepare(["1", "2"])
    await work("w1", "1", { shared: "one\n" }, { isResolved: false })
    await work("w2", "2", { shared: "two\n" }, { isResolved: false })
    expect(await bench.ok("swarm", "merge")).toMatchObject({ overlaps: [{ workers: ["w1", "w2"], paths: ["shared"] }] })
    await bench.ok("swarm", "merge")
    expect(await bench.ok<Data[]>("mailbox", "read", "w1")).toHaveLength(1)
  })

  it("names the branch it cannot guess, and changes nothing", async () => {
    const { git } = await prepare([])
    git("checkout", "--quiet", "--detach")
    expect(await bench.refused("merge.no_target", "swarm", "merge", "--team", "main")).toContain("--target BRANCH")
    expect(await bench.refused("merge.no_target", "swarm", "merge", "--target", "-x", "--team", "main")).toContain("-x")
    expect(git("for-each-ref")).not.toContain("integration")
  })

  it("refuses what is no repository, no folder, or no wave", async () => {
    bench = makeBench()
    await bench.ok("project", "create", "--goal", "Search page")
    expect(await bench.refused("workspace.no_repository", "swarm", "merge")).toContain("no git repository here")
    expect(await bench.refused("git.failed", "swarm", "merge", "--source-dir", "nowhere")).toContain(
      "the folder exists",
    )
    expect(await bench.refused("input.invalid", "swarm", "merge", "--wave", "0")).toContain("--wave")
    expect(await bench.refused("input.invalid", "swarm", "merge", "--wave", "x")).toContain("not a number")
  })
})

describe("teamwork deliver and undo", () => {
  it("refuse without a green gate, with both ways at once, and with nothing to take back", async () => {
    const { git, work } = await prepare(["1"])
    expect(await bench.refused("merge.no_branch", "deliver")).toContain("teamwork swarm merge")
    await work("w1", "1", { a: "1\n" })
    await bench.ok("swarm", "merge")
    const before = git("rev-parse", "main")
    expect(await bench.refused("deliver.refused", "deliver")).toContain("the final gate has not looked at")
    expect(await bench.refused("usage", "deliver", "--push", "--pr")).toContain("use one of them")
    expect(await bench.refused("merge.nothing", "undo")).toContain("nothing was delivered")
    expect(git("rev-parse", "main")).toBe(before)
  })

  it("asks for a merge through gh where it is installed, with every word as it is", async () => {
    const { git, work, deliverable } = await prepare(["1"], { goal: "Search; rm -rf . $(touch pwned)\n`x`" })
    await work("w1", "1", { a: "1\n" })
    await deliverable()
    git("init", "--quiet", "--bare", "../remote.git")
    git("remote", "add", "origin", "../remote.git")
    const bin = join(bench.cwd, "../bin")
    mkdirSync(bin)
    const said = join(bench.cwd, "../said")
    writeFileSync(
      join(bin, "gh"),
      `#!/bin/sh\nprintf '%s\\n--\\n' "$@" > '${said}'\necho https://example.com/o/r/pull/7\n`,
    )
    chmodSync(join(bin, "gh"), 0o755)
    const env = { PATH: `${bin}:${process.env.PATH}` }
    const result = await bench.run(["deliver", "--pr"], { env })
    expect(result.json<{ data: Data }>().data).toMatchObject({
      pull_request: { url: "https://example.com/o/r/pull/7" },
    })
    expect(readFileSync(said, "utf8").split("\n--\n")).toContain("--title=Search; rm -rf . $(touch pwned)")
    expect(git("--git-dir=../remote.git", "rev-parse", "teamwork/shop/main/integration")).toBe(
      git("rev-parse", "teamwork/shop/main/integration"),
    )
    expect(existsSync(join(bench.cwd, "pwned"))).toBe(false)
  })

  it("work with a target and files that have names like commands", async () => {
    const target = ";touch${IFS}pwned;$(touch${IFS}pwned)"
    const { git, work, deliverable } = await prepare(["1"], { target })
    await work("w1", "1", { "$(touch pwned)": "x\n", "; rm -rf .": "y\n", "-f": "z\n", "a\nb": "w\n" })
    await deliverable("--target", target, "--team", "main")
    expect(await bench.ok("deliver", "--team", "main")).toMatchObject({ target, is_moved: true })
    expect(git("rev-parse", `refs/heads/${target}`)).toBe(git("rev-parse", "teamwork/shop/main/integration"))
    expect(readFileSync(join(bench.cwd, "a\nb"), "utf8")).toBe("w\n")
    writeFileSync(join(bench.cwd, "-f"), "changed\n")
    const dirty = await bench.run(["undo", "--team", "main", "--json"])
    expect(readError(dirty).message).toContain("uncommitted")
    git("checkout", "HEAD", "--", "-f")
    expect(await bench.ok("undo", "--team", "main")).toMatchObject({ target })
    expect(existsSync(join(bench.cwd, "-f"))).toBe(false)
    expect(existsSync(join(bench.cwd, "pwned"))).toBe(false)
    const shown = await bench.run(["diff", "1", "--team", "main"])
    expect(shown.stdout).toContain("touch pwned")
  })
})

/** A repository with the project `shop`, team `main`, and open tasks in one wave. */
async function prepare(ids: readonly string[], { target = "main", goal = "Search page" } = {}) {
  bench = makeBench()
  const git = (...args: string[]) => {
    const { success, stdout, stderr } = Bun.spawnSync(["git", ...args], { cwd: bench.cwd, env: sandboxEnv() })
    if (!success) throw new Error(`git ${args.join(" ")}: ${stderr}`)
    return stdout.toString().trimEnd()
  }
  git("init", "--quiet", "--initial-branch", target)
  git("config", "user.name", "Test")
  git("config", "user.email", "test@example.com")
  git("commit", "--quiet", "--allow-empty", "-m", "Start")
  const team = ["--team", "main"]
  await bench.ok("project", "create", "--goal", goal, ...team)
  for (const id of ids) await bench.ok("task", "create", "--id", id, "--title", `Task ${id}`, ...team)
  if (ids.length > 0) await bench.ok("wave", "calculate", ...team)
  return {
    git,
    /** Claims the task, commits files on the worker's branch, and resolves it. */
    async work(
      worker: string,
      id: string,
      files: Record<string, string>,
      { isOnBranch = false, isResolved = true } = {},
    ) {
      await bench.ok("task", "claim", "--id", id, "--owner", worker, ...team)
      if (!isOnBranch) git("checkout", "--quiet", "-b", `teamwork/shop/main/${worker}`, target)
      for (const [path, content] of Object.entries(files)) writeFileSync(join(bench.cwd, path), content)
      git("add", "--all")
      git("commit", "--quiet", "-m", `Work of ${worker}`)
      git("checkout", "--quiet", target)
      if (isResolved) await bench.ok("task", "update", "--id", id, "--owner", worker, "--status", "resolved", ...team)
    },
    /** Merges, and has the final gate pass on it. */
    async deliverable(...flags: string[]) {
      await bench.ok("swarm", "merge", ...flags)
      await bench.ok("wave", "update", "--wave", "1", "--status", "verified", ...team)
      const check = `commit=passed:${git("rev-parse", "teamwork/shop/main/integration")}`
      await bench.ok("verdict", "record", "--scope", "final", "--status", "passed", "--check", check, ...team)
    },
  }
}
