// Work counts as merged only where its commit is in the branch: work of other clones, and refs that others move.
import { afterEach, describe, expect, it, setDefaultTimeout } from "bun:test"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { startPostgres } from "../support/postgres.ts"
import { until } from "../support/stores.ts"
import { makeRepository, type PlannedTask, writePlan } from "../support/team-runs.ts"
import { type Bench, type Data, git, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"

setDefaultTimeout(3 * TEST_TIMEOUT_MS)

const RUN = ["run", "--no-review", "--no-cascade", "--workers", "1"]

let bench: Bench
afterEach(() => bench[Symbol.dispose]())

/** A repository with a plan, and a clone of it that belongs to the same project. */
async function prepare(
  tasks: readonly PlannedTask[] | ((folder: string) => readonly PlannedTask[]),
  more: Record<string, unknown> = {},
) {
  bench = makeBench()
  makeRepository(bench.cwd, { Makefile: "test:\n\ttest -e README.md\n" })
  const plan = writePlan(join(bench.cwd, "../plan.json"), typeof tasks === "function" ? tasks(bench.home) : tasks, more)
  await bench.ok("plan", plan, "--yes")
  const clone = join(bench.cwd, "../clone")
  git(bench.cwd, "clone", "--quiet", bench.cwd, clone)
  for (const [key, value] of [
    ["user.name", "Test"],
    ["user.email", "test@example.com"],
  ] as const)
    git(clone, "config", key, value)
  const there = (...args: string[]) => bench.run(args, { cwd: clone })
  expect(await there("link", "shop")).toMatchObject({ exitCode: 0 })
  return { clone, there, files: () => git(bench.cwd, "ls-tree", "--name-only", "main").split("\n") }
}

const FOUR = ["1", "2", "3", "4"].map((id) => ({ id, run: [`echo ${id} > f${id}`] }))

describe("work of another clone", () => {
  it.each(["eager", "waves"])(
    "F120: is never counted as merged, and is once it was brought in, %s",
    async (schedule) => {
      const { there, clone, files } = await prepare(FOUR, { schedule })
      const worked = await there("worker", "--once")
      expect(worked.exitCode).toBe(0)
      expect(worked.stderr).toContain(`linked to project shop, whose work is merged in ${bench.cwd}`)
      const [commit] = git(clone, "for-each-ref", "--format=%(objectname)", "refs/teamwork/shop/main/*/1/head").split(
        "\n",
      )
      const first = await bench.run(RUN)
      expect(first.exitCode).toBe(1)
      expect(first.stdout).not.toContain("final gate: passed")
      expect(first.stdout).toContain(`its commit ${commit?.slice(0, 12)} is in ${clone}`)
      const command = `git -C ${bench.cwd} fetch ${clone} '+refs/teamwork/shop/main/1/1/*:refs/teamwork/shop/main/1/1/*'`
      expect(first.stdout).toContain(`bring it here with: ${command}`)
      expect(files()).not.toContain("f1")
      expect(await bench.ok("report", "--json")).toMatchObject({
        done: 3,
        total: 4,
        left: expect.arrayContaining([expect.objectContaining({ command })]),
      })
      const verdicts = await bench.ok<Data[]>("verdict", "list")
      expect(verdicts.filter(({ scope }) => scope === "final")).toEqual([])
      Bun.spawnSync(["sh", "-c", command])
      const second = await bench.run([...RUN, "--resume"])
      expect({ exitCode: second.exitCode, out: second.exitCode === 0 ? "" : second.stdout }).toEqual({
        exitCode: 0,
        out: "",
      })
      expect(files()).toEqual(expect.arrayContaining(["f1", "f2", "f3", "f4"]))
      expect(git(bench.cwd, "show", "main:f1")).toBe("1")
    },
  )

  it("F120: is merged by the very run that missed it, when it is brought in while that goes on", async () => {
    const { there, clone, files } = await prepare((folder) => [
      { id: "1", run: ["echo 1 > f1"] },
      { id: "2", run: [`while ! test -e ${folder}/go; do sleep 0.05; done`, "echo 2 > f2"] },
    ])
    await there("worker", "--once")
    await using run = bench.start(RUN)
    const line = await run.untilLine("out", (text) => text.includes("bring it here with: "))
    expect(line).toContain(clone)
    Bun.spawnSync(["sh", "-c", line.slice(line.indexOf("git -C"))])
    await run.untilLine("out", (text) => text.includes("task 1 merged"))
    writeFileSync(join(bench.home, "go"), "")
    expect(await run.exited).toBe(0)
    expect(files()).toEqual(expect.arrayContaining(["f1", "f2"]))
  })

  it("F120: is told by every command that merges, judges or delivers by hand", async () => {
    const { there } = await prepare([{ id: "1", run: ["echo 1 > f1"] }], { schedule: "waves" })
    await there("worker", "--once")
    const merge = await bench.run(["swarm", "merge", "--json"])
    expect(merge.exitCode).toBe(1)
    expect(merge.json<{ data: Data }>().data).toMatchObject({
      ...{ outcomes: [], left: [] },
      elsewhere: [{ task_id: "1", attempt: 1, command: expect.stringContaining("fetch") }],
    })
    expect(await bench.run(["swarm", "merge", "--format", "table"])).toMatchObject({
      ...{ exitCode: 1 },
      stdout: expect.stringMatching(/1 +elsewhere +its commit/),
    })
    const wave = await bench.run(["verify", "wave", "1", "--json"])
    expect(wave.json<{ data: Data }>().data).toMatchObject({
      status: "failed",
      issues: [
        expect.stringMatching(/the work of task 1, \w+, is not part of the commit: .+ bring it here with: git -C/),
      ],
    })
    expect(await bench.refused("deliver.refused", "deliver")).toContain("task 1 is not merged: its commit")
    expect(await bench.ok("deliver", "--partial")).toMatchObject({ is_moved: false })
    expect((await bench.ok("task", "get", "1")).status).toBe("resolved")
    const { stdout } = await bench.run(["events", "tail", "--type", "task.merged", "--json"])
    expect(stdout).not.toContain("task.merged")
  })

  it("F120: is not counted with PostgreSQL and two homes either", async () => {
    await using server = await startPostgres()
    bench = makeBench()
    makeRepository(bench.cwd)
    const [clone, home] = [join(bench.cwd, "../clone"), join(bench.cwd, "../other home")]
    git(bench.cwd, "clone", "--quiet", bench.cwd, clone)
    mkdirSync(home)
    const env = { TEAMWORK_STORE: server.url }
    const here = (...args: string[]) => bench.run(args, { env })
    const there = (...args: string[]) => bench.run(args, { cwd: clone, home, env })
    const plan = writePlan(join(bench.cwd, "../plan.json"), FOUR.slice(0, 2))
    expect(await here("plan", plan, "--yes")).toMatchObject({ exitCode: 0 })
    expect(await there("link", "shop")).toMatchObject({ exitCode: 0 })
    expect(await there("worker", "--once")).toMatchObject({ exitCode: 0 })
    const first = await here(...RUN)
    expect(first.exitCode).toBe(1)
    expect(first.stdout).toContain(clone)
    const [, command = ""] = /bring it here with: (git -C .+?'.+?')/.exec(first.stdout) ?? []
    Bun.spawnSync(["sh", "-c", command])
    expect(await here(...RUN, "--resume")).toMatchObject({ exitCode: 0 })
    expect(git(bench.cwd, "ls-tree", "--name-only", "main")).toContain("f1\nf2")
  })

  it("F120: that changed nothing is done, wherever it was", async () => {
    const { there } = await prepare([
      { id: "1", run: ["echo 'NOTHING TO DO: it is there'"] },
      { id: "2", run: ["echo 2 > f2"] },
    ])
    await there("worker", "--once")
    expect(await bench.run(RUN)).toMatchObject({ exitCode: 0 })
    expect(await bench.ok("task", "get", "1")).toMatchObject({ status: "resolved" })
  })
})

/** Puts a file onto the integration branch past teamwork, as an agent without a sandbox could. */
function attack(folder: string): string {
  const branch = "refs/heads/teamwork/shop/main/integration"
  return [
    `cd ${folder}`,
    "blob=$(echo evil | git hash-object -w --stdin)",
    `tree=$( (git ls-tree ${branch}; printf '100644 blob %s\\tevil\\n' $blob) | git mktree)`,
    `git update-ref ${branch} $(git commit-tree $tree -p ${branch} -m Evil)`,
  ].join(" && ")
}

describe("refs that others move", () => {
  const repository = (home: string) => join(home, "../shop")

  it("F123: a commit that an agent puts onto the integration branch is set aside, told, and not delivered", async () => {
    const { files } = await prepare((home) => [
      { id: "1", run: [`(${attack(repository(home))})`, "echo 1 > f1"] },
      { id: "2", needs: ["1"], run: ["echo 2 > f2"] },
    ])
    const { exitCode, stdout } = await bench.run(RUN)
    expect({ exitCode, stdout: exitCode === 0 ? "" : stdout }).toEqual({ exitCode: 0, stdout: "" })
    expect(files()).toEqual(expect.arrayContaining(["f1", "f2"]))
    expect(files()).not.toContain("evil")
    expect(stdout).toMatch(
      /teamwork\/shop\/main\/integration was moved by others and is back at \w+, without commits .+ Evil/,
    )
    const { notes } = await bench.ok<{ notes: string[] }>("report", "--json")
    expect(notes.join("\n")).toContain("kept as refs/teamwork/shop/main/workers/integration/1/head")
    await bench.ok("recover", "--worker-id", "integration", "--attempt", "1")
  })

  it("F123: nor is one that comes while the final gate runs", async () => {
    const { files } = await prepare([{ id: "1", run: ["echo 1 > f1"] }])
    await bench.ok("config", "set", "gates.test", `(${attack(bench.cwd)})`)
    const { exitCode, stdout } = await bench.run(RUN)
    expect({ exitCode, stdout: exitCode === 0 ? "" : stdout }).toEqual({ exitCode: 0, stdout: "" })
    expect(files()).toContain("f1")
    expect(files()).not.toContain("evil")
    expect(git(bench.cwd, "rev-list", "--all", "--grep=Evil")).not.toBe("")
  })

  it("F123: commits of the user's are taken in, and the run and the report say so", async () => {
    const { files } = await prepare((home) => [
      {
        id: "1",
        run: ["echo 1 > f1", `cd ${repository(home)} && echo m > mine && git add mine && git commit -qm Mine`],
      },
    ])
    const { exitCode, stdout } = await bench.run(RUN)
    expect({ exitCode, stdout: exitCode === 0 ? "" : stdout }).toEqual({ exitCode: 0, stdout: "" })
    expect(files()).toEqual(expect.arrayContaining(["f1", "mine"]))
    const told = /main moved from \w{10} to \w{10} by 1 commit that is not teamwork's: \w{10} Mine/
    expect(stdout).toMatch(told)
    expect((await bench.ok<{ notes: string[] }>("report", "--json")).notes.join("\n")).toMatch(told)
  })

  it("F122: deleting every ref of ours in the middle of a run leaves the user's branches and loses no work", async () => {
    const { files } = await prepare((home) => [
      { id: "1", run: ["echo 1 > f1"] },
      {
        ...{ id: "2", needs: ["1"] },
        run: [
          `(cd ${repository(home)} && git for-each-ref --format='delete %(refname)' refs/teamwork/ | git update-ref --stdin)`,
          "echo 2 > f2",
        ],
      },
    ])
    const { exitCode, stdout } = await bench.run(RUN)
    expect({ exitCode, stdout: exitCode === 0 ? "" : stdout }).toEqual({ exitCode: 0, stdout: "" })
    expect(files()).toEqual(expect.arrayContaining(["f1", "f2"]))
    expect(stdout).toContain("changed or deleted by others, and restored")
  })
})

describe("I14: a task that somebody resolves while its worker is at it", () => {
  /** Commits in its workspace, says so, and goes on until it is stopped. */
  const commits = (folder: string) =>
    `echo 1 > f1; git add f1; git commit --quiet -m Work; touch ${folder}/ready; while :; do sleep 0.05; done`

  it.each(["eager", "waves"])("is done only with what the worker had committed, %s", async (schedule) => {
    bench = makeBench()
    makeRepository(bench.cwd)
    const tasks = [{ id: "1", run: [commits(bench.home)] }]
    const running = bench.run([...RUN, writePlan(join(bench.cwd, "../plan.json"), tasks, { schedule })])
    await until(async () => existsSync(join(bench.home, "ready")))
    const { claimed_by: owner } = await bench.ok("task", "get", "1")
    const evidence = ["--add-evidence", "tests pass", "--add-evidence", "f1 is there"]
    await bench.ok("task", "update", "1", "--status", "resolved", "--owner", String(owner), ...evidence)
    const { exitCode, stdout } = await running
    expect({ exitCode, out: exitCode === 0 ? "" : stdout }).toEqual({ exitCode: 0, out: "" })
    expect(stdout).toContain("task 1 merged")
    expect(git(bench.cwd, "show", "main:f1")).toBe("1")
  })
})
