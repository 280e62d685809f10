// A whole team, from a plan to the target branch: real processes, real git, and the script agent.
import { describe, expect, it } from "bun:test"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { writeAnswers } from "../support/answers.ts"
import { startPostgres } from "../support/postgres.ts"
import { until } from "../support/stores.ts"
import { makeRepository, type PlannedTask, processesOf, writePlan } from "../support/team-runs.ts"
import { type Bench, type Data, git, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"

const LONG_MS = 3 * TEST_TIMEOUT_MS
const RUN = ["run", "--no-review", "--no-cascade", "--workers", "2"]

describe("teamwork run", () => {
  it(
    "takes a plan to a verified, merged and delivered end, and leaves nothing behind",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd, { Makefile: "test:\n\ttest -e README.md\n" })
      const plan = planFor(bench, [
        { id: "1", run: ["echo one > f1"] },
        { id: "2", run: ["echo two > f2"] },
        { id: "3", needs: ["1", "2"], run: ["cat f1 f2 > f3"], checks: ["grep two f3"] },
      ])
      const { exitCode, stdout } = await bench.run([...RUN, "--plans", plan])
      expect(stdout).toContain("shop/main is done; see: teamwork report")
      expect(exitCode).toBe(0)
      expect(git(bench.cwd, "show", "main:f3")).toBe("one\ntwo")
      expect(git(bench.cwd, "status", "--porcelain")).toBe("")
      expect(await bench.ok("project", "status")).toMatchObject({ phase: "COMPLETE", status: "completed" })
      await expectNothingLeft(bench)
      // What was written on the way is what a fresh export writes.
      const fresh = join(bench.cwd, "../fresh")
      await bench.ok("export", "--to", fresh)
      expect(readTree(join(bench.home, "shop/main"))).toEqual(readTree(fresh))
      expect(readTree(fresh)["tasks/3.json"]).toContain('"resolved"')
      // There is nothing left to do, and that is fine.
      expect(await bench.run(RUN)).toMatchObject({ exitCode: 0 })
    },
    LONG_MS,
  )

  it("outside of a repository, without a commit, or for a branch that is not there, plans nothing", async () => {
    using bench = makeBench()
    const plan = planFor(bench, [{ id: "1", run: ["echo one > f1"] }])
    rmSync(join(bench.cwd, ".git"), { recursive: true, force: true })
    expect(await bench.refused("workspace.no_repository", ...RUN, plan)).toContain("no git repository here")
    expect(existsSync(join(bench.home, "teamwork.db"))).toBe(false)
    git(bench.cwd, "init", "--quiet")
    expect(await bench.refused("workspace.no_commit", ...RUN, plan)).toContain("make one first: git add --all")
    makeRepository(bench.cwd)
    git(bench.cwd, "checkout", "--quiet", "--detach")
    expect(await bench.refused("merge.no_target", ...RUN, plan)).toContain("no branch is checked out here")
    git(bench.cwd, "checkout", "--quiet", "main")
    expect(await bench.refused("merge.no_target", ...RUN, plan, "--target", "nobranch")).toContain(
      'there is no branch "nobranch" with a commit; create it with git, or name another',
    )
    expect(await bench.ok<Data[]>("project", "list")).toEqual([])
  })

  it(
    "makes a fix task of work that does not fit, and sends back what does not pass its gate",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd, { list: "start\n", Makefile: "test:\n\ttest -e README.md\n" })
      const resolve =
        'git merge "$TEAMWORK_FIX_HEAD" || { printf "one\\ntwo\\n" > list; git add list; git commit --no-edit; }'
      const plan = planFor(bench, [
        { id: "1", files: [], run: ["echo one > list"], repair: [resolve] },
        { id: "2", files: [], run: ["echo two > list"], repair: [resolve] },
        { id: "3", run: ["echo wrong > f3"], repair: ["echo right > f3"], checks: ["grep right f3"] },
      ])
      const { exitCode, stdout } = await bench.run([...RUN, plan])
      expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
      expect(git(bench.cwd, "show", "main:list")).toBe("one\ntwo")
      expect(git(bench.cwd, "show", "main:f3")).toBe("right")
      const tasks = await bench.ok<Data[]>("task", "list")
      expect(tasks.map((task) => String(task.id)).filter((id) => id.startsWith("fix-"))).toHaveLength(1)
      const verdicts = await bench.ok<Data[]>("verdict", "list")
      const ofThree = verdicts.filter((verdict) => verdict.scope === "task" && verdict.subject === "3")
      expect(ofThree.map((verdict) => verdict.status)).toEqual(["failed", "passed"])
    },
    LONG_MS,
  )

  it(
    "tells workers whose branches no longer fit together while they still work",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd, { list: "start\n" })
      const work = (word: string) => [`echo ${word} > list`, `git commit -qam ${word}`, "sleep 30"]
      await bench.ok(
        "plan",
        planFor(
          bench,
          ["one", "two"].map((id) => ({ id, files: [], run: work(id) })),
        ),
        "--yes",
      )
      await using team = bench.start(RUN, {
        ...{ TEAMWORK_TEAM_MONITOR_INTERVAL_MS: "200", TEAMWORK_TEAM_SHUTDOWN_TIMEOUT_MS: "100" },
      })
      const told = await until(async () => {
        const messages = await bench.ok<Data[]>("mailbox", "read", "orchestrator").catch(() => [])
        return messages.find(({ payload }) => JSON.stringify(payload).includes('"list"'))
      }, "the warning")
      expect(JSON.stringify(told.payload)).toContain("w1")
      // Whoever looks at plain files sees the team at work.
      await until(async () => {
        const task = await Bun.file(join(bench.home, "shop/main/tasks/one.json"))
          .json()
          .catch(() => ({}))
        return task.status === "in_progress" || task.status === "resolved"
      }, "the task in a file")
      await team.stop("SIGINT")
    },
    LONG_MS,
  )

  it(
    "leaves files of somebody else alone, says so, and runs all the same",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd)
      const foreign = join(bench.home, "shop/main/project.json")
      await Bun.write(foreign, '{"mine":true}')
      const { exitCode, stdout } = await bench.run([...RUN, planFor(bench, [{ id: "1", run: ["echo one > f1"] }])])
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining("no files are written")])
      expect(await Bun.file(foreign).text()).toBe('{"mine":true}')
    },
    LONG_MS,
  )

  it(
    "writes no files where nobody wants them",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd)
      const plan = planFor(bench, [{ id: "1", run: ["echo one > f1"] }])
      expect(await bench.run([...RUN, plan], { env: { TEAMWORK_ENGINE_FILES: "false" } })).toMatchObject({
        exitCode: 0,
      })
      expect(await Bun.file(join(bench.home, "shop/main/project.json")).exists()).toBe(false)
    },
    LONG_MS,
  )

  it(
    "ends with what is in the way when a task fails for good, and goes on once a person has mended it",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd)
      const plan = planFor(bench, [
        { id: "1", run: ["test -e ../../../../mended && echo ok > f1"] },
        { id: "2", run: ["echo two > f2"] },
        { id: "3", needs: ["1"], run: ["echo three > f3"] },
      ])
      const env = { TEAMWORK_TEAM_MAX_RESTARTS: "1", TEAMWORK_TEAM_RESTART_BACKOFF_SECONDS: "0" }
      const stuck = await bench.run([...RUN, plan], { env })
      expect(stuck.exitCode).toBe(1)
      expect(stuck.stdout).toContain("shop/main is not done: task 1 failed (script: command 1 ended with 1")
      expect(await bench.ok("task", "get", "2")).toMatchObject({ status: "resolved" })
      await expectNothingLeft(bench)
      await bench.ok("task", "update", "1", "--status", "skipped")
      expect(await bench.run([...RUN, "--resume"], { env })).toMatchObject({ exitCode: 0 })
      expect(git(bench.cwd, "show", "main:f3")).toBe("three")
    },
    LONG_MS,
  )
})

describe("the review at the end of a run", () => {
  it(
    "is by another agent program than those that worked, and what it finds becomes tasks",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd)
      const findings = [{ task: "2", file: "f1", severity: "high", text: "look at the second line too [[hello]]" }]
      const answers = writeAnswers(join(bench.home, "answers"), [
        { verdict: "FAIL", findings },
        { verdict: "PASS", findings: [], earlier: [{ number: 1, status: "fixed" }] },
      ])
      await bench.ok("config", "set", "agents.codex.command", JSON.stringify(answers.command("codex")))
      const claude = [process.execPath, join(import.meta.dir, "../fixtures/agents/agent.ts"), "claude"]
      await bench.ok("config", "set", "agents.claude.command", JSON.stringify(claude))
      const plan = planFor(bench, [
        { id: "1", run: ["echo line >> f1"] },
        { id: "2", needs: ["1"], files: [], run: [], role: "review", agent: "claude", description: "[[hello]]" },
      ])
      const env = { OPENAI_API_KEY: "not-a-key", ANTHROPIC_API_KEY: "not-a-key" }
      const { exitCode, stdout } = await bench.run(["run", plan, "--no-cascade", "--workers", "2"], { env })
      expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
      expect(answers.prompt(1)).toContain("+line")
      const verdicts = (await bench.ok<Data[]>("verdict", "list")).filter(({ scope }) => scope === "cross-agent")
      expect(verdicts.map(({ status, by }) => [status, by])).toEqual([
        ["failed", "codex"],
        ["passed", "codex"],
      ])
      expect(await bench.ok("task", "get", "finding-1-2")).toMatchObject({ status: "resolved" })
      expect(git(bench.cwd, "show", "main:f1")).toBe("line")
    },
    LONG_MS,
  )
})

describe("a team on PostgreSQL", () => {
  it(
    "goes on after the database was gone for a while",
    async () => {
      // What it acknowledged is on the disk, as on a real one.
      await using server = await startPostgres({ fsync: true })
      using bench = makeBench()
      makeRepository(bench.cwd)
      const env = { TEAMWORK_STORE: server.url }
      const plan = planFor(bench, [
        { id: "1", run: ["sleep 3", "echo one > f1"] },
        { id: "2", run: ["echo two > f2"] },
        { id: "3", needs: ["1", "2"], run: ["cat f1 f2 > f3"] },
      ])
      await using team = bench.start([...RUN, plan], env)
      await team.untilLine("out", (line) => line.includes("task 2 resolved"))
      process.kill(server.pid, "SIGKILL")
      await Bun.sleep(1500)
      await server.restart()
      expect({ code: await team.exited, out: team.out, err: team.err }).toMatchObject({ code: 0 })
      expect(git(bench.cwd, "show", "main:f3")).toBe("one\ntwo")
      await expectNothingLeft(bench)
    },
    LONG_MS,
  )
})

describe("interrupting a run", () => {
  const slow = (bench: Bench): readonly PlannedTask[] => [sleeping(bench), { id: "2", run: ["echo two > f2"] }]

  it(
    "once lets the workers end in time, gives back what they hold, and can be resumed",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd)
      await bench.ok("plan", planFor(bench, slow(bench)), "--yes")
      await using team = bench.start(RUN, { TEAMWORK_TEAM_SHUTDOWN_TIMEOUT_MS: "700" })
      await team.untilLine("out", (line) => line.includes("task 2 resolved"))
      await untilBegun(bench)
      expect(await team.stop("SIGINT")).toBe(130)
      expect(team.out).toContainEqual(expect.stringContaining("stopping: workers finish what they can; Ctrl+C again"))
      expect(team.out.at(-1)).toBe("shop/main was interrupted; go on with: teamwork run --resume")
      await expectNothingLeft(bench)
      expect(await bench.ok("task", "get", "1")).toMatchObject({ status: "open", claimed_by: null, attempt: 1 })
      // What it had done so far is kept, and whoever goes on with it has it.
      const pins = await bench.ok<Data[]>("refs", "--task", "1")
      expect(pins.map((pin) => pin.kind)).toContain("leftovers")
    },
    LONG_MS,
  )

  it(
    "F012: keeps what a worker delivers before the end, and does not do it again",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd)
      const [begun, go] = [join(bench.home, "begun"), join(bench.home, "go")]
      const run = [`echo once >> ${begun}`, `until test -e ${go}; do sleep 0.1; done`, "echo one > f1"]
      await bench.ok("plan", planFor(bench, [{ id: "1", run }]), "--yes")
      await using team = bench.start(RUN, { TEAMWORK_TEAM_SHUTDOWN_TIMEOUT_MS: "60000" })
      await untilBegun(bench)
      process.kill(team.pid, "SIGINT")
      await team.untilLine("out", (line) => line.includes("stopping: "))
      await Bun.write(go, "")
      expect(await team.exited).toBe(130)
      expect(await bench.ok("task", "get", "1")).toMatchObject({ status: "in_review" })
      expect(await bench.run([...RUN, "--resume"])).toMatchObject({ exitCode: 0 })
      expect(git(bench.cwd, "show", "main:f1")).toBe("one")
      expect(readFileSync(begun, "utf8")).toBe("once\n")
    },
    LONG_MS,
  )

  it(
    "keeps the work although a git that was killed has left its lock",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd)
      await bench.ok("plan", planFor(bench, [sleeping(bench)]), "--yes")
      await using team = bench.start(RUN, { TEAMWORK_TEAM_SHUTDOWN_TIMEOUT_MS: "100" })
      await untilBegun(bench)
      const lock = join(bench.cwd, ".git/refs/teamwork/shop/main/1/1/head.lock")
      await Bun.write(lock, "")
      const code = await team.stop("SIGINT")
      expect([code, team.err.filter((line) => line.startsWith("Error"))]).toEqual([130, []])
      expect(existsSync(lock)).toBe(false)
      expect(await bench.ok("task", "get", "1")).toMatchObject({ status: "open", claimed_by: null })
      const pins = await bench.ok<Data[]>("refs", "--task", "1")
      expect(pins.map((pin) => pin.kind)).toContain("leftovers")
    },
    LONG_MS,
  )

  it(
    "twice ends it at once, and can be resumed all the same",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd)
      await bench.ok("plan", planFor(bench, slow(bench)), "--yes")
      await using team = bench.start(RUN, { TEAMWORK_TEAM_SHUTDOWN_TIMEOUT_MS: "20000" })
      await team.untilLine("out", (line) => line.includes("task 2 resolved"))
      await untilBegun(bench)
      process.kill(team.pid, "SIGINT")
      // Two signals that come before the first is handled are one.
      await team.untilLine("out", (line) => line.includes("stopping: "))
      const start = performance.now()
      expect(await team.stop("SIGINT")).toBe(130)
      expect(performance.now() - start).toBeLessThan(10_000)
      await expectNothingLeft(bench)
      expect(await bench.ok("task", "get", "1")).toMatchObject({ status: "open", claimed_by: null })
    },
    LONG_MS,
  )
})

describe("a run of which everything was killed", () => {
  it(
    "resumes at once after everything was killed",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd)
      const tasks = ["1", "2"].map((id) => {
        const mark = join(bench.home, `begun-${id}`)
        return { id, run: [`test -e ${mark} || { touch ${mark}; sleep 60; }`, `echo ${id} > f${id}`] }
      })
      await bench.ok("plan", planFor(bench, tasks), "--yes")
      await using team = bench.start(RUN)
      await until(
        async () => tasks.every(({ id }) => existsSync(join(bench.home, `begun-${id}`))),
        "both tasks to begin",
      )
      await team.stop("SIGKILL")
      for (const { pid } of processesOf(bench.home)) process.kill(pid, "SIGKILL")
      await until(async () => processesOf(bench.home).length === 0, "the end of every process")
      const second = await bench.run(RUN)
      expect(second, second.stdout).toMatchObject(FINE)
      expect(git(bench.cwd, "show", "main:f2")).toBe("2")
      const events = (bench.dump().event ?? []) as { type: string; recorded_at: number; data: string }[]
      const ledAt = events.findLast(({ type }) => type === "team.led")?.recorded_at ?? 0
      const claims = events.filter(({ type, recorded_at }) => type === "task.claimed" && recorded_at > ledAt)
      // A worker that crashed would wait for five seconds.
      expect(claims.map(({ recorded_at }) => recorded_at - ledAt < 4000)).toEqual([true, true])
      const ends = events.filter(({ type }) => type === "worker.exited").map(({ data }) => JSON.parse(data).reason)
      expect(ends.sort()).toEqual(["done", "done", "stopped", "stopped"])
    },
    LONG_MS,
  )
})

describe("cancelling a team", () => {
  it(
    "ends its run and its workers, keeps what they did, and lets it go on later",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd)
      const mark = begun(bench)
      const plan = planFor(bench, [
        { id: "1", run: [`test -e ${mark} || { touch ${mark}; sleep 30; }`, "echo one > f1"] },
        { id: "2", run: ["echo two > f2"] },
      ])
      await bench.ok("plan", plan, "--yes")
      const env = { TEAMWORK_TEAM_SHUTDOWN_TIMEOUT_MS: "500" }
      await using team = bench.start(RUN, env)
      await team.untilLine("out", (line) => line.includes("task 2 resolved"))
      await untilBegun(bench)
      const { stdout } = await bench.run(["cancel", "--format", "table"], { env })
      expect(stdout).toMatch(/^Team shop\/main cancelled\. 2 workers stopped\. 1\/2 tasks were completed before/)
      expect(await team.exited).toBe(1)
      expect(team.out.at(-1)).toBe("shop/main was cancelled; go on with: teamwork run")
      await expectNothingLeft(bench)
      expect(await bench.ok("project", "status")).toMatchObject({ status: "cancelled" })
      await bench.refused("team.paused", "task", "claim", "--next", "--owner", "w9")
      expect(await bench.run(RUN, { env })).toMatchObject({ exitCode: 0 })
      expect(git(bench.cwd, "show", "main:f1")).toBe("one")
    },
    LONG_MS,
  )

  it(
    "by force ends what an orchestrator that is gone has left running, and forgets the team when told to",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd)
      await using team = await startSleeping(bench)
      await team.stop("SIGKILL")
      expect(processesOf(bench.home).length).toBeGreaterThan(0)
      expect(await bench.ok("cancel", "--force", "--purge")).toMatchObject({ stopped: ["w1"], is_purged: true })
      await expectNothingLeft(bench)
      await bench.refused("team.not_found", "project", "status")
    },
    LONG_MS,
  )

  it(
    "that is forgotten at the same time ends its run with a word about it",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd)
      await using team = await startSleeping(bench, { TEAMWORK_TEAM_SHUTDOWN_TIMEOUT_MS: "100" })
      await bench.ok("project", "clean", "--purge", "--force")
      expect(await team.exited).toBe(1)
      expect(team.err.at(-1)).toBe(
        "Error: project shop/main was deleted while it ran; its commits are kept; see: teamwork refs",
      )
    },
    LONG_MS,
  )
})

describe("what cannot be run", () => {
  it("is told in a line: no tasks, no repository, nothing to resume, workers that make no sense", async () => {
    using bench = makeBench()
    expect(await bench.refused("team.not_found", "run")).toContain("teamwork run PLAN")
    await bench.ok("project", "create", "--goal", "Shop")
    expect(await bench.refused("run.nothing", "run")).toContain("has no tasks")
    await bench.ok("task", "create", "Search")
    expect(await bench.refused("run.none", "run", "--resume")).toContain("was never run")
    expect(await bench.refused("usage", "run", "--workers", "many")).toContain("many")
    expect(await bench.refused("usage", "run", "--workers", "99")).toContain("team.maxAgents")
    expect(await bench.refused("workspace.no_repository", "run")).toContain("no git repository")
  })

  it(
    "is what somebody else leads",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd)
      await bench.ok("plan", planFor(bench, [{ id: "1", run: ["sleep 30"] }]), "--yes")
      await using team = bench.start(RUN, { TEAMWORK_TEAM_SHUTDOWN_TIMEOUT_MS: "100" })
      await team.untilLine("out", (line) => line.includes("task 1 claimed"))
      expect(await bench.refused("team.led", ...RUN)).toContain("is led by another teamwork run")
      // Whoever is refused has shown nothing of it, and changed nothing.
      expect(await bench.run([...RUN, "--format", "table"])).toMatchObject({ exitCode: 1, stdout: "" })
      await bench.refused("team.led", ...RUN, "--schedule", "waves")
      await bench.refused("team.led", ...RUN, planFor(bench, [{ id: "2", run: ["echo two > f2"] }]))
      expect(await bench.ok("project", "get")).toMatchObject({ schedule: "eager" })
      expect(await bench.ok<Data[]>("task", "list")).toHaveLength(1)
      await team.stop("SIGINT")
    },
    LONG_MS,
  )
})

/** The files of an export with their content, but for the list of what was written, which has times in it. */
function readTree(folder: string): Record<string, string> {
  const paths = [...new Bun.Glob("**/*").scanSync({ cwd: folder })].filter((path) => !path.startsWith("worktrees/"))
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path), "utf8")]))
}

function planFor(bench: Bench, tasks: readonly PlannedTask[]): string {
  return writePlan(join(bench.home, "plan.json"), tasks)
}

const begun = (bench: Bench) => join(bench.home, "begun")

/** A task that writes something, marks that it has, and does not end. */
function sleeping(bench: Bench): PlannedTask {
  return { id: "1", run: ["echo one > f1", `touch ${begun(bench)}`, "sleep 30"] }
}

/** That a task is claimed, or another one done, does not say that its work has begun. */
function untilBegun(bench: Bench): Promise<boolean> {
  return until(async () => existsSync(begun(bench)), "the work on task 1")
}

/** A run whose only task has written something and does not end. */
async function startSleeping(bench: Bench, env?: Record<string, string>) {
  await bench.ok("plan", planFor(bench, [sleeping(bench)]), "--yes")
  const team = bench.start(RUN, env)
  await team.untilLine("out", (line) => line.includes("task 1 claimed"))
  await untilBegun(bench)
  return team
}

async function expectNothingLeft(bench: Bench): Promise<void> {
  expect(git(bench.cwd, "worktree", "list").split("\n")).toHaveLength(1)
  await until(async () => processesOf(bench.home).length === 0, "the end of every process")
}

describe("where the work of a run starts", () => {
  it(
    "starts from the target that is named, whatever is checked out",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd)
      git(bench.cwd, "branch", "release")
      git(bench.cwd, "commit", "--quiet", "--allow-empty", "-m", "Only on main")
      const plan = planFor(bench, [{ id: "1", run: ["echo one > f1"] }])
      expect(await bench.run([...RUN, plan, "--target", "release"])).toMatchObject(FINE)
      expect(git(bench.cwd, "show", "release:f1")).toBe("one")
      expect(git(bench.cwd, "log", "--format=%s", "release")).not.toContain("Only on main")
    },
    LONG_MS,
  )

  it(
    "brings the work to the branch that it started from, though another one is checked out meanwhile",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd)
      git(bench.cwd, "branch", "other")
      const go = join(bench.home, "go")
      const plan = planFor(bench, [{ id: "1", run: [`until test -e ${go}; do sleep 0.1; done`, "echo one > f1"] }])
      await bench.ok("plan", plan, "--yes")
      await using team = bench.start(RUN)
      await team.untilLine("out", (line) => line.includes("task 1 claimed"))
      git(bench.cwd, "checkout", "--quiet", "other")
      git(bench.cwd, "commit", "--quiet", "--allow-empty", "-m", "Another thing")
      await Bun.write(go, "")
      expect(await team.exited).toBe(0)
      expect(git(bench.cwd, "show", "main:f1")).toBe("one")
      expect(git(bench.cwd, "log", "-1", "--format=%s", "other")).toBe("Another thing")
    },
    LONG_MS,
  )

  it(
    "starts from what the user committed since the last delivery",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd)
      expect(await bench.run([...RUN, planFor(bench, [{ id: "1", run: ["echo one > f1"] }])])).toMatchObject(FINE)
      await Bun.write(join(bench.cwd, "mine.txt"), "mine\n")
      git(bench.cwd, "add", "mine.txt")
      git(bench.cwd, "commit", "--quiet", "-m", "Mine")
      const second = planFor(bench, [{ id: "2", run: ["cat mine.txt f1 > f2"] }])
      expect(await bench.run([...RUN, second])).toMatchObject(FINE)
      expect(git(bench.cwd, "show", "main:f2")).toBe("mine\none")
      // What the user made is nothing to be looked at.
      expect(await bench.text("swarm", "merge")).not.toContain("Not merged by teamwork")
      await bench.ok("undo")
      expect(git(bench.cwd, "log", "-1", "--format=%s", "main")).toBe("Mine")
    },
    LONG_MS,
  )

  it(
    "goes on from merged work that was not delivered yet",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd)
      const first = planFor(bench, [{ id: "1", run: ["echo one > f1"] }])
      expect(await bench.run([...RUN, first, "--no-deliver"])).toMatchObject(FINE)
      git(bench.cwd, "commit", "--quiet", "--allow-empty", "-m", "Mine")
      const second = planFor(bench, [{ id: "2", run: ["cat f1 > f2"] }])
      expect(await bench.run([...RUN, second, "--add"])).toMatchObject(FINE)
      expect(git(bench.cwd, "show", "teamwork/shop/main/integration:f2")).toBe("one")
    },
    LONG_MS,
  )

  it(
    "leaves out what a purged team of the same name had merged, and keeps it for whoever wants it",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd)
      const first = planFor(bench, [
        { id: "1", run: ["echo old > f1"] },
        { id: "2", run: ["echo old > f2"] },
      ])
      expect(await bench.run([...RUN, first, "--no-deliver"])).toMatchObject(FINE)
      const old = git(bench.cwd, "rev-parse", "teamwork/shop/main/integration")
      const head = git(bench.cwd, "rev-parse", "refs/teamwork/shop/main/1/1/head")
      await bench.ok("project", "clean", "--purge")
      const { exitCode, stdout } = await bench.run([...RUN, planFor(bench, [{ id: "1", run: ["echo new > f1"] }])])
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining("is set aside")])
      expect(git(bench.cwd, "ls-tree", "--name-only", "main").split("\n")).toEqual(["README.md", "f1"])
      expect(git(bench.cwd, "show", "main:f1")).toBe("new")
      await bench.ok("recover", "--worker-id", "integration", "--branch", "old")
      expect(git(bench.cwd, "rev-parse", "old")).toBe(old)
      await bench.ok("recover", "1", "--kind", `earlier/${head.slice(0, 16)}`, "--branch", "old-1")
      expect(git(bench.cwd, "rev-parse", "old-1")).toBe(head)
    },
    LONG_MS,
  )

  it(
    "does the plan of a cleaned team once more, on the target",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd)
      const plan = planFor(bench, [
        { id: "1", run: ["echo one > f1"] },
        { id: "2", needs: ["1"], run: ["cat f1 > f2"] },
      ])
      expect(await bench.run([...RUN, plan, "--no-deliver"])).toMatchObject(FINE)
      await bench.ok("project", "clean")
      const again = await bench.run([...RUN, plan, "--no-deliver"])
      expect([again.exitCode, again.stdout]).toEqual([0, expect.stringContaining("teamwork recover --run 1")])
      expect(git(bench.cwd, "show", "teamwork/shop/main/integration:f2")).toBe("one")
      // What workers commit in one second is the same commit both times; the line of merges tells where it began.
      const line = git(bench.cwd, "log", "--first-parent", "--format=%s", "teamwork/shop/main/integration").split("\n")
      expect(line).toEqual(["Merge task 2: Task 2", "Merge task 1: Task 1", "Start"])
      for (const run of ["1", "2"])
        expect(await bench.ok("task", "get", "2", "--run", run)).toMatchObject({ status: "resolved", attempt: 1 })
    },
    LONG_MS,
  )
})

const FINE = { exitCode: 0 }
