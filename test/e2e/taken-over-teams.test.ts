// Teams that began elsewhere, and tasks that were given to a worker before it existed.
import { describe, expect, it } from "bun:test"
import { cpSync } from "node:fs"
import { join } from "node:path"
import { makeRepository } from "../support/team-runs.ts"
import { type Data, git, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"

const LONG_MS = 3 * TEST_TIMEOUT_MS
const RUN = ["run", "--no-review", "--no-cascade", "--workers", "2"]

describe("an imported team", () => {
  it(
    "F053: finishes, as what was done elsewhere counts as done",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd, { Makefile: "test:\n\ttest -e README.md\n" })
      cpSync(join(import.meta.dir, "../fixtures/layouts/forge-team/sample"), bench.cwd, { recursive: true })
      const team = ["--team", "forge-team-1748772000"]
      await bench.ok("import", bench.cwd)
      for (const id of ["3", "4", "5", "6"]) await bench.ok("task", "update", id, "--status", "skipped", ...team)
      await bench.ok("task", "create", "Left to do", "--run", "echo new > new", ...team)
      const { stdout } = await bench.run([...RUN, ...team])
      expect(stdout).toContain("is done; see: teamwork report")
      expect(stdout).not.toContain("mend-final")
      expect(git(bench.cwd, "show", "main:new")).toBe("new")
      const verdicts = await bench.ok<Data[]>("verdict", "list", ...team)
      const final = verdicts.findLast(({ scope }) => scope === "final")
      expect(final).toMatchObject({ status: "passed" })
      expect(JSON.stringify(final)).toContain("2 more done before the import")
    },
    LONG_MS,
  )

  it(
    "F053: asks for evidence again once such a task is done anew",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd, { Makefile: "test:\n\ttest -e README.md\n" })
      cpSync(join(import.meta.dir, "../fixtures/layouts/forge-team/done"), bench.cwd, { recursive: true })
      const team = ["--team", "forge-team-1748772000"]
      await bench.ok("import", bench.cwd)
      await bench.ok("task", "reopen", "1", "--reason", "not good enough", ...team)
      await bench.ok("task", "claim", "1", "--owner", "anna", ...team)
      await bench.ok(
        "task",
        "update",
        "1",
        "--owner",
        "anna",
        "--status",
        "resolved",
        "--add-evidence",
        "did it",
        ...team,
      )
      const { stdout } = await bench.run(["verify", "final", ...team])
      expect(stdout).toContain("task 1 has")
      expect(stdout).not.toContain("task 2 has")
    },
    LONG_MS,
  )
})

describe("a task that is meant for a worker", () => {
  it(
    "F054: has that worker started, and is done by it",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd, { Makefile: "test:\n\ttest -e README.md\n" })
      await bench.ok("project", "create", "--goal", "Two files")
      await bench.ok("task", "create", "First", "--assignee", "w7", "--run", "echo 1 > f1")
      await bench.ok("task", "create", "Second", "--assignee", "w1", "--run", "echo 2 > f2")
      await bench.ok("task", "create", "Third", "--run", "echo 3 > f3")
      const { stdout } = await bench.run(RUN)
      expect(stdout).toContain("shop/main is done; see: teamwork report")
      const owners = (await bench.ok<Data[]>("task", "list")).map(({ id, claimed_by }) => `${id} ${claimed_by}`)
      expect(owners.slice(0, 2)).toEqual(["1 w7", "2 w1"])
    },
    LONG_MS,
  )

  it(
    "F054: says what to type when a person's name is meant",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd, { Makefile: "test:\n\ttest -e README.md\n" })
      await bench.ok("project", "create", "--goal", "One file")
      await bench.ok("task", "create", "First", "--assignee", "anna", "--run", "echo 1 > f1")
      const { stdout, stderr } = await bench.run(RUN)
      expect(stdout + stderr).toContain("teamwork worker --worker-id anna")
      expect(stdout + stderr).toContain('teamwork task update 1 --assignee ""')
    },
    LONG_MS,
  )
})
