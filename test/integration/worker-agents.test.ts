// Which agent a worker has do a task, what that is told, and what becomes of it when it does not work out (R066, R067,
// R085, R145-R151, R182).
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { existsSync } from "node:fs"
import { acp } from "../../src/agents/acp/program.ts"
import { claude } from "../../src/agents/claude/program.ts"
import { codex } from "../../src/agents/codex/program.ts"
import { gemini } from "../../src/agents/gemini/program.ts"
import { opencode } from "../../src/agents/opencode/program.ts"
import { noteAgentRun } from "../../src/agents/operations/agent-health.ts"
import type { Agent, AgentJob } from "../../src/agents/port.ts"
import { pinRef } from "../../src/kernel/branches.ts"
import { sendMessage } from "../../src/messages/operations/send-message.ts"
import { approve, listApprovals, reject } from "../../src/requests/operations/approvals.ts"
import { decide, listEscalations } from "../../src/requests/operations/escalations.ts"
import { noteRunProgress, noteRunStarted } from "../../src/tasks/operations/note-run.ts"
import { listEvidence } from "../../src/tasks/operations/record-evidence.ts"
import { updateTeam } from "../../src/teams/operations/update-team.ts"
import { agentMark } from "../../src/workers/loop/orphans.ts"
import type { RunRequest, WorkerPorts } from "../../src/workers/loop/worker-ports.ts"
import { setupWorker } from "../../src/workers/operations/setup-worker.ts"
import { fixtureAgent } from "../support/agents.ts"
import { run, until } from "../support/stores.ts"
import { setUpWorker, WORKER_SETTINGS, type WorkerSetup } from "../support/worker.ts"
import { WORKSPACE_TEAM } from "../support/workspaces.ts"

setDefaultTimeout(30_000)

const bothAgents = (): Agent[] => [fixtureAgent(claude), fixtureAgent(codex)]
/** A program that is not installed. */
const missing = (program: typeof codex) => fixtureAgent(program, { command: ["/nowhere/at-all"] })

interface Watched {
  readonly jobs: AgentJob[]
  readonly agents: string[]
  readonly ports: Partial<WorkerPorts>
}

/** Sees every run, and may do something in the worktree after it, as an agent with tools would. */
function watched(
  world: WorkerSetup,
  work: (request: RunRequest, turn: number) => Partial<AgentJob> | undefined = () => undefined,
): Watched {
  const jobs: AgentJob[] = []
  const agents: string[] = []
  const { runAgent } = world.ports()
  const ports: Partial<WorkerPorts> = {
    runAgent(request) {
      jobs.push(request.job)
      agents.push(request.agent.name)
      const change = work(request, jobs.length)
      return runAgent({ ...request, job: { ...request.job, ...change } })
    },
  }
  return { jobs, agents, ports }
}

const write = (world: WorkerSetup, text: string) => world.git.tree("w1").write({ "b.txt": `${text}\n` })

describe("how an agent reaches the team", () => {
  const REACH = { store: "sqlite:/state/teamwork.db", self: ["/opt/bun", "/opt/main.ts"], bin: "/state/bin" }

  async function jobOf(options: Parameters<WorkerSetup["work"]>[0]) {
    await using world = await setUpWorker({ agents: bothAgents() })
    await world.create("1", { description: "Add it. [[hello]]", files: ["*.txt"] })
    const { jobs, ports } = watched(world, () => void write(world, "b"))
    expect(await world.work(options, ports)).toMatchObject({ delivered: ["1"] })
    const [job] = jobs
    if (job === undefined) throw new Error("nobody was asked")
    const started = (await world.events("run.started"))[0]?.data ?? {}
    return { job, home: world.home, task: await world.task("1"), started }
  }

  it("costs words of teamwork's own, which are counted with the run", async () => {
    const plain = (await jobOf({})).started as Record<string, number>
    const { sent_tokens: sent = 0, own_tokens: own = 0 } = plain
    expect(own).toBeGreaterThan(300)
    expect(own).toBeLessThan(710)
    expect(sent).toBeGreaterThan(own)
    // Its tools are read as well.
    expect((await jobOf({ reach: REACH })).started.own_tokens).toBeGreaterThan(own + 2500)
  })

  it("is by our own MCP server as its worker, and by the command line, which finds the same store and team", async () => {
    const { job, home, task } = await jobOf({ reach: REACH })
    const reach = {
      TEAMWORK_HOME: home,
      TEAMWORK_STORE: REACH.store,
      TEAMWORK_PROJECT: WORKSPACE_TEAM.project,
      TEAMWORK_TEAM: WORKSPACE_TEAM.team,
      [agentMark({ ...WORKSPACE_TEAM, home, worker: "w1" })]: "1",
    }
    expect(job.mcpServers).toEqual({
      teamwork: { command: "/opt/bun", args: ["/opt/main.ts", "mcp", "--as", "w1", "--no-claims"], env: reach },
    })
    expect(job.env).toMatchObject(reach)
    expect(job.env.PATH).toStartWith("/state/bin:/")
    expect(job.prompt.match(/MCP server `teamwork`/g)).toHaveLength(1)
    expect(job.claim).toEqual({
      ...WORKSPACE_TEAM,
      run: 1,
      task: task.id,
      owner: "w1",
      token: task.claimToken,
      store: REACH.store,
    })
  })

  it("is by a server that runs no commands, for an agent that may not run any by itself", async () => {
    const { job } = await jobOf({ reach: REACH, settings: { permission: "edit" } })
    expect(job.mcpServers.teamwork?.args).toEqual(["/opt/main.ts", "mcp", "--as", "w1", "--no-claims", "--no-commands"])
  })

  it("is by the command line alone where the server is not wanted, and not at all where there is no way", async () => {
    const without = await jobOf({ reach: REACH, settings: { mcp: false } })
    expect(without.job.mcpServers).toEqual({})
    expect(without.job.env.TEAMWORK_STORE).toBe(REACH.store)
    expect(without.job.prompt).not.toContain("MCP server")
    const alone = await jobOf({})
    expect(alone.job.mcpServers).toEqual({})
    expect(alone.job.env.TEAMWORK_STORE).toBeUndefined()
    expect(alone.job.claim).toBeUndefined()
  })
})

describe("the checks that an agent runs", () => {
  it.each([claude, codex, gemini, opencode, acp])("are observed evidence, of $name too", async (program) => {
    await using world = await setUpWorker({ agents: [fixtureAgent(program)] })
    await world.create("1", { description: "[[twice]]", agent: program.name, check: ["true"] })
    const { ports } = watched(world, () => void write(world, "b"))
    expect(await world.work({}, ports)).toMatchObject({ delivered: ["1"] })
    const seen = (await run(world.context, listEvidence, { ...WORKSPACE_TEAM, id: "1" })).filter(
      ({ trust }) => trust === "observed",
    )
    expect(seen).toMatchObject([{ type: "command", by: "w1", attempt: 1, facts: { command: "true" } }])
  })
})

describe("who does a task", () => {
  it("is the agent of the route, told of the task, with the model of its complexity and the effort of its role", async () => {
    await using world = await setUpWorker({ agents: bothAgents() })
    await world.create("1", {
      description: "Add the database endpoint. [[hello]]",
      complexity: "complex",
      files: ["*.txt"],
    })
    const { jobs, agents, ports } = watched(world, () => void write(world, "b"))
    expect(await world.work({}, ports)).toMatchObject({ delivered: ["1"] })
    expect(agents).toEqual(["codex"])
    const [job] = jobs
    expect(job).toMatchObject({
      tier: "opus",
      effort: "high",
      model: null,
      permission: "full",
      commands: [],
      resume: null,
    })
    expect(job?.ownership).toMatchObject({ task: { id: "1", files: ["*.txt"] } })
    expect(job?.limits).toMatchObject({ timeMs: 1_800_000, tokens: null, dollars: null })
    expect(job?.workspace).toBe(world.git.workspaces.pathOf("w1"))
    expect(job?.prompt).toMatch(/^# TASK\n\nTask 1: Task 1\n\nAdd the database endpoint\. \[\[hello\]\]/)
    expect(job?.prompt).toContain(`Root: ${job?.workspace}`)
    expect(await world.task("1")).toMatchObject({ result: "all done\n\nBy codex: 1 file changed: b.txt." })
  })

  it("is the agent that the task names, with its model and effort; who only reads may not write", async () => {
    await using world = await setUpWorker({ agents: bothAgents() })
    await world.create("1", {
      ...{ description: "[[hello]]", role: "review", agent: "claude" },
      model: "big",
      effort: "low",
    })
    const { jobs, agents, ports } = watched(world)
    expect(await world.work({}, ports)).toMatchObject({ delivered: ["1"] })
    expect(agents).toEqual(["claude"])
    expect(jobs).toMatchObject([{ model: "big", effort: "low", permission: "ask" }])
    expect(await world.events("run.ended")).toMatchObject([
      {
        data: { agent: "claude", input_tokens: 200, output_tokens: 40, dollars: 0.0016, dollars_are_estimated: false },
      },
    ])
  })

  it("is another when the named one is not installed, not known, or cannot take it", async () => {
    await using world = await setUpWorker({ agents: [fixtureAgent(claude), missing(codex)] })
    const { agents, ports } = watched(world)
    for (const [id, agent, kind] of [
      ["1", "codex", "not-found"],
      ["2", "nobody", "not-found"],
    ] as const) {
      await world.create(id, { description: "[[hello]]", role: "review", agent, model: "its-own" })
      expect(await world.work({}, ports)).toMatchObject({ setBack: [id] })
      expect((await world.events("task.setback")).at(-1)).toMatchObject({ data: { task: id, agent, kind } })
      expect(await world.work({}, ports)).toMatchObject({ delivered: [id] })
    }
    expect(agents).toEqual(["codex", "claude", "claude"])
    expect((await world.events("run.started")).map(({ data }) => data.model)).toEqual(["its-own", null, null])
  })

  it("is nobody where no agent is left, which is said", async () => {
    await using world = await setUpWorker({ agents: [missing(codex)] })
    await world.create("1", { description: "[[hello]]" })
    expect(await world.work()).toMatchObject({ setBack: ["1"] })
    expect(await world.events("task.setback")).toMatchObject([
      { data: { kind: "not-found", agent: null, reason: expect.stringContaining("no agent can take it: ") } },
    ])
  })

  it("is another after a task was too large for one", async () => {
    await using world = await setUpWorker({ agents: bothAgents() })
    await world.create("1", { description: "[[overflow]]", role: "review", agent: "claude" })
    const { agents, ports } = watched(world, ({ agent }) =>
      agent.name === "codex" ? { prompt: "[[hello]]" } : undefined,
    )
    expect(await world.work({}, ports)).toMatchObject({ setBack: ["1"] })
    expect(await world.events("task.setback")).toMatchObject([{ data: { kind: "context-overflow", agent: "claude" } }])
    expect(await world.work({}, ports)).toMatchObject({ delivered: ["1"] })
    expect(agents).toEqual(["claude", "codex"])
  })
})

describe("an agent at its rate limit", () => {
  it("is followed by another that goes on from its work", async () => {
    await using world = await setUpWorker({ agents: bothAgents() })
    await world.create("1", { description: "[[rate-limit]]", agent: "claude", check: ["grep more b.txt"] })
    const { agents, ports } = watched(world, ({ agent }) => {
      if (agent.name === "claude") return void write(world, "half")
      write(world, `${world.git.tree("w1").read("b.txt")}more`)
      return { prompt: "[[hello]]" }
    })
    expect(await world.work({ workerId: "w1" }, ports)).toMatchObject({ setBack: ["1"] })
    expect(await world.events("task.setback")).toMatchObject([{ data: { kind: "rate-limited", agent: "claude" } }])
    expect(await world.work({ workerId: "w1" }, ports)).toMatchObject({ delivered: ["1"] })
    expect(agents).toEqual(["claude", "codex"])
    const head = (await world.git.pinned())["1/1/head"] ?? ""
    expect(world.git.repository.run("show", `${head}:b.txt`)).toBe("half\nmore")
  })

  it("is waited for where there is no other, and the lead hears of a long wait", async () => {
    let now = Date.parse("2026-01-01T00:00:00.000Z")
    const clock = { now: () => now }
    const { renewSeconds } = WORKER_SETTINGS
    const sleep: WorkerPorts["sleep"] = async (ms, signal) => {
      // Nothing is renewed in this test: that goes on until the end.
      if (ms === renewSeconds * 1000)
        await new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()))
      else now += ms
    }
    await using world = await setUpWorker({ clock, agents: [fixtureAgent(claude)] })
    const limit = { ...WORKSPACE_TEAM, agent: "claude", runId: "x", reason: "rate-limited", error: "" } as const
    await noteAgentRun(world.context, { ...limit, durationMs: 0, fingerprint: null, waitMs: 300_000 })
    await world.create("1", { description: "[[hello]]", role: "review" })
    expect(await world.work({}, { sleep })).toMatchObject({ delivered: ["1"] })
    expect(now).toBeGreaterThanOrEqual(Date.parse("2026-01-01T00:05:00.000Z"))
    const told = (await world.inbox("orchestrator"))
      .map(({ payload }) => payload.message)
      .filter((text) => text !== undefined)
    expect(told).toEqual([
      expect.stringMatching(/^STATUS: task 1 waits until 2026-01-01T00:05:00.000Z: .*rate-limited/),
      expect.stringMatching(/^Completed task #1/),
    ])
    // A person could have decided otherwise while it lasted.
    expect(await world.events("record.added")).toMatchObject([
      { data: { kind: "escalation", task: "1", about: expect.stringMatching(/^rate_limited: task 1 waits until/) } },
    ])
    expect(await world.events("record.changed")).toMatchObject([{ by: "w1", data: { status: "withdrawn" } }])
  })
})

describe("an agent that ends with a question", () => {
  it("stops its task: nothing is judged, what it did is kept, and the next run reads the answer", async () => {
    await using world = await setUpWorker({ agents: [fixtureAgent(claude)] })
    await world.create("1", { description: "[[hello]]", agent: "claude", check: ["grep -x done b.txt"] })
    const first = watched(world, () => void write(world, "half"))
    const runAgent: WorkerPorts["runAgent"] = async (request) => {
      const result = await (first.ports.runAgent as WorkerPorts["runAgent"])(request)
      return { ...result, answer: "I began.\nESCALATE dependency_missing: where is the price list?" }
    }
    expect(await world.work({}, { runAgent })).toMatchObject({ delivered: [], setBack: [] })
    expect(first.jobs[0]?.prompt).toContain("ESCALATE TRIGGER: <what a person must decide")
    expect(await world.task("1")).toMatchObject({ status: "paused" })
    expect(await world.events("verdict.recorded")).toEqual([])
    const [raised] = await run(world.context, listEscalations, { ...WORKSPACE_TEAM })
    expect(raised).toMatchObject({ trigger: "dependency_missing", summary: "where is the price list?", raisedBy: "w1" })
    await run(world.context, decide, { ...WORKSPACE_TEAM, number: 1, option: "retry", note: "It is in b.txt" })
    const second = watched(world, () => void write(world, "done"))
    expect(await world.work({ workerId: "w1" }, second.ports)).toMatchObject({ delivered: ["1"] })
    expect(second.jobs[0]?.prompt).toContain("It is in b.txt")
    expect(second.jobs[0]?.prompt).not.toBe(first.jobs[0]?.prompt)
  })
})

describe("an agent whose work is sent back", () => {
  const create = (world: WorkerSetup) =>
    world.create("1", { description: "[[hello]]", agent: "claude", check: ["grep right b.txt"] })
  const work = (world: WorkerSetup) => (_: RunRequest, turn: number) => {
    write(world, turn === 1 ? "wrong" : "right")
    return turn === 1 ? undefined : { prompt: "[[hello]]" }
  }

  it("goes on with its session, and is told only what is wrong", async () => {
    await using world = await setUpWorker({ agents: [fixtureAgent(claude)] })
    await create(world)
    const { jobs, ports } = watched(world, work(world))
    expect(await world.work({}, ports)).toMatchObject({ delivered: ["1"] })
    expect(jobs[1]?.resume).toMatchObject({ id: expect.stringMatching(/^[0-9a-f-]{36}$/) })
    expect(jobs[1]?.prompt).toMatch(/^# YOUR WORK WAS SENT BACK\n/)
    expect(jobs[1]?.prompt).toContain("grep right b.txt exited with 1")
    expect(jobs[1]?.stateFolder).toBe(jobs[0]?.stateFolder ?? "")
  })

  it("is told everything anew where it has none", async () => {
    await using world = await setUpWorker({ agents: [fixtureAgent(claude)] })
    await create(world)
    const { jobs, ports } = watched(world, work(world))
    const { runAgent } = ports
    const forgets = { runAgent: async (request: RunRequest) => ({ ...(await runAgent?.(request)), session: null }) }
    expect(await world.work({}, forgets as Partial<WorkerPorts>)).toMatchObject({ delivered: ["1"] })
    expect(jobs[1]?.resume).toBeNull()
    expect(jobs[1]?.prompt).toMatch(/^# TASK\n(?:.*\n)*# YOUR WORK WAS SENT BACK\n/)
  })
})

describe("F024: the repair of a merge", () => {
  const PINNED = pinRef({ ...WORKSPACE_TEAM, run: 1 }, { taskId: "1", attempt: 1 }, "head")
  const FIX = { description: "both sides: [[hello]]", agent: "claude", check: ["true"] }

  /** The work of task 1, done by w1, and then its fix, which brings the work in. */
  async function repair(world: WorkerSetup, worker: string, fails?: (job: AgentJob) => boolean) {
    const bring = ({ job }: RunRequest, turn: number) => {
      if (fails?.(job) === true) return { prompt: "[[dies]]" }
      if (turn === 1) write(world, "done")
      else
        world.git.repository
          .at(job.workspace)
          .run("merge", "--quiet", "--no-edit", world.git.repository.run("rev-parse", PINNED).trim())
      return { prompt: "[[hello]]" }
    }
    await world.create("1", FIX)
    const seen = watched(world, bring)
    expect(await world.work({ workerId: "w1" }, seen.ports)).toMatchObject({ delivered: ["1"] })
    await world.create("fix-1-1", FIX)
    expect(await world.work({ workerId: worker }, seen.ports)).toMatchObject({ delivered: ["fix-1-1"] })
    return seen
  }

  it("goes on with the session that did the work, and is told both sides", async () => {
    await using world = await setUpWorker({ agents: bothAgents() })
    const { jobs } = await repair(world, "w1")
    expect(jobs).toHaveLength(2)
    expect(jobs[1]?.resume).toMatchObject({ id: expect.stringMatching(/^[0-9a-f-]{36}$/) })
    expect(jobs[1]?.prompt).toMatch(/^# YOUR WORK DOES NOT MERGE\n(?:.*\n)*.*both sides/)
    expect(jobs[1]?.stateFolder).toBe(jobs[0]?.stateFolder ?? "")
  })

  it("is a run like any other for another worker, and where the session is gone", async () => {
    await using other = await setUpWorker({ agents: bothAgents() })
    const { jobs } = await repair(other, "w2")
    expect(jobs[1]?.resume).toBeNull()
    expect(jobs[1]?.prompt).toMatch(/^# TASK\n/)
    await using gone = await setUpWorker({ agents: bothAgents() })
    const seen = await repair(gone, "w1", (job) => job.resume !== null)
    expect(seen.jobs.map((job) => job.resume !== null)).toEqual([false, true, false])
    expect(seen.jobs[2]?.prompt).toMatch(/^# TASK\n/)
    expect(seen.jobs[2]?.stateFolder).not.toBe(seen.jobs[0]?.stateFolder ?? "")
  })
})

describe("messages", () => {
  it("reach the agent by its prompt or while it runs, and count as read when it knows them", async () => {
    await using world = await setUpWorker({ agents: [fixtureAgent(claude)] })
    await world.create("1", { description: "[[listens]]", role: "review" })
    const send = (message: string) =>
      run(world.context, sendMessage, { ...WORKSPACE_TEAM, from: "w2", to: "w1", message })
    await run(world.context, setupWorker, { ...WORKSPACE_TEAM, workerId: "w1", role: "review" })
    await send("before")
    const { jobs, ports } = watched(world)
    const working = world.work({ workerId: "w1" }, ports)
    await until(async () => (await world.events("run.started")).length > 0, "the run")
    await send("first")
    await send("second")
    expect(await working).toMatchObject({ delivered: ["1"] })
    expect(jobs[0]?.prompt).toContain("before")
    const inbox = await world.inbox("w1")
    expect(inbox.map(({ payload, read }) => [payload.message, read])).toEqual([
      ["before", true],
      ["first", true],
      ["second", true],
    ])
    expect(await world.task("1")).toMatchObject({ result: expect.stringContaining("heard both") })
  })

  it("stay unread where the agent cannot take them", async () => {
    await using world = await setUpWorker()
    await world.create("1", { run: ["echo b > b.txt"] })
    await run(world.context, setupWorker, { ...WORKSPACE_TEAM, workerId: "w1" })
    await run(world.context, sendMessage, { ...WORKSPACE_TEAM, from: "w2", to: "w1", message: "hello" })
    expect(await world.work({ workerId: "w1" })).toMatchObject({ worker: "w1", delivered: ["1"] })
    expect(await world.inbox("w1")).toMatchObject([{ read: false }])
  })
})

describe("an agent that takes too long", () => {
  it("is stopped, and whoever tries next is told why it was and what to do otherwise", async () => {
    await using world = await setUpWorker({ agents: [fixtureAgent(claude)] })
    await world.create("1", { description: "[[hang]]", role: "review" })
    expect(await world.work({ settings: { agentTimeoutSeconds: 0.2 } })).toMatchObject({ setBack: ["1"] })
    const [setback] = await world.events("task.setback")
    expect(setback).toMatchObject({ data: { kind: "timed-out", agent: "claude" } })
    expect(setback?.data.reason).toMatch(
      /^claude stopped after 200 ms: hang \(no output for 0 s, the model did not answer; 0 uses of tools, 0 files written\)$/,
    )
    const { jobs, ports } = watched(world, () => ({ prompt: "[[hello]]" }))
    expect(await world.work({}, ports)).toMatchObject({ delivered: ["1"] })
    expect(jobs[0]?.prompt).toContain(`- set back by w1: ${setback?.data.reason}\n  Advice: ${setback?.data.advice}`)
    expect(jobs[0]?.prompt).not.toContain("given back by w1")
  })
})

describe("F041: a task that no agent can take", () => {
  it("names the cause that was seen, and what helps", async () => {
    await using world = await setUpWorker({ agents: [fixtureAgent(claude)] })
    await world.create("1", { description: "[[overflow]]", role: "review" })
    for (let n = 0; n < 6 && (await world.task("1")).status === "open"; n++) await world.work()
    const setbacks = (await world.events("task.setback")).map(({ data }) => data)
    for (const { kind, reason } of setbacks) {
      expect(kind).toBe("context-overflow")
      expect(reason).toContain("split the task")
      expect(reason).not.toContain("domain")
    }
    expect((await world.task("1")).status).toBe("failed")
  })

  it("asks a person to log in, and waits for that", async () => {
    await using world = await setUpWorker({ agents: [fixtureAgent(claude)] })
    await world.create("1", { description: "[[auth]]", role: "review" })
    expect(await world.work()).toMatchObject({ setBack: ["1"] })
    const stop = new AbortController()
    const working = world.work({}, { stop: stop.signal })
    const asked = async () => (await world.events("record.added")).filter(({ data }) => data.kind === "escalation")
    await until(async () => (await asked()).length > 0)
    stop.abort()
    await working
    const [setback] = await world.events("task.setback")
    expect(setback?.data.kind).toBe("auth")
    expect(setback?.data.reason).toContain("log in with: claude auth login")
    expect(JSON.stringify(await asked())).not.toContain("domain")
  })
})

describe("budgets", () => {
  it("F042: leave each run what is left of them, and ask once, whatever waits, when nothing is", async () => {
    await using world = await setUpWorker({ agents: [fixtureAgent(claude)] })
    const none = { tokens: 0, dollars: 0 }
    const budget = { task: { tokens: 0, dollars: 1 }, worker: none, team: { tokens: 300, dollars: 0 } }
    for (const id of ["1", "2", "3"]) await world.create(id, { description: "[[hello]]", role: "review" })
    const { jobs, ports } = watched(world)
    const work = () => world.work({ settings: { budget } }, ports)
    expect(await work()).toMatchObject({ delivered: ["1"] })
    expect(await work()).toMatchObject({ setBack: ["2"] })
    expect(jobs.map(({ limits }) => [limits.tokens, limits.dollars])).toEqual([
      [300, 1],
      [60, 1],
    ])
    expect(await world.events("task.setback")).toMatchObject([
      // How much of its answer is counted before it is stopped is a matter of time.
      {
        data: {
          task: "2",
          kind: "interrupted",
          reason: expect.stringMatching(/^the team's budget: (?:360|480) of 300 tokens are used up$/),
        },
      },
    ])
    // The task goes back as it is; the team waits for one answer.
    expect(await world.task("2")).toMatchObject({ status: "open" })
    expect(await world.events("team.paused")).toMatchObject([{ data: { trigger: "budget" } }])
    const raised = (await world.events("record.added")).filter(({ data }) => data.kind === "escalation")
    expect(raised).toMatchObject([{ data: { task: null } }])
    expect(jobs).toHaveLength(2)
  })

  it("of a task that are used up pause that task, and of a worker that worker", async () => {
    await using world = await setUpWorker({ agents: [fixtureAgent(claude)] })
    const none = { tokens: 0, dollars: 0 }
    const little = { tokens: 10, dollars: 0 }
    await world.create("1", { description: "[[hello]]", role: "review" })
    await world.create("2", { description: "[[hello]]", role: "review" })
    const { ports } = watched(world)
    await world.work({ settings: { budget: { task: little, worker: none, team: none } } }, ports)
    expect(await world.events("task.setback")).toMatchObject([{ data: { task: "1", kind: "budget" } }])
    expect(await world.task("1")).toMatchObject({ status: "paused", pausedFrom: "in_progress" })
    await world.work({ settings: { budget: { task: none, worker: little, team: none } } }, ports)
    expect(await world.task("2")).toMatchObject({ status: "open" })
    expect(await world.events("worker.quarantined")).toMatchObject([
      { data: { reason: expect.stringMatching(/^its budget: (?:120|240) of 10 tokens are used up$/) } },
    ])
  })

  it("of the team stop a run that has used up, with those of others, what it had left when it began", async () => {
    await using world = await setUpWorker({ agents: [fixtureAgent(claude)] })
    await world.create("1", { description: "[[hello]]", role: "review" })
    const other = { ...WORKSPACE_TEAM, run: "9-1-1", task: null, worker: "w9", agent: "codex" }
    let now = Date.now()
    const usage = { inputTokens: 90, outputTokens: 10, cachedTokens: 0, dollars: null }
    const ports: Partial<WorkerPorts> = {
      clock: { now: () => now },
      async runAgent({ options }) {
        await noteRunStarted(world.context, { ...other, attempt: null, model: null, turn: 1 })
        await noteRunProgress(world.context, { ...other, tokens: 250, dollars: null })
        now += 31_000
        await options.onEvent?.({ at: now, type: "usage", isTotal: false, ...usage })
        expect(options.signal?.aborted).toBe(true)
        const ended = { session: null, exitCode: null, signal: null, durationMs: 1, filesTouched: [], retryAt: null }
        return { ...ended, usage, reason: "cancelled", answer: "", structured: null, error: "stopped" }
      },
    }
    const none = { tokens: 0, dollars: 0 }
    const budget = { task: none, worker: none, team: { tokens: 300, dollars: 0 } }
    expect(await world.work({ settings: { budget } }, ports)).toMatchObject({ setBack: ["1"] })
    expect(await world.events("run.progress")).toMatchObject([{}, { data: { worker: "w1", tokens: 100 } }])
    expect(await world.events("team.paused")).toMatchObject([
      { data: { reason: "the team's budget: 350 of 300 tokens are used up", trigger: "budget" } },
    ])
    expect(await world.task("1")).toMatchObject({ status: "open" })
  })
})

describe("an agent whose task is planned", () => {
  it("answers phase by phase without the right to write, and begins once its plan is approved", async () => {
    await using world = await setUpWorker({ agents: [fixtureAgent(claude)] })
    await updateTeam.run(world.context, { ...WORKSPACE_TEAM, protocol: "planned" })
    await world.create("1", { description: "[[hello]]", files: ["*.txt"] })
    // It writes whenever it can: before the approval that must not become part of its work.
    const { jobs, ports } = watched(world, ({ job }, turn) => {
      write(world, `turn ${turn}`)
      return { prompt: `${job.prompt} [[hello]]` }
    })
    const working = world.work({}, ports)
    const decide = async (which: number) => {
      const [asked] = await until(async () => {
        const all = await listApprovals.run(world.context, WORKSPACE_TEAM)
        return all.length > 0 && (all[0]?.number ?? 0) >= which ? all : undefined
      })
      return asked?.number ?? 0
    }
    const first = await decide(1)
    expect(jobs.map(({ permission }) => permission)).toEqual(["ask", "ask", "ask", "ask"])
    expect(jobs.every(({ ownership }) => ownership?.locked !== undefined)).toBe(true)
    expect(jobs[0]?.deniedTools).toContain("Write")
    expect(existsSync(`${world.git.workspaces.pathOf("w1")}/b.txt`)).toBe(false)
    await reject.run(world.context, { ...WORKSPACE_TEAM, number: first, reason: "test it first" })
    const second = await decide(2)
    expect(jobs.at(-1)?.prompt).toContain("test it first")
    await approve.run(world.context, { ...WORKSPACE_TEAM, number: second, note: "mind the index" })
    expect(await working).toMatchObject({ delivered: ["1"] })
    expect(jobs).toHaveLength(6)
    const last = jobs.at(-1)
    expect(last).toMatchObject({ permission: "full", deniedTools: [] })
    expect(last?.ownership?.locked).toBeUndefined()
    for (const told of ["YOUR PLAN IS APPROVED", "all done", "mind the index"]) expect(last?.prompt).toContain(told)
    expect(await world.task("1")).toMatchObject({ status: "resolved", phase: "completion" })
    const steps = (await world.events("task.phase_changed")).map(({ data }) => data.to)
    expect(steps).toEqual([
      ...["requirement", "skill_research", "plan_design", "awaiting_approval", "plan_design", "awaiting_approval"],
      ...["execution", "completion"],
    ])
    const told = (await world.inbox("orchestrator")).map(({ payload }) => String(payload.message))
    for (const mark of ["PHASE 5 %", "PHASE 10 %", "PHASE 20 %", "PHASE 30 %"])
      expect(told.some((message) => message.startsWith(mark))).toBe(true)
  })
})
