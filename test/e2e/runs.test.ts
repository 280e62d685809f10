// F007: a second goal or plan on the same branch is a run of its own, from the plan to the target branch.
import { describe, expect, it } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { makeRepository, type PlannedTask, writePlan } from "../support/team-runs.ts"
import { type Bench, type Data, git, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"

const LONG_MS = 4 * TEST_TIMEOUT_MS
const RUN = ["run", "--no-review", "--no-cascade"]

function planFor(bench: Bench, name: string, tasks: readonly PlannedTask[], goal: string): string {
  return writePlan(join(bench.cwd, "..", `${name}.json`), tasks, { goal })
}

const write = (id: string, file: string, more: Data = {}): PlannedTask => ({
  ...{ id, run: [`echo ${file} > ${file}`], files: [file], checks: [`test -e ${file}`] },
  ...more,
})

describe("F007: runs of a team", () => {
  it(
    "says how a failed task of a plan can be changed, and how to take back what an earlier run delivered",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd)
      const first = planFor(bench, "first", [write("1", "one")], "The first goal")
      const broken = planFor(bench, "broken", [{ id: "1", run: ["exit 1"], files: ["two"] }], "The second goal")
      const mended = planFor(bench, "mended", [write("1", "two")], "The second goal")
      expect(await bench.refused("usage", ...RUN, first, "--add", "--new")).toContain("use one of them")
      expect(await bench.run([...RUN, first])).toMatchObject({ exitCode: 0 })
      expect(await bench.run([...RUN, broken])).toMatchObject({ exitCode: 1 })
      const refused = await bench.refused("merge.nothing", "undo")
      expect(refused).toContain("run 2 of shop/main delivered nothing")
      const [, command = ""] = /run 1 delivered to main can be taken back with: (.*)$/.exec(refused) ?? []
      expect(Bun.spawnSync(["sh", "-c", command], { cwd: bench.cwd }).exitCode).toBe(0)
      expect(git(bench.cwd, "status", "--porcelain")).toBe("D  one")
      git(bench.cwd, "reset", "--hard", "--quiet")
      expect(await bench.refused("plan.started", ...RUN, mended, "--add")).toContain("teamwork task reopen 1")
      await bench.ok("task", "reopen", "1")
      expect(await bench.run([...RUN, mended, "--add"])).toMatchObject({ exitCode: 0 })
      expect(git(bench.cwd, "show", "main:two")).toBe("two")
    },
    LONG_MS,
  )

  it(
    "two plans with the same task ids follow each other on one branch, and both are delivered and stay readable",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd)
      const first = planFor(bench, "first", [write("1", "one")], "The first goal")
      const second = planFor(bench, "second", [write("1", "two"), write("2", "three")], "The second goal")
      expect(await bench.run([...RUN, first])).toMatchObject({ exitCode: 0 })
      expect(await bench.run([...RUN, second])).toMatchObject({ exitCode: 0 })
      expect(["one", "two", "three"].map((file) => git(bench.cwd, "show", `main:${file}`))).toEqual([
        ...["one", "two", "three"],
      ])
      const runs = await bench.ok<Data[]>("runs")
      expect(runs).toMatchObject([
        { run: 1, goal: "The first goal", outcome: "done", done: 1, total: 1, is_current: false },
        { run: 2, goal: "The second goal", outcome: "done", done: 2, total: 2, is_current: true },
      ])
      expect(runs[1]?.delivered).toBe(git(bench.cwd, "rev-parse", "main"))
      expect(git(bench.cwd, "merge-base", String(runs[0]?.delivered), "main")).toBe(String(runs[0]?.delivered))
      expect(await bench.ok("report", "--json", "--run", "1")).toMatchObject({
        ...{ run: 1, goal: "The first goal", outcome: "done", total: 1 },
      })
      expect(await bench.ok("report", "--json")).toMatchObject({ run: 2, total: 2 })
      expect(String((await bench.ok("diff", "1", "--run", "1", "--json")).patch)).toContain("+one")
      expect(String((await bench.ok("diff", "1", "--json")).patch)).toContain("+two")
      expect(JSON.stringify(await bench.ok("logs", "1", "--run", "1", "--json"))).toContain("echo one > one")
      expect(JSON.stringify(await bench.ok("logs", "1", "--json"))).toContain("echo two > two")
      const text = await bench.run(["runs", "--format", "table"])
      expect(text.stdout).toMatch(/^ *1 +done .*The first goal$/m)
      expect(text.stdout).toMatch(/^ *>2 +done .*The second go/m)
      expect(await bench.refused("run.not_found", "report", "--run", "7")).toContain("it has the runs 1 to 2")
      // Pins of the first run stay where they were.
      const pins = git(bench.cwd, "for-each-ref", "--format=%(refname)", "refs/teamwork")
      expect(pins).toContain("refs/teamwork/shop/main/1/1/head")
      expect(pins).toContain("refs/teamwork/shop/main/runs/2/1/1/head")
      const places = async (...run: string[]) =>
        (await bench.ok<{ ref: string }[]>("refs", ...run)).map(({ ref }) => ref.includes("/runs/2/"))
      expect(new Set(await places("--run", "1"))).toEqual(new Set([false]))
      expect(new Set(await places())).toEqual(new Set([true]))
      await expectFiles(bench)
    },
    LONG_MS,
  )

  it(
    "a third plan runs after the team was archived, and one that is added joins the run",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd)
      const first = planFor(bench, "first", [write("1", "one")], "The first goal")
      const second = planFor(bench, "second", [write("1", "two")], "The second goal")
      const more = planFor(bench, "more", [write("1", "three", { title: "More" })], "More of it")
      expect(await bench.run([...RUN, first])).toMatchObject({ exitCode: 0 })
      await bench.ok("archive")
      expect(await bench.run([...RUN, second])).toMatchObject({ exitCode: 0 })
      expect(await bench.run([...RUN, more, "--add"])).toMatchObject({ exitCode: 0 })
      expect(await bench.ok<Data[]>("runs")).toMatchObject([
        { run: 1, outcome: "done", total: 1 },
        { run: 2, outcome: "done", done: 2, total: 2 },
      ])
      expect(git(bench.cwd, "show", "main:three")).toBe("three")
      expect(await bench.refused("usage", ...RUN, more, "--add", "--new")).toContain("use one of them")
      expect(await bench.refused("usage", ...RUN, "--new")).toContain("is for a plan or a goal")
    },
    LONG_MS,
  )

  it(
    "a run that is not over is neither closed nor added to until somebody says so, and what it merged is kept",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd)
      const first = planFor(bench, "first", [write("1", "one")], "The first goal")
      const second = planFor(bench, "second", [write("1", "two")], "The second goal")
      expect(await bench.run([...RUN, first, "--no-deliver"])).toMatchObject({ exitCode: 0 })
      const merged = git(bench.cwd, "rev-parse", "teamwork/shop/main/integration")
      await bench.ok("task", "create", "--title", "Later", "--check", "true")
      await bench.ok("task", "claim", "2", "--owner", "me")
      const refused = await bench.refused("run.unfinished", ...RUN, second)
      for (const way of ["--resume", "--add", "--new"]) expect(refused).toContain(way)
      expect(await bench.refused("team.busy", ...RUN, second, "--new")).toContain("2 by me")
      await bench.ok("task", "release", "2", "--owner", "me")
      const { exitCode, stderr } = await bench.run([...RUN, second, "--new"])
      expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 })
      expect(stderr).toContain("teamwork recover --run 1 --worker-id integration --attempt 1")
      // The new run began at the target, without what was not delivered.
      expect(git(bench.cwd, "ls-tree", "--name-only", "main").split("\n")).toEqual(["README.md", "two"])
      expect(await bench.ok("recover", "--run", "1", "--worker-id", "integration", "--branch", "kept")).toMatchObject({
        commit: merged,
      })
      expect(git(bench.cwd, "rev-parse", "kept")).toBe(merged)
    },
    LONG_MS,
  )
})

/** The folder shows the current run, with the one before in it, and an import brings both back. */
async function expectFiles(bench: Bench): Promise<void> {
  const folder = join(bench.cwd, "../files")
  await bench.ok("export", "--to", folder)
  const project = (path: string) => JSON.parse(readFileSync(join(folder, path, "project.json"), "utf8"))
  expect(project("").goal).toBe("The second goal")
  expect(project("runs/1").goal).toBe("The first goal")
  const home = join(bench.home, "shop/main")
  expect(JSON.parse(readFileSync(join(home, "runs/1/project.json"), "utf8"))).toEqual(project("runs/1"))
  expect(existsSync(join(home, "tasks/2.json"))).toBe(true)
  using other = makeBench()
  const report = await other.ok<{ teams: Data[] }>("import", folder)
  expect(report.teams.map(({ run, result }) => [run, result]).sort()).toEqual([
    [1, "imported"],
    [2, "imported"],
  ])
  const name = ["--project", "shop", "--team", "main"]
  expect(await other.ok<Data[]>("runs", ...name)).toMatchObject([
    { run: 1, outcome: "done", goal: "The first goal" },
    { run: 2, outcome: "done", goal: "The second goal" },
  ])
  expect(await other.ok("task", "get", "1", "--run", "1", ...name)).toMatchObject({ title: "Task 1" })
}
