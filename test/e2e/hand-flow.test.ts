// A task by hand, from its worktree to the target branch: each step takes what the one before left, without a flag more.
import { expect, it } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Data, git, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"

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
