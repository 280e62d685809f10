// A task by hand, from its worktree to the target branch: each step takes what the one before left, without a flag more.
import { expect, it } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Data, git, makeBench, readError, TEST_TIMEOUT_MS } from "./bench.ts"

it(
  "goes from a worktree over ownership, gates and merging to the target branch, and back",
  async () => {
    using bench = makeBench()
    git(bench.cwd, "init", "--quiet", "--initial-branch=main")
    git(bench.cwd, "config", "user.name", "Test")
    git(bench.cwd, "config", "user.email", "test@example.com")
    writeFileSync(join(bench.cwd, "Makefile"), "test:\n\ttest -e Makefile\n")
    git(bench.cwd, "add", "--all")
    git(bench.cwd, "commit", "--quiet", "-m", "Start")
    const start = git(bench.cwd, "rev-parse", "main")
    await bench.ok("project", "create", "--goal", "Search page")
    await bench.ok("task", "create", "Search", "--files", "src/", "--check", "test -s src/search.js")
    await bench.ok("wave", "calculate")
    const { path } = await bench.ok("worktree", "create", "w1")
    await bench.ok("task", "claim", "1", "--owner", "w1")

    const folder = String(path)
    mkdirSync(join(folder, "src"))
    writeFileSync(join(folder, "src/search.js"), "exports.find = () => 1\n")
    writeFileSync(join(folder, "elsewhere.txt"), "x\n")
    const inWorktree = { cwd: folder }
    const enforced = await bench.run(["ownership", "enforce", "1", "--owner", "w1"], inWorktree)
    expect(enforced.json<{ data: Data }>().data).toMatchObject({
      base: start,
      aside: { changes: [{ path: "elsewhere.txt", reason: "not_owned" }] },
    })
    const verified = await bench.run(["verify", "task", "1", "--owner", "w1"], inWorktree)
    expect(verified.json<{ data: Data }>().data).toMatchObject({ status: "passed" })
    expect(JSON.stringify(verified.json())).not.toContain("where the task started is not known")
    await bench.ok("task", "update", "1", "--owner", "w1", "--status", "resolved", "--add-evidence", "it finds one")

    expect(await bench.ok("swarm", "merge")).toMatchObject({
      outcomes: [{ kind: "merged" }],
      gate: { status: "passed" },
    })
    expect(await bench.ok("project", "verify")).toMatchObject({ scope: "wave", status: "passed" })
    expect(await bench.ok("project", "verify")).toMatchObject({ scope: "final", status: "passed" })
    await bench.ok("deliver")
    expect(git(bench.cwd, "ls-tree", "-r", "--name-only", "main")).toBe("Makefile\nsrc/search.js")
    await bench.ok("worktree", "remove", "w1")
    const kinds = (await bench.ok<Data[]>("refs", "--task", "1")).map((pin) => pin.kind)
    expect(kinds).toEqual(expect.arrayContaining(["base", "head", "aside"]))
    await bench.ok("undo")
    expect(git(bench.cwd, "rev-parse", "main")).toBe(start)
  },
  3 * TEST_TIMEOUT_MS,
)

it(
  "F038: keeps what a role that only reads wrote out of the gate, the merge and the target, also when it was committed by hand",
  async () => {
    using bench = makeBench()
    git(bench.cwd, "init", "--quiet", "--initial-branch=main")
    git(bench.cwd, "config", "user.name", "Test")
    git(bench.cwd, "config", "user.email", "test@example.com")
    writeFileSync(join(bench.cwd, "Makefile"), "test:\n\ttest -e Makefile\n")
    git(bench.cwd, "add", "--all")
    git(bench.cwd, "commit", "--quiet", "-m", "Start")
    const start = git(bench.cwd, "rev-parse", "main")
    await bench.ok("project", "create", "--goal", "Search page")
    await bench.ok("task", "create", "Think about the search", "--agent-type", "architect")
    await bench.ok("wave", "calculate")
    const folder = String((await bench.ok("worktree", "create", "w1")).path)
    await bench.ok("task", "claim", "1", "--owner", "w1")
    const inWorktree = { cwd: folder }
    const asked = await bench.run(["ownership", "check", "--task", "1", "search.js"], inWorktree)
    expect(asked.exitCode).toBe(1)
    expect(asked.stdout).toContain("architect, a role that only reads")

    writeFileSync(join(folder, "search.js"), "exports.find = () => 1\n")
    git(folder, "add", "--all")
    git(folder, "-c", "user.name=A", "-c", "user.email=a@a", "commit", "--quiet", "-m", "I did it myself")
    const verify = ["verify", "task", "1", "--owner", "w1"]
    const verified = await bench.run(verify, inWorktree)
    expect(verified.exitCode).toBe(1)
    expect(JSON.stringify(verified.json())).toContain("a role that only reads")
    // Who says that it is done all the same does not get it merged.
    await bench.ok("task", "update", "1", "--owner", "w1", "--status", "resolved", "--add-evidence", "it finds one")
    const merged = await bench.run(["swarm", "merge"])
    expect(merged.stdout).toContain("a role that only reads")
    expect(git(bench.cwd, "log", "--format=%s", "--all", "--", "search.js")).not.toContain("Merge")
    const integrated = git(bench.cwd, "for-each-ref", "--format=%(refname)", "refs/heads").split("\n")
    for (const branch of integrated.filter((each) => /integration$|main$/.test(each)))
      expect(git(bench.cwd, "ls-tree", "-r", "--name-only", branch)).toBe("Makefile")

    await bench.ok("task", "update", "1", "--status", "open")
    await bench.ok("task", "claim", "1", "--owner", "w1")
    const enforced = await bench.run(["ownership", "enforce", "1", "--owner", "w1", "--base", start], inWorktree)
    expect(enforced.json<{ data: Data }>().data).toMatchObject({
      kept: [],
      aside: { changes: [{ path: "search.js", reason: "read_only" }] },
    })
    await bench.run(["evidence", "add", "1", "--owner", "w1", "--text", "Split it in two"], inWorktree)
    const passed = await bench.run([...verify, "--base", start], inWorktree)
    expect(JSON.stringify(passed.json())).not.toContain("a role that only reads")
  },
  3 * TEST_TIMEOUT_MS,
)

it(
  "F066: has QA pass a commit, and neither resolves nor merges another",
  async () => {
    using bench = makeBench()
    git(bench.cwd, "init", "--quiet", "--initial-branch=main")
    git(bench.cwd, "config", "user.name", "Test")
    git(bench.cwd, "config", "user.email", "test@example.com")
    writeFileSync(join(bench.cwd, "Makefile"), "test:\n\ttest -e Makefile\n")
    git(bench.cwd, "add", "--all")
    git(bench.cwd, "commit", "--quiet", "-m", "Start")
    await bench.ok("project", "create", "--goal", "Search page", "--qa")
    await bench.ok("task", "create", "Search", "--files", "src/", "--check", "true")
    await bench.ok("wave", "calculate")
    const folder = String((await bench.ok("worktree", "create", "w1")).path)
    await bench.ok("task", "claim", "1", "--owner", "w1")
    const inWorktree = { cwd: folder }
    const run = (...args: string[]) => bench.run([...args, "--json"], inWorktree)
    const refused = async (code: string, ...args: string[]) => {
      const error = readError(await run(...args))
      expect(error.code).toBe(code)
      return error.message
    }
    const commit = (text: string) => {
      mkdirSync(join(folder, "src"), { recursive: true })
      writeFileSync(join(folder, "src/search.js"), text)
      git(folder, "add", "--all")
      git(folder, "-c", "user.name=A", "-c", "user.email=a@a", "commit", "--quiet", "-m", text.trim())
      return git(folder, "rev-parse", "HEAD")
    }
    const submit = ["qa", "submit", "1", "--owner", "w1"]
    const resolve = ["task", "update", "1", "--owner", "w1", "--status", "resolved", "--add-evidence", "it finds one"]
    const pass = async () => {
      expect((await run(...submit)).exitCode).toBe(0)
      await bench.ok("qa", "plan", "1", "--owner", "tester")
      const dimensions = ["correctness", "completeness", "tests", "maintainability"]
      const scores = dimensions.flatMap((name) => ["--score", `${name}=90: read it`])
      expect(await bench.ok("qa", "record", "1", "--owner", "tester", ...scores)).toMatchObject({ qa: "passed" })
    }

    expect(await refused("qa.no_work", ...submit)).toContain("nothing was committed since")
    mkdirSync(join(folder, "src"))
    writeFileSync(join(folder, "src/search.js"), "draft\n")
    expect(await refused("qa.no_work", ...submit)).toContain("1 changed files are not committed")
    const first = commit("one\n")
    await pass()
    const second = commit("two\n")
    const message = await refused("qa.needed", ...resolve)
    expect(message).toContain(
      `QA passed commit ${first.slice(0, 12)} of task 1, and it is at ${second.slice(0, 12)} now`,
    )
    expect(message).toContain("teamwork qa submit 1")
    // The same from the checkout of the user, where the branch of the worker says what is resolved.
    expect(readError(await bench.run([...resolve, "--json"])).code).toBe("qa.needed")
    await pass()
    expect((await run(...resolve)).exitCode).toBe(0)

    commit("three\n")
    const merged = await bench.run(["swarm", "merge", "--json"])
    expect(merged.stdout).toContain(`QA has passed ${second.slice(0, 12)}`)
    const branches = git(bench.cwd, "for-each-ref", "--format=%(refname)", "refs/heads").split("\n")
    for (const branch of branches.filter((each) => /integration$|main$/.test(each)))
      expect(git(bench.cwd, "ls-tree", "-r", "--name-only", branch)).toBe("Makefile")
  },
  3 * TEST_TIMEOUT_MS,
)
