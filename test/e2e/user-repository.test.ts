// What a run does with a repository that its user goes on working in, and with repositories of an unusual kind.
import { describe, expect, it } from "bun:test"
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { until } from "../support/stores.ts"
import { makeRepository, type PlannedTask, writePlan } from "../support/team-runs.ts"
import { type Bench, type Data, git, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"

const LONG_MS = 3 * TEST_TIMEOUT_MS
const RUN = ["run", "--no-review", "--no-cascade", "--workers", "1"]

describe("F127: a user who drops a commit in mid-run", () => {
  it(
    "does not get it back, and the run and its report say so",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd, { "README.md": "r\n" })
      writeFileSync(join(bench.cwd, "secret"), "s\n")
      git(bench.cwd, "add", "secret")
      git(bench.cwd, "commit", "--quiet", "-m", "the secret")
      const dropped = git(bench.cwd, "rev-parse", "HEAD")
      const started = join(bench.cwd, "../started")
      const wait = `while ! test -e ${started}.go; do sleep 0.05; done`
      const plan = planFor(bench, [{ id: "1", run: [`touch ${started}`, wait, "echo one > f1"] }])
      await using team = bench.start([...RUN, plan])
      await until(async () => existsSync(started), "the task to start")
      git(bench.cwd, "reset", "--quiet", "--hard", "HEAD~1")
      writeFileSync(`${started}.go`, "")
      expect(await team.exited).toBe(0)
      expect(git(bench.cwd, "show", "main:f1")).toBe("one")
      expect(git(bench.cwd, "log", "--format=%H", "main").split("\n")).not.toContain(dropped)
      expect(existsSync(join(bench.cwd, "secret"))).toBe(false)
      expect(git(bench.cwd, "status", "--porcelain")).toBe("")
      expect(git(bench.cwd, "for-each-ref", "--contains", dropped, "refs/teamwork")).not.toBe("")
      expect(team.out.join("\n")).toContain("no longer has")
      expect(await bench.text("report")).toContain("the secret")
    },
    LONG_MS,
  )
})

describe("F134: a repository of an unusual kind", () => {
  it.each(["teamwork", "teamwork/shop", "teamwork/shop/main"])(
    "with a branch %s is refused with the way out before anything is planned",
    async (branch) => {
      using bench = makeBench()
      makeRepository(bench.cwd, { "README.md": "r\n" })
      git(bench.cwd, "branch", branch)
      const plan = planFor(bench, [{ id: "1", run: ["echo one > f1"] }])
      expect(await bench.refused("branch.exists", ...RUN, plan)).toContain(`git branch -m ${branch} OTHER-NAME`)
      expect(await bench.ok<Data[]>("project", "list")).toEqual([])
    },
  )

  it("that cannot be written says so, and not that this is a bug", async () => {
    using bench = makeBench()
    makeRepository(bench.cwd, { "README.md": "r\n" })
    await bench.ok("project", "create", "--goal", "x")
    await bench.ok("task", "create", "x")
    chmodSync(join(bench.cwd, ".git"), 0o555)
    try {
      for (const args of [["swarm", "merge"], RUN]) {
        const { stderr } = await bench.run(args, { obeysPermissions: true })
        expect(stderr).toContain("cannot be written")
        expect(stderr).not.toContain("bug in teamwork")
      }
    } finally {
      chmodSync(join(bench.cwd, ".git"), 0o755)
    }
    // Also for a user who may write everything.
    writeFileSync(join(bench.cwd, ".git/teamwork-moves"), "")
    expect(await bench.refused("repository.read_only", "swarm", "merge")).toContain("cannot be written")
  })

  it(
    "with its git folder elsewhere is delivered to",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd, { "README.md": "r\n" })
      git(bench.cwd, "init", "--quiet", `--separate-git-dir=${join(bench.cwd, "../elsewhere.git")}`)
      const plan = planFor(bench, [{ id: "1", run: ["echo one > f1"] }])
      const { exitCode, stdout, stderr } = await bench.run([...RUN, plan])
      expect({ exitCode, stdout, stderr }).toMatchObject({ exitCode: 0 })
      expect(readFileSync(join(bench.cwd, "f1"), "utf8")).toBe("one\n")
      expect(git(bench.cwd, "status", "--porcelain")).toBe("")
    },
    LONG_MS,
  )
})

describe("F134: work that cannot be delivered as it is", () => {
  it(
    "is told where the files of a task are ignored by git",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd, { "README.md": "r\n", ".gitignore": "dist/\n" })
      const plan = planFor(bench, [
        { id: "1", files: ["dist/out.js"], run: ["mkdir dist && echo one > dist/out.js"] },
        { id: "2", files: ["f2", "dist/b/**"], run: ["mkdir -p dist/b && echo two > dist/b/out.js && echo two > f2"] },
      ])
      await bench.run([...RUN, plan])
      const verdicts = await bench.ok<Data[]>("verdict", "list")
      const told = (subject: string) => JSON.stringify(verdicts.filter((verdict) => verdict.subject === subject))
      expect(told("1")).toContain("git ignores it, so it is not delivered")
      expect(told("1")).toContain('"failed"')
      expect(told("2")).toContain("git ignores it, so it is not delivered")
      expect(told("2")).toContain('"passed"')
    },
    LONG_MS,
  )

  it(
    "sees where a task made a separate repository",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd, { "README.md": "r\n" })
      const commit = "git -c user.name=T -c user.email=t@e commit -qm x"
      const plan = planFor(bench, [
        { id: "1", files: ["sub/**"], run: [`git init -q sub && cd sub && echo one > f && git add f && ${commit}`] },
        { id: "2", files: ["other/**"], run: ["git init -q other && echo one > other/f"] },
      ])
      await bench.run([...RUN, plan])
      const verdicts = await bench.ok<Data[]>("verdict", "list")
      for (const [id, folder] of [
        ["1", "sub"],
        ["2", "other"],
      ] as const) {
        const told = JSON.stringify(verdicts.filter((verdict) => verdict.subject === id))
        expect(told).toContain("is a separate git repository")
        expect(told).toContain(`remove ${folder}/.git`)
      }
    },
    LONG_MS,
  )

  it(
    "does not count 5 MB without a line break as a crash",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd, { "README.md": "r\n" })
      const print = "head -c 5000000 /dev/zero | tr '\\0' x"
      const plan = planFor(bench, [{ id: "1", run: [print, "echo one > f1"] }])
      const { exitCode, stdout } = await bench.run([...RUN, plan])
      expect({ exitCode, stdout: stdout.slice(-2000) }).toMatchObject({ exitCode: 0 })
      expect(git(bench.cwd, "show", "main:f1")).toBe("one")
    },
    LONG_MS,
  )
})

describe("F134: files of teamwork", () => {
  it("are for the user only, also those of before", async () => {
    using bench = makeBench()
    makeRepository(bench.cwd, { "README.md": "r\n" })
    // The home of teamwork is not that of the user, which other programs use as well.
    const home = join(bench.home, "own")
    const run = async (...args: string[]) => {
      const { exitCode, stderr } = await bench.run(args, { env: { TEAMWORK_TEST_BASE_DIR: home } })
      expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 })
    }
    await run("project", "create", "--goal", "x")
    const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
    const files = ["", "-wal", "-shm"].map((end) => join(home, `teamwork.db${end}`))
    expect([...files, home].map(modeOf)).toEqual(["600", "600", "600", "700"])
    for (const file of files) chmodSync(file, 0o644)
    chmodSync(home, 0o755)
    await run("task", "create", "x")
    expect([...files, home].map(modeOf)).toEqual(["600", "600", "600", "700"])
    const out = join(bench.cwd, "../out")
    await run("export", "--to", out)
    expect([out, join(out, "project.json"), join(out, "tasks")].map(modeOf)).toEqual(["700", "600", "700"])
  })
})

function planFor(bench: Bench, tasks: readonly PlannedTask[]): string {
  return writePlan(join(bench.cwd, "../plan.json"), tasks)
}
