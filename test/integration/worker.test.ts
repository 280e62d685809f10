// The one worker on real repositories with real gates and processes (R074-R088): a task from its claim to its end.
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { AppError } from "../../src/kernel/errors.ts"
import { setUpWorker, type WorkerSetup } from "../support/worker.ts"

setDefaultTimeout(30_000)

const stepsOf = async (world: WorkerSetup) => (await world.events("task.step")).map(({ data }) => data.step)
const fileAt = (world: WorkerSetup, commit: string, path: string) =>
  world.git.repository.run("show", `${commit}:${path}`)

describe("the straight way", () => {
  it("claims, works in a worktree, commits, pins, judges, resolves and reports", async () => {
    await using world = await setUpWorker()
    await world.create("1", { title: "Add b", run: ["echo b > b.txt"], check: ["test -f b.txt"] })
    const end = await world.work()
    expect(end).toEqual({ worker: expect.any(String), reason: "once", delivered: [expect.any(String)], setBack: [] })
    expect(await world.task("1")).toMatchObject({
      status: "resolved",
      result: "By script: 1 file changed: b.txt.",
      claimedBy: "w1",
    })
    expect(await stepsOf(world)).toEqual(["workspace", "agent", "commit", "gate", "deliver"])
    const pins = await world.git.pinned()
    expect(Object.keys(pins).sort()).toEqual(["1/1/base", "1/1/head"])
    expect(fileAt(world, pins["1/1/head"] ?? "", "b.txt")).toBe("b")
    const log = world.git.repository.run("log", "--format=%s", `${pins["1/1/base"]}..${pins["1/1/head"]}`)
    expect(log).toBe("Add b")
    expect(await world.events("verdict.recorded")).toMatchObject([
      { data: { scope: "task", subject: "1", status: "passed" } },
    ])
    expect(await world.inbox("orchestrator")).toMatchObject([
      { type: "idle_notification", payload: { worker_id: "w1", completed_task_id: "1", completed_status: "resolved" } },
      { from: "w1", type: "text", payload: { message: "Completed task #1: 1 file changed: b.txt" } },
    ])
    expect(readdirSync(join(world.home, "runs/shop/main")).sort()).toEqual(["1-1-1"])
    expect(readFileSync(join(world.home, "runs/shop/main/1-1-1/events.jsonl"), "utf8")).toContain('"reason":"done"')
    expect(await world.events("run.started")).toMatchObject([
      { data: { run: "1-1-1", task: "1", attempt: 1, worker: "w1", agent: "script", model: null, turn: 1 } },
    ])
    expect(await world.events("run.ended")).toMatchObject([{ data: { run: "1-1-1", reason: "done", error: null } }])
    expect(await world.events("worker.started")).toMatchObject([
      { data: { worker: "w1", runtime: "terminal", pid: process.pid } },
    ])
    expect(await world.events("worker.exited")).toMatchObject([
      { data: { worker: "w1", reason: "done", detail: "once" } },
    ])
  })

  it("goes on with the next task, each from the same base, until the project is complete", async () => {
    await using world = await setUpWorker()
    for (const id of ["1", "2", "3"]) await world.create(id, { run: [`echo ${id} > ${id}.txt; ls > seen-${id}`] })
    const drain = new AbortController()
    const say = (line: string) => void (line.includes("No available tasks") && drain.abort())
    const end = await world.work({ once: false, loop: true }, { say, drain: drain.signal })
    expect(end).toMatchObject({ reason: "drained", delivered: ["1", "2", "3"], setBack: [] })
    const pins = await world.git.pinned()
    expect(fileAt(world, pins["3/1/head"] ?? "", "seen-3")).toBe("3.txt\na.txt\nseen-3")
  })

  it("hands work in for review where others wait for it to be merged", async () => {
    await using world = await setUpWorker({ schedule: "eager" })
    await world.create("1", { run: ["echo b > b.txt"] })
    await world.work()
    expect(await world.task("1")).toMatchObject({ status: "in_review", result: "By script: 1 file changed: b.txt." })
    expect(await world.inbox("orchestrator")).toMatchObject([
      { payload: { worker_id: "w1", completed_task_id: "1", completed_status: "in_review" } },
      { payload: { message: expect.stringMatching(/^Completed task #1: /) } },
    ])
  })

  it("delivers only the files of the task", async () => {
    await using world = await setUpWorker()
    await world.create("1", { run: ["mkdir src; echo b > src/b.txt; echo c > c.txt"], files: ["src/**"] })
    await world.work()
    const pins = await world.git.pinned()
    expect(world.git.repository.run("ls-tree", "-r", "--name-only", pins["1/1/head"] ?? "")).toBe("a.txt\nsrc/b.txt")
    expect(fileAt(world, pins["1/1/aside"] ?? "", "c.txt")).toBe("c")
    expect(await world.task("1")).toMatchObject({ status: "resolved" })
  })

  it("takes only tasks of its role", async () => {
    await using world = await setUpWorker()
    await world.create("1", { run: ["echo b > b.txt"], role: "backend" })
    expect(await world.work({ role: "docs" })).toMatchObject({ reason: "none", delivered: [] })
    expect(await world.work({ role: "backend" })).toMatchObject({ reason: "once", worker: "w2", delivered: ["1"] })
  })

  it("tells commands what they are run for", async () => {
    await using world = await setUpWorker()
    await world.create("1", {
      run: [
        "env | grep ^TEAMWORK_ | grep -v ^TEAMWORK_RUN_ | grep -v ^TEAMWORK_WORKER_ | grep -v BASE_DIR | grep -v TRUST | sort > env.txt",
      ],
    })
    await world.work()
    const pins = await world.git.pinned()
    expect(fileAt(world, pins["1/1/head"] ?? "", "env.txt").split("\n")).toEqual([
      "TEAMWORK_ATTEMPT=1",
      "TEAMWORK_INTEGRATION=teamwork/shop/main/integration",
      "TEAMWORK_TASK=1",
      "TEAMWORK_TURN=1",
      "TEAMWORK_WORKER=w1",
    ])
  })
})

describe("a gate that fails", () => {
  it("sends the work back, with other commands where there are some, and takes what passes then", async () => {
    await using world = await setUpWorker()
    await world.create("1", {
      run: ["echo wrong > b.txt"],
      repair: ['echo "right $TEAMWORK_TURN" > b.txt'],
      check: ["grep right b.txt"],
    })
    expect(await world.work()).toMatchObject({ delivered: ["1"] })
    expect(await stepsOf(world)).toEqual([
      "workspace",
      "agent",
      "commit",
      "gate",
      "repair",
      "commit",
      "gate",
      "deliver",
    ])
    expect((await world.events("run.started")).map(({ data }) => [data.run, data.turn])).toEqual([
      ["1-1-1", 1],
      ["1-1-2", 2],
    ])
    const pins = await world.git.pinned()
    expect(fileAt(world, pins["1/1/head"] ?? "", "b.txt")).toBe("right 2")
  })

  it("runs the commands again where there are no others", async () => {
    await using world = await setUpWorker()
    await world.create("1", { run: ["echo $TEAMWORK_TURN >> turns.txt"], check: ["grep 3 turns.txt"] })
    expect(await world.work()).toMatchObject({ delivered: ["1"] })
    const pins = await world.git.pinned()
    expect(fileAt(world, pins["1/1/head"] ?? "", "turns.txt")).toBe("1\n2\n3")
  })

  it("by chance is looked at again where the agent finds nothing to mend", async () => {
    await using world = await setUpWorker()
    const counter = join(world.home, "counter")
    const check = [`echo run >> "${counter}"; test "$(wc -l < "${counter}")" -gt 1`]
    await world.create("1", { run: ["echo b > b.txt"], repair: ["true"], check })
    expect(await world.work()).toMatchObject({ delivered: ["1"], setBack: [] })
    expect(readFileSync(counter, "utf8")).toBe("run\nrun\n")
  })

  it("sets the task back after the last repair turn, for another try", async () => {
    await using world = await setUpWorker()
    await world.create("1", { run: ["echo $TEAMWORK_WORKER >> who.txt"], check: ["test $(wc -l < who.txt) -ge 3"] })
    const retry = { maxRuns: 0, maxRestarts: 3, maxTimeoutRestarts: 2 }
    const settings = { repairTurns: 1, retry }
    expect(await world.work({ settings })).toMatchObject({ delivered: [], setBack: ["1"] })
    expect(await world.task("1")).toMatchObject({ status: "open", claimedBy: null, attempt: 1 })
    expect(await world.events("task.setback")).toMatchObject([
      {
        data: {
          ...{ task: "1", attempt: 1, worker: "w1", agent: "script", kind: "gate" },
          reason: expect.stringContaining("exited with 1"),
        },
      },
    ])
    expect(await world.work({ workerId: "w2", settings: { retry } })).toMatchObject({ delivered: ["1"] })
    const pins = await world.git.pinned()
    expect(fileAt(world, pins["1/1/head"] ?? "", "who.txt")).toBe("w2\nw2\nw2")
  })

  it("fails the task, and tells the lead, when enough was tried", async () => {
    await using world = await setUpWorker()
    await world.create("1", { run: ["echo b > b.txt"], check: ["false"] })
    const settings = {
      repairTurns: 0,
      maxConsecutiveErrors: 0,
      retry: { maxRuns: 0, maxRestarts: 1, maxTimeoutRestarts: 1 },
    }
    for (const _ of [1, 2]) await world.work({ settings })
    expect(await world.task("1")).toMatchObject({ status: "failed" })
    expect(await world.inbox("orchestrator")).toMatchObject([
      { payload: { message: expect.stringMatching(/^FAILED task #1: the work does not pass its gate/) } },
    ])
  })

  it("ends a worker that nobody manages after too many setbacks in a row", async () => {
    await using world = await setUpWorker()
    await world.create("1", { run: ["false"] })
    const settings = { maxConsecutiveErrors: 2, retry: { maxRuns: 0, maxRestarts: 10, maxTimeoutRestarts: 1 } }
    const gitIdentity = () => Promise.reject(new AppError("git.failed", "git is gone"))
    expect(await world.work({ once: false, loop: true, settings }, { gitIdentity })).toMatchObject({
      reason: "failures",
      setBack: ["1", "1"],
    })
    expect(await world.events("task.setback")).toMatchObject([
      { data: { kind: "workspace", reason: "git is gone" } },
      {},
    ])
  })
})

describe("a task that mends a merge", () => {
  it("knows what it mends and where that is, and runs the commands for repair", async () => {
    await using world = await setUpWorker()
    await world.create("1", {
      run: ["echo one > b.txt"],
      repair: ['git merge -q -m "Merge $TEAMWORK_FIX_OF" "$TEAMWORK_FIX_HEAD"; echo "of $TEAMWORK_FIX_OF" > b.txt'],
    })
    await world.work()
    const { work } = await world.task("1")
    await world.create("fix-1-1", { run: [...work.commands], repair: [...work.repair] })
    expect(await world.work()).toMatchObject({ delivered: ["fix-1-1"] })
    const pins = await world.git.pinned()
    expect(fileAt(world, pins["fix-1-1/1/head"] ?? "", "b.txt")).toBe("of 1")
    world.git.repository.run("merge-base", "--is-ancestor", pins["1/1/head"] ?? "", pins["fix-1-1/1/head"] ?? "")
  })

  it("is sent back without the work that it mends, and is not delivered while that is missing", async () => {
    await using world = await setUpWorker()
    await world.create("1", { run: ["echo one > b.txt"] })
    await world.work()
    const short = ((await world.git.pinned())["1/1/head"] ?? "").slice(0, 12)
    const why = `the work of task 1 (${short}) is not in it; bring it in with: git merge ${short}`
    await world.create("fix-1-1", { run: ["echo anew > c.txt"] })
    const settings = { repairTurns: 1, retry: { maxRuns: 0, maxRestarts: 0, maxTimeoutRestarts: 0 } }
    expect(await world.work({ settings })).toMatchObject({ delivered: [], setBack: ["fix-1-1"] })
    expect(world.said.filter((line) => line.endsWith(`the gate failed: ${why}`))).toHaveLength(2)
    expect(await world.task("fix-1-1")).toMatchObject({ status: "failed" })
  })

  it("is delivered once a repair has brought the work in", async () => {
    await using world = await setUpWorker()
    await world.create("1", { run: ["echo one > b.txt"] })
    await world.work()
    const merge = 'if [ "$TEAMWORK_TURN" = 1 ]; then echo anew > c.txt; else git merge -q "$TEAMWORK_FIX_HEAD"; fi'
    await world.create("fix-1-1", { run: ["true"], repair: [merge] })
    expect(await world.work()).toMatchObject({ delivered: ["fix-1-1"] })
    const head = (await world.git.pinned())["fix-1-1/1/head"] ?? ""
    expect([fileAt(world, head, "b.txt"), fileAt(world, head, "c.txt")]).toEqual(["one", "anew"])
  })
})
