// What ends a worker or its work on a task before its time (R083, R117, R140, R142): nothing that was done is lost, and
// whoever comes next goes on from there.

import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { claude } from "../../src/agents/claude/program.ts"
import { parseWorkerId } from "../../src/kernel/ids.ts"
import { systemLiveProcesses } from "../../src/lib/process/live-process.ts"
import { identityOf } from "../../src/lib/process/process-identity.ts"
import { sendMessage } from "../../src/messages/operations/send-message.ts"
import { decide, escalate } from "../../src/requests/operations/escalations.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { releaseTask } from "../../src/tasks/operations/release-task.ts"
import { pause, resume } from "../../src/teams/operations/pause.ts"
import { cancelTeam } from "../../src/teams/operations/steer-team.ts"
import { agentMark } from "../../src/workers/loop/orphans.ts"
import type { WorkerPorts } from "../../src/workers/loop/worker-ports.ts"
import { setupWorker } from "../../src/workers/operations/setup-worker.ts"
import { noteWorkerStarted, quarantineWorker } from "../../src/workers/operations/worker-life.ts"
import { fixtureAgent } from "../support/agents.ts"
import { processesWith } from "../support/processes.ts"
import { sandboxEnv } from "../support/sandbox.ts"
import { refusal, run, until } from "../support/stores.ts"
import { HERE, setUpWorker, type WorkerSetup } from "../support/worker.ts"
import { WORKSPACE_TEAM } from "../support/workspaces.ts"

setDefaultTimeout(30_000)

/** The fixture commits something, writes another file, and waits for `go` in the home, which may never come. */
const WAITING = { description: "[[half]]", agent: "claude", check: ["grep half b.txt"] }
const makeWorld = () => setUpWorker({ agents: [fixtureAgent(claude)] })

async function startWaiting(world: WorkerSetup, more: Parameters<WorkerSetup["work"]> = []) {
  await world.create("1", WAITING)
  const working = world.work(...more)
  await untilItWaits(world)
  return { working }
}

const untilItWaits = (world: WorkerSetup) =>
  until(async () => existsSync(join(world.home, "waits")), "something to run")

const go = (world: WorkerSetup) => writeFileSync(join(world.home, "go"), "")
const headOf = async (world: WorkerSetup, id = "1") => (await world.git.pinned())[`${id}/1/head`] ?? ""

describe("a worker that is told to end", () => {
  it("finishes its task when it is drained, and takes no other", async () => {
    await using world = await makeWorld()
    const drain = new AbortController()
    await world.create("2", { run: ["true"], blockedBy: [] })
    await run(world.context, pause, { ...WORKSPACE_TEAM, task: "2" })
    const { working } = await startWaiting(world, [{ once: false, loop: true }, { drain: drain.signal }])
    await run(world.context, resume, { ...WORKSPACE_TEAM, task: "2" })
    drain.abort()
    go(world)
    expect(await working).toMatchObject({ reason: "drained", delivered: ["1"], setBack: [] })
    expect(await world.task("2")).toMatchObject({ status: "open" })
    expect(await world.events("worker.exited")).toMatchObject([{ data: { reason: "stopped", detail: "drained" } }])
  })

  it("sets its task back when there is no more time, and the next one goes on from there", async () => {
    await using world = await makeWorld()
    const drain = new AbortController()
    const { working } = await startWaiting(world, [{ settings: { shutdownTimeoutMs: 50 } }, { drain: drain.signal }])
    drain.abort()
    expect(await working).toMatchObject({ reason: "drained", delivered: [], setBack: ["1"] })
    expect(await world.task("1")).toMatchObject({ status: "open", attempt: 1 })
    expect(await world.events("task.setback")).toMatchObject([{ data: { kind: "interrupted", agent: "claude" } }])
    const pins = await world.git.pinned()
    expect(Object.keys(pins).sort()).toEqual(["1/1/base", "1/1/head", "1/1/leftovers"])
    go(world)
    expect(await world.work({ workerId: "w2" })).toMatchObject({ delivered: ["1"] })
    const { repository } = world.git
    const head = await headOf(world)
    repository.run("merge-base", "--is-ancestor", pins["1/1/leftovers"] ?? "", head)
    expect(repository.run("show", `${head}:c.txt`)).toBe("not committed\nnot committed")
  })

  it("stops at once when it is told so, whatever it does", async () => {
    await using world = await makeWorld()
    const stop = new AbortController()
    const { working } = await startWaiting(world, [{}, { stop: stop.signal }])
    stop.abort()
    expect(await working).toMatchObject({ reason: "stopped", setBack: ["1"] })
    expect(processesWith(agentMark({ ...WORKSPACE_TEAM, home: world.home, worker: "w1" }))).toEqual([])
    expect(await world.task("1")).toMatchObject({ status: "open" })
  })

  it("stops while its work is judged", async () => {
    await using world = await makeWorld()
    const stop = new AbortController()
    const check = `touch '${world.home}/waits'; until test -f '${world.home}/go'; do sleep 0.02; done`
    await world.create("1", { run: ["echo b > b.txt"], check: [check] })
    const working = world.work({}, { stop: stop.signal })
    await untilItWaits(world)
    stop.abort()
    expect(await working).toMatchObject({ reason: "stopped", setBack: ["1"] })
    expect(await world.events("task.setback")).toMatchObject([{ data: { kind: "interrupted" } }])
    expect(world.git.repository.run("show", `${await headOf(world)}:b.txt`)).toBe("b")
  })

  const ask = (world: WorkerSetup) =>
    run(world.context, sendMessage, {
      ...{ ...WORKSPACE_TEAM, from: "orchestrator", to: "w1", type: "shutdown_request" },
      payload: { request_id: "r7", reason: "enough" },
    })
  const answers = async (world: WorkerSetup) =>
    (await world.inbox("orchestrator")).filter(({ type }) => type === "shutdown_response")

  it("answers a request of the lead and ends, before it takes a task, while it waits and while it works", async () => {
    await using world = await makeWorld()
    await run(world.context, setupWorker, { ...WORKSPACE_TEAM, workerId: "w1" })
    await ask(world)
    await world.create("1", WAITING)
    expect(await world.work({ workerId: "w1", once: false, loop: true })).toMatchObject({
      reason: "shutdown",
      delivered: [],
    })
    expect(await answers(world)).toMatchObject([{ from: "w1", payload: { request_id: "r7", approved: true } }])
    expect((await world.inbox("w1")).map(({ read }) => read)).toEqual([true])

    const working = world.work({ workerId: "w1", once: false, loop: true })
    await untilItWaits(world)
    await ask(world)
    await until(async () => (await answers(world)).length === 2, "the answer")
    go(world)
    expect(await working).toMatchObject({ reason: "shutdown", delivered: ["1"] })

    const waiting = world.work({ workerId: "w1", once: false, loop: true })
    await until(async () => world.said.some((line) => line.startsWith("No available tasks")), "it to wait")
    await ask(world)
    expect(await waiting).toMatchObject({ reason: "shutdown", delivered: [] })
    expect(await answers(world)).toHaveLength(3)
  })

  it("tells how it stands when the lead asks", async () => {
    await using world = await makeWorld()
    const { working } = await startWaiting(world)
    await run(world.context, sendMessage, {
      ...WORKSPACE_TEAM,
      from: "orchestrator",
      to: "w1",
      message: "STATUS CHECK: task 1",
    })
    const statuses = async () =>
      (await world.inbox("orchestrator"))
        .map(({ payload }) => String(payload.message))
        .filter((text) => text.startsWith("STATUS: "))
    await until(async () => (await statuses()).length > 0, "the answer")
    expect(await statuses()).toEqual([
      expect.stringMatching(/^STATUS: task 1, claude has been at it for \d+ s and was last heard of \d+ s ago$/),
    ])
    go(world)
    expect(await working).toMatchObject({ delivered: ["1"] })
  })

  it("ends with its team when it is managed, and waits on otherwise", async () => {
    await using world = await makeWorld()
    await world.context.store.write((tx) => tx.teams.update(world.key, { status: "cancelled" }))
    expect(await world.work({ once: false, loop: true, isManaged: true })).toMatchObject({ reason: "over" })
    const drain = new AbortController()
    const say = (line: string) => void (line.startsWith("No available tasks") && drain.abort())
    expect(await world.work({ once: false, loop: true }, { say, drain: drain.signal })).toMatchObject({
      reason: "drained",
    })
  })

  it("waits while it is in quarantine", async () => {
    await using world = await makeWorld()
    await run(world.context, setupWorker, { ...WORKSPACE_TEAM, workerId: "w1" })
    await quarantineWorker(world.context, {
      ...WORKSPACE_TEAM,
      worker: parseWorkerId("w1"),
      reason: "too many errors",
      by: "orchestrator",
    })
    await world.create("1", { run: ["echo b > b.txt"] })
    const working = world.work({ workerId: "w1", loop: true })
    await until(async () => world.said.some((line) => line.startsWith("No available tasks")), "it to wait")
    expect(await world.task("1")).toMatchObject({ status: "open" })
    await run(world.context, resume, { ...WORKSPACE_TEAM, workerId: "w1" })
    expect(await working).toMatchObject({ delivered: ["1"] })
  })
})

describe("F052: a task that is taken away while its agent runs", () => {
  /** The claim is renewed every half hour: only the store's own notice can end the agent before the test gives up. */
  const settings = { renewSeconds: 1800, leaseSeconds: 7200 }

  it.each([
    ["paused", (world: WorkerSetup) => run(world.context, pause, { ...WORKSPACE_TEAM, task: "1" })],
    [
      "escalated",
      (world: WorkerSetup) =>
        run(world.context, escalate, { ...WORKSPACE_TEAM, task: "1", trigger: "scope_change", summary: "Which one?" }),
    ],
  ] as const)("ends the agent at once when it is %s, with what it did pinned", async (_, stop) => {
    await using world = await makeWorld()
    const { working } = await startWaiting(world, [{ settings }])
    await stop(world)
    expect(await working).toMatchObject({ reason: "once", delivered: [], setBack: [] })
    expect(processesWith(agentMark({ ...WORKSPACE_TEAM, home: world.home, worker: "w1" }))).toEqual([])
    expect(await world.task("1")).toMatchObject({ status: "paused" })
    expect(Object.keys(await world.git.pinned())).toContain("1/1/head")
  })

  it("ends the agent at once when the team is cancelled", async () => {
    await using world = await makeWorld()
    const { working } = await startWaiting(world, [{ settings }])
    await cancelTeam(world.context, WORKSPACE_TEAM, "no longer wanted")
    expect(await working).toMatchObject({ delivered: [] })
    expect(processesWith(agentMark({ ...WORKSPACE_TEAM, home: world.home, worker: "w1" }))).toEqual([])
  })

  it("goes on when only the team is paused: nobody takes another task", async () => {
    await using world = await makeWorld()
    const { working } = await startWaiting(world, [{ settings }])
    await run(world.context, pause, WORKSPACE_TEAM)
    go(world)
    expect(await working).toMatchObject({ delivered: ["1"] })
  })
})

describe("a claim that is lost", () => {
  it("ends the agent and writes nothing more, and cannot take the place of whoever has the task now", async () => {
    await using world = await makeWorld()
    const { working } = await startWaiting(world, [{ settings: { renewSeconds: 0.02 } }])
    await run(world.context, releaseTask, { ...WORKSPACE_TEAM, id: "1", reason: "given to another" })
    await run(world.context, claimTask, { ...WORKSPACE_TEAM, id: "1", owner: "w9" })
    expect(await working).toMatchObject({ reason: "once", delivered: [], setBack: [] })
    expect(processesWith(agentMark({ ...WORKSPACE_TEAM, home: world.home, worker: "w1" }))).toEqual([])
    const types = (await world.events()).map(({ type }) => type)
    // Whether it notices before or after the other one has the task is up to the two.
    const isOwnEnd = (type: string) => type === "run.ended" || type === "task.step"
    const later = types.slice(types.indexOf("task.released") + 1).filter((type) => !isOwnEnd(type))
    expect(later.toSorted()).toEqual(["task.claimed", "worker.exited"])
    expect(await world.task("1")).toMatchObject({ status: "in_progress", claimedBy: "w9" })
    expect(await world.git.pinned()).toEqual({})

    await run(world.context, releaseTask, { ...WORKSPACE_TEAM, id: "1" })
    go(world)
    expect(await world.work({ workerId: "w2" })).toMatchObject({ delivered: ["1"] })
    const head = await headOf(world)
    await world.create("2", { run: ["echo d > d.txt"] })
    expect(await world.work({ workerId: "w1" })).toMatchObject({ delivered: ["2"] })
    expect(await headOf(world)).toBe(head)
    expect(Object.keys(await world.git.pinned())).toContain("workers/w1/1/leftovers")
  })
})

describe("a worker whose process died", () => {
  /** As if it had been killed in the middle: it held the task, and its worktree and an agent are still there. */
  async function leaveBehind(world: WorkerSetup, name: string) {
    const worker = parseWorkerId(name)
    await world.create("1", { ...WAITING, check: ["grep rest b.txt"] })
    go(world)
    await run(world.context, claimTask, { ...WORKSPACE_TEAM, id: "1", owner: worker, leaseSeconds: 0.001 })
    await world.git.workspaces.move({ worker, attempt: { task: "1", attempt: 1 } })
    world.git.tree(worker).commit("By hand", { "b.txt": "by hand\n" })
    world.git.tree(worker).write({ "c.txt": "left\n" })
    const dead = Bun.spawnSync(["sh", "-c", "echo $$"], { env: sandboxEnv() })
    const process = { runtime: "child", machine: HERE, pid: Number(dead.stdout.toString()), process_start: "long ago" }
    await noteWorkerStarted(world.context, { ...WORKSPACE_TEAM, worker, role: null, ...process })
    const mark = agentMark({ ...WORKSPACE_TEAM, home: world.home, worker })
    const agent = systemLiveProcesses.start({
      ...{ command: ["sh", "-c", "while :; do sleep 1; done"], cwd: "/", input: null },
      env: { ...sandboxEnv(), [mark]: "1" },
    })
    if ("whyNot" in agent) throw new Error(agent.whyNot)
    return mark
  }

  const checkOutcome = async (world: WorkerSetup, mark: string) => {
    expect(processesWith(mark)).toEqual([])
    expect(await world.task("1")).toMatchObject({ status: "resolved", attempt: 1 })
    const { repository } = world.git
    const head = await headOf(world)
    expect(repository.run("show", `${head}:b.txt`)).toBe("by hand\nhalf\nrest")
    expect(repository.run("show", `${head}:c.txt`)).toBe("left\nnot committed")
    expect(repository.run("log", "--format=%s", head)).toContain("By hand")
  }

  it("is followed by another that ends its agent and goes on from its files", async () => {
    await using world = await makeWorld()
    const mark = await leaveBehind(world, "w1")
    expect(await world.work({ workerId: "w2" })).toMatchObject({ delivered: ["1"] })
    await checkOutcome(world, mark)
    const head = await headOf(world)
    await world.create("2", { run: ["echo d > d.txt"] })
    expect(await world.work({ workerId: "w1" })).toMatchObject({ delivered: ["2"] })
    expect(await headOf(world)).toBe(head)
  })

  it("goes on by itself when it is started anew, even while its claim holds", async () => {
    await using world = await makeWorld()
    const mark = await leaveBehind(world, "w1")
    await run(world.context, claimTask, { ...WORKSPACE_TEAM, id: "1", owner: "w1", leaseSeconds: 600 })
    expect(await world.work({ workerId: "w1" })).toMatchObject({ worker: "w1", delivered: ["1"] })
    await checkOutcome(world, mark)
    expect((await world.events("task.claimed")).map(({ data }) => data.token)).toEqual([1])
  })

  it("is not taken for dead while it runs: nobody else works under its name", async () => {
    await using world = await makeWorld()
    const { pid, start } = identityOf(process.pid)
    const self = { runtime: "child", machine: HERE, pid, process_start: start }
    await noteWorkerStarted(world.context, { ...WORKSPACE_TEAM, worker: parseWorkerId("w1"), role: null, ...self })
    const error = await refusal(world.work({ workerId: "w1" }))
    expect(error).toMatchObject({ code: "worker.unavailable", message: expect.stringContaining(`as process ${pid}`) })
    expect(await world.work({ workerId: "w2" })).toMatchObject({ reason: "none" })
  })
})

describe("commands that were cut off", () => {
  it("start over, as nobody can tell how far they got; what they did is kept all the same", async () => {
    await using world = await makeWorld()
    const wait = `touch '${world.home}/waits'; until test -f '${world.home}/go'; do sleep 0.02; done`
    await world.create("1", { run: ["echo once >> b.txt", wait] })
    const stop = new AbortController()
    const working = world.work({}, { stop: stop.signal })
    await untilItWaits(world)
    stop.abort()
    expect(await working).toMatchObject({ setBack: ["1"] })
    const { "1/1/leftovers": leftovers = "" } = await world.git.pinned()
    expect(world.git.repository.run("show", `${leftovers}:b.txt`)).toBe("once")
    go(world)
    expect(await world.work({ workerId: "w2" })).toMatchObject({ delivered: ["1"] })
    expect(world.git.repository.run("show", `${await headOf(world)}:b.txt`)).toBe("once")
    expect(await world.git.pinned()).toMatchObject({ "1/1/leftovers": leftovers })
  })
})

describe("a place that cannot be worked in", () => {
  it("sets the task back with the reason", async () => {
    await using world = await makeWorld()
    const folder = world.git.workspaces.pathOf("w1")
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "mine.txt"), "somebody's\n")
    await world.create("1", { run: ["echo b > b.txt"] })
    expect(await world.work()).toMatchObject({ setBack: ["1"] })
    expect(await world.events("task.setback")).toMatchObject([
      {
        data: {
          kind: "workspace",
          agent: null,
          reason: expect.stringContaining("has files that teamwork did not make"),
        },
      },
    ])
  })
})

describe("a worker whose task is escalated", () => {
  it("stops, keeps what was done, and whoever goes on reads the decision and begins from there", async () => {
    await using world = await makeWorld()
    const { working } = await startWaiting(world, [{ workerId: "w1", settings: { renewSeconds: 0.05 } }])
    const asked = { ...WORKSPACE_TEAM, task: "1", trigger: "requirement_unclear", summary: "Half of what?" } as const
    await run(world.context, escalate, { ...asked, owner: "w1" })
    expect(await working).toMatchObject({ delivered: [], setBack: [] })
    expect(await world.task("1")).toMatchObject({ status: "paused" })
    const half = await headOf(world)
    expect(half).not.toBe("")
    await run(world.context, decide, { ...WORKSPACE_TEAM, number: 1, option: "retry", note: "Of the house" })
    go(world)
    const prompts: string[] = []
    const runAgent: WorkerPorts["runAgent"] = (request) => {
      prompts.push(request.job.prompt)
      return world.ports().runAgent(request)
    }
    expect(await world.work({ workerId: "w2" }, { runAgent })).toMatchObject({ delivered: ["1"] })
    expect(prompts[0]).toContain("WHAT WAS DECIDED ABOUT THIS TASK")
    expect(prompts[0]).toContain("Of the house")
    const { repository } = world.git
    expect(repository.run("merge-base", half, await headOf(world))).toBe(half)
  })
})
