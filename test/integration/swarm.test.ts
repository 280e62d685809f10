// Starting and stopping workers by hand, with real processes, git and stores. A line of shell plays the worker: it sets
// itself up as one through the command line and waits.

import { afterEach, beforeEach, describe, expect, it } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseWorkerId, type WorkerId } from "../../src/kernel/ids.ts"
import { systemClock } from "../../src/lib/clock.ts"
import { identityOf } from "../../src/lib/process/process-identity.ts"
import type { Context } from "../../src/store/operation.ts"
import { openSqliteStore } from "../../src/store/sqlite/store.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import type { Role } from "../../src/tasks/task.ts"
import { swarmStatus } from "../../src/workers/operations/swarm-status.ts"
import { noteWorkerStarted, spawnWorker } from "../../src/workers/operations/worker-life.ts"
import { makeChildRuntime } from "../../src/workers/runtimes/child/make-child-runtime.ts"
import type { Runtime, WorkerLaunch } from "../../src/workers/runtimes/port.ts"
import { makeTmuxRuntime } from "../../src/workers/runtimes/tmux/make-tmux-runtime.ts"
import { logFileOf } from "../../src/workers/swarm/places.ts"
import { spawnWorkers } from "../../src/workers/swarm/spawn-workers.ts"
import { stopWorkers } from "../../src/workers/swarm/stop-workers.ts"
import { type RuntimeName, workerLaunch } from "../../src/workers/swarm/worker-launch.ts"
import { listKnownWorkers } from "../../src/workers/swarm/worker-processes.ts"
import { sandboxEnv } from "../support/sandbox.ts"
import { allEvents, context as contextOf, getTask, makeTask, makeTeam, refusal, run, until } from "../support/stores.ts"
import { setUpWorkspaces, WORKSPACE_TEAM, type WorkspaceSetup } from "../support/workspaces.ts"

const MACHINE = "here"
const MAIN = join(import.meta.dir, "../../src/bin/main.ts")

describe("workers started by hand", () => {
  let world: WorkspaceSetup
  let context: Context
  let key: number
  /** That the store's clock is ahead of this machine's. */
  let laterMs: number
  const runtimes: Runtime[] = []
  beforeEach(async () => {
    world = await setUpWorkspaces()
    laterMs = 0
    const clock = { now: () => Date.now() + laterMs }
    const store = await openSqliteStore({ path: join(world.home, "teamwork.db"), clock })
    context = contextOf(store)
    key = (await makeTeam(store, WORKSPACE_TEAM)).key
    await makeTask(store, key, "1", { role: "backend" })
  })
  afterEach(async () => {
    const workers = (await swarmStatus.run(context, WORKSPACE_TEAM)).workers
    for (const runtime of runtimes.splice(0)) {
      for (const { id } of workers) await runtime.stop(id, null, { graceMs: 0 })
      await runtime[Symbol.asyncDispose]()
    }
    await context.store[Symbol.asyncDispose]()
    world[Symbol.dispose]()
  })

  const open = (name: RuntimeName) => {
    const setup = { owner: [world.home, "shop", "main"] as const, clock: systemClock, env: sandboxEnv() }
    const runtime = name === "tmux" ? makeTmuxRuntime(setup) : makeChildRuntime(setup)
    runtimes.push(runtime)
    return runtime
  }
  /** As the real one is started, but for the program. */
  const launchWith = (line: string, name: RuntimeName = "child") => {
    const env = sandboxEnv({ TEAMWORK_TEST_BASE_DIR: world.home, HOME: world.home })
    const facts = { ...WORKSPACE_TEAM, home: world.home, self: [], env, folder: world.repository.path, runtime: name }
    return (worker: WorkerId, role: Role | null): WorkerLaunch => {
      const launch = workerLaunch({ ...facts, isManaged: false }, worker, role)
      const setUp = `"$0" "${MAIN}" worker setup --project shop --team main --worker-id ${worker}`
      return { ...launch, command: ["sh", "-c", line.replace("SETUP", setUp), process.execPath, ...launch.command] }
    }
  }
  const WORKS = 'SETUP; echo "args: $*"; exec sleep 600'
  const request = { ...WORKSPACE_TEAM, maxAgents: 5, machine: MACHINE, worktrees: null }
  const started = async (id: string, pid: number, runtime: string) => {
    const { start } = identityOf(pid)
    const data = { worker: parseWorkerId(id), role: null, runtime, machine: MACHINE, pid, process_start: start }
    await noteWorkerStarted(context, { ...WORKSPACE_TEAM, ...data })
  }
  const stop = (worker: string | null, graceMs = 0) =>
    stopWorkers(context, {
      ...{ ...WORKSPACE_TEAM, worker: worker === null ? null : parseWorkerId(worker), graceMs, machine: MACHINE },
      ...{ runtime: async (name: RuntimeName) => open(name), workspaces: world },
    })

  it.each(["child", "tmux"] as const)("are told their team, role and runtime (%s)", async (name) => {
    const roles = ["backend", null] as const
    const spawned = await spawnWorkers(context, open(name), { ...request, roles, launch: launchWith(WORKS, name) })
    expect(spawned.map(({ id, role, status, detail }) => ({ id, role, status, detail }))).toEqual([
      { id: parseWorkerId("w1"), role: "backend", status: "running", detail: null },
      { id: parseWorkerId("w2"), role: null, status: "running", detail: null },
    ])
    const log = () => readFileSync(logFileOf(world.home, WORKSPACE_TEAM, "w1"), "utf8")
    await until(async () => log().includes("args:"))
    expect(log()).toMatch(/args: worker --worker-id w1 --project shop --team main --role backend\r?\n/)
    const { workers } = await swarmStatus.run(context, WORKSPACE_TEAM)
    expect(workers.map(({ id, role, status }) => ({ id: String(id), role, status }))).toEqual([
      { id: "w1", role: "backend", status: "idle" },
      { id: "w2", role: null, status: "idle" },
    ])
    expect(workers.map(({ pane }) => pane)).toEqual(spawned.map(({ pane }) => pane))
    expect(spawned.every(({ pane }) => (pane === null) === (name === "child"))).toBe(true)
    // Known by the word of whoever started them: they have not said themselves which processes they are.
    expect(await listKnownWorkers(context, WORKSPACE_TEAM, MACHINE)).toMatchObject(
      spawned.map(({ id, pid }) => ({ id, runtime: name, state: "running", machine: MACHINE, process: { pid } })),
    )
  })

  it("get a worktree at once where that is asked for", async () => {
    const [worker] = await spawnWorkers(context, open("child"), {
      ...{ ...request, roles: [null], launch: launchWith(WORKS), worktrees: world },
    })
    expect(worker).toMatchObject({ worktree: world.workspaces.pathOf("w1"), branch: "teamwork/shop/main/w1" })
    expect(existsSync(world.workspaces.pathOf("w1"))).toBe(true)
  })

  it("that end at once are told with their last word", async () => {
    const launch = launchWith("echo one; echo no agent found >&2; exit 1")
    const [worker] = await spawnWorkers(context, open("child"), { ...request, roles: [null], launch })
    expect(worker).toMatchObject({ status: "ended", detail: "no agent found" })
    expect((await swarmStatus.run(context, WORKSPACE_TEAM)).workers).toMatchObject([{ id: "w1", status: "dead" }])
    expect((await allEvents(context.store, key)).at(-1)).toMatchObject({
      type: "worker.exited",
      data: { worker: "w1", reason: "crashed", detail: "no agent found" },
    })
  })

  it("that cannot be started leave no trace but an entry that they did not run", async () => {
    const launch = (worker: WorkerId) => ({ ...launchWith(WORKS)(worker, null), command: ["no-such-program"] })
    const error = await refusal(spawnWorkers(context, open("child"), { ...request, roles: [null], launch }))
    expect(error).toMatchObject({
      code: "runtime.failed",
      message: "w1 cannot be started: no-such-program was not found",
    })
    expect((await swarmStatus.run(context, WORKSPACE_TEAM)).workers).toMatchObject([{ id: "w1", status: "dead" }])
  })

  it("are not more than team.maxAgents, those that ended not counted", async () => {
    await spawnWorkers(context, open("child"), { ...request, roles: [null], launch: launchWith("exit 0") })
    await spawnWorkers(context, open("child"), { ...request, roles: [null], launch: launchWith(WORKS) })
    await started("w2", process.pid, "child")
    const more = { ...request, maxAgents: 2, roles: [null, null], launch: launchWith(WORKS) }
    const error = await refusal(spawnWorkers(context, open("child"), more))
    expect(error).toMatchObject({
      code: "input.invalid",
      message:
        "1 worker runs, and team.maxAgents is 2: no room for 2 more; raise it with: teamwork config set --key team.maxAgents --value 3",
    })
    expect((await swarmStatus.run(context, WORKSPACE_TEAM)).workers).toHaveLength(2)
  })

  it.each(["child", "tmux"] as const)(
    "are stopped: claims go back, commits are kept, worktrees go (%s)",
    async (name) => {
      const runtime = open(name)
      const [worker] = await spawnWorkers(context, runtime, {
        ...{ ...request, roles: ["backend"], launch: launchWith(WORKS, name), worktrees: world },
      })
      const pid = worker?.pid ?? 0
      await started("w1", pid, name)
      await run(context, claimTask, { ...WORKSPACE_TEAM, id: "1", owner: "w1" })
      const tree = world.tree("w1")
      const head = tree.commit("Work", { "done.txt": "done\n" })
      tree.write({ "half.txt": "half\n" })
      const [stopped] = await stop("w1")
      expect(stopped).toMatchObject({ id: "w1", wasRunning: true, released: ["1"], worktree: tree.path })
      expect(runtime.isRunning({ pid, processStart: identityOf(pid).start })).toBe(false)
      expect(existsSync(tree.path)).toBe(false)
      const pinned = await world.pinned()
      expect(pinned["1/1/head"]).toBe(head)
      expect(pinned["1/1/leftovers"]).toBeDefined()
      expect(stopped?.pins).toContain("refs/teamwork/shop/main/1/1/head")
      expect(await getTask(context.store, key, "1")).toMatchObject({ status: "open", claimedBy: null })
      expect((await swarmStatus.run(context, WORKSPACE_TEAM)).workers).toMatchObject([
        { id: "w1", status: "stopped", pane: null, worktree: null },
      ])
      expect((await runtime.findLeft(["w1"])).size).toBe(0)
      expect(await stop("w1")).toMatchObject([{ wasRunning: false, released: [], worktree: null }])
    },
  )

  it("are all stopped together, but neither those of people nor those of other machines", async () => {
    const runtime = open("child")
    const spawned = await spawnWorkers(context, runtime, { ...request, roles: [null, null], launch: launchWith(WORKS) })
    for (const { id, pid } of spawned) await started(id, pid, "child")
    await run(context, claimTask, { ...WORKSPACE_TEAM, id: "1", owner: "ann" })
    const far = {
      worker: parseWorkerId("far"),
      role: null,
      runtime: "child",
      machine: "elsewhere",
      pid: 1,
      process_start: "x",
    }
    await noteWorkerStarted(context, { ...WORKSPACE_TEAM, ...far })
    expect((await stop(null)).map(({ id }) => String(id))).toEqual(["w1", "w2"])
    expect(await getTask(context.store, key, "1")).toMatchObject({ status: "in_progress", claimedBy: "ann" })
    expect(await stop(null)).toEqual([])
    expect(await refusal(stop("far"))).toMatchObject({
      code: "worker.unavailable",
      message: "far runs on elsewhere; stop it there",
    })
    for (const nobody of ["ann", "w9"]) expect(await refusal(stop(nobody))).toMatchObject({ code: "worker.not_found" })
  })

  it("that were killed are stopped as well: what they left ends, what they held goes back", async () => {
    const [worker] = await spawnWorkers(context, open("child"), {
      ...{ ...request, roles: [null], launch: launchWith("(setsid sleep 600 &); SETUP; echo ready; exec sleep 600") },
    })
    // The process that set it up would count as left behind, as long as it is not quite gone.
    await until(async () => readFileSync(logFileOf(world.home, WORKSPACE_TEAM, "w1"), "utf8").includes("ready\n"))
    await started("w1", worker?.pid ?? 0, "child")
    await run(context, claimTask, { ...WORKSPACE_TEAM, id: "1", owner: "w1" })
    process.kill(worker?.pid ?? 0, "SIGKILL")
    await until(async () => (await listKnownWorkers(context, WORKSPACE_TEAM, MACHINE))[0]?.state === "gone")
    expect((await open("child").findLeft(["w1"])).get("w1")).toHaveLength(1)
    expect(await stop("w1")).toMatchObject([{ id: "w1", wasRunning: false, released: ["1"] }])
    expect((await open("child").findLeft(["w1"])).size).toBe(0)
  })

  it("are taken for dead when they never came up", async () => {
    await spawnWorker(context, { ...WORKSPACE_TEAM, id: null, role: null })
    const state = async () => (await listKnownWorkers(context, WORKSPACE_TEAM, MACHINE))[0]?.state
    expect(await state()).toBe("spawning")
    laterMs = 120_000
    expect(await state()).toBe("gone")
  })

  it("keep the address of a store off the command line", () => {
    const facts = { ...WORKSPACE_TEAM, home: "/home", self: ["teamwork"], env: { A: "1" }, folder: "/shop" }
    const store = "postgres://ann:secret@db/x"
    const launch = workerLaunch({ ...facts, runtime: "tmux", isManaged: true, store }, parseWorkerId("w1"), "backend")
    expect(launch).toEqual({
      worker: "w1",
      title: "backend-w1",
      command: [..."teamwork worker --worker-id w1 --project shop --team main --role backend --managed".split(" ")],
      env: { A: "1", TEAMWORK_ENGINE_RUNTIME: "tmux", TEAMWORK_STORE: store },
      cwd: "/shop",
      logFile: "/home/logs/shop/main/w1.log",
    })
  })
})
