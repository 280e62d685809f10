// What src/agents/port.ts promises, for an agent whose program is played by test/fixtures/agents/agent.ts as a real
// process. Every adapter passes all of it; what a format cannot say is left out by `says`.
import { afterAll, describe, expect, it } from "bun:test"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Agent, AgentEvent, AgentJob, AgentResult, RunOptions } from "../../src/agents/port.ts"
import { costOf, findPrice, readPrices } from "../../src/agents/prices.ts"
import type { AgentProgram } from "../../src/agents/program.ts"
import {
  fixtureAgent,
  makeJob,
  NO_LIMITS,
  programConfig,
  type Recorded,
  record,
  scenarioJob,
} from "../support/agents.ts"
import { processesIn, processesWith, readProcessStat } from "../support/processes.ts"
import { makeScratch, sandboxEnv } from "../support/sandbox.ts"

const GRACE_MS = 300
/** What a busy machine may take for starting and ending processes, on top of every deadline. */
const SLACK_MS = 5000
/** Enough for an agent to begin, and to say what it has to, on a machine that stands still for a while. */
const TIME_MS = 2500

export interface Says {
  /** Errors of a model's server, with their kind. */
  readonly errors: boolean
  /** What was used, while it runs. */
  readonly runningUsage: boolean
  readonly cost: boolean
}

interface Watch extends RunOptions {
  readonly by?: Agent
  readonly startsNothing?: boolean
}

export function agentContract(program: AgentProgram, says: Says): void {
  const agent = fixtureAgent(program, { graceMs: GRACE_MS })

  const all: { recorded: Recorded; count: number }[] = []
  // What comes after the result shows only later.
  afterAll(() => {
    for (const { recorded, count } of all) expect(recorded.events).toHaveLength(count)
  })

  /** Runs a job, after which nothing of it may be left: by its environment, its group or its session. */
  async function watch(job: AgentJob, { by = agent, startsNothing = false, ...options }: Watch = {}) {
    const mark = `CONTRACT_MARK_${crypto.randomUUID().replaceAll("-", "")}`
    using notes = makeScratch()
    const CONTRACT_KIN = join(notes.path, "kin")
    try {
      const recorded = await record(by, { ...job, env: { ...job.env, [mark]: "1", CONTRACT_KIN } }, options)
      expectOrder(recorded)
      all.push({ recorded, count: recorded.events.length })
      return recorded
    } finally {
      const kin = new Set(
        existsSync(CONTRACT_KIN) ? readFileSync(CONTRACT_KIN, "utf8").trim().split("\n").map(Number) : [],
      )
      expect(kin.size > 0).toBe(!startsNothing)
      expect(kin).not.toContain(readProcessStat("self").group)
      expect(processesWith(`${mark}=1`)).toEqual([])
      // What was killed has no environment any more, and is a member of its group until the system is done with it.
      const deadline = performance.now() + 2000
      while (processesIn(kin).length > 0 && performance.now() < deadline) await Bun.sleep(5)
      expect(processesIn(kin)).toEqual([])
    }
  }

  async function play(scenario: string, change: Partial<AgentJob> = {}, options: Watch = {}) {
    using scratch = makeScratch()
    return await watch(scenarioJob(scratch.path, scenario, change), options)
  }

  /** Stops it as soon as it said something. */
  async function playAndCancel(scenario: string) {
    const controller = new AbortController()
    let cancelledAt = 0
    const onEvent = ({ type }: AgentEvent) => {
      if (type !== "text" || controller.signal.aborted) return
      cancelledAt = performance.now()
      controller.abort()
    }
    const { result } = await play(scenario, {}, { signal: controller.signal, onEvent })
    return { result, tookMs: performance.now() - cancelledAt }
  }

  describe(`${program.name}: a run that goes well`, () => {
    it("tells what happened in order and gives one result", async () => {
      const { events, result } = await play("hello")
      expect(result).toMatchObject({ reason: "done", exitCode: 0, signal: null, error: "", retryAt: null })
      expect(result.answer).toContain("all done")
      expect(result.durationMs).toBeGreaterThan(0)
      const types = events.map(({ type }) => type)
      expect(types[0]).toBe("started")
      expect(types.indexOf("text")).toBeGreaterThan(0)
      expect(types.indexOf("tool_result")).toBeGreaterThan(types.indexOf("tool_use"))
      if (!says.errors) return
      expect(result.filesTouched[0]).toBe("src/hello.txt")
      expect(result.session?.id).toBe("5d9640d5-c339-4fc6-95f5-fe0d373a1cc0")
      expect(result.usage.inputTokens).toBeGreaterThan(0)
      expect(result.usage.dollars === null).toBe(!says.cost)
    })

    it("costs what its tokens cost where it does not say, and its session keeps to its own word", async () => {
      if (!says.errors) return
      using scratch = makeScratch()
      const prices = readPrices([...program.prices, "priced=1000/0/1000"])
      const priced = fixtureAgent(program, { graceMs: GRACE_MS, prices, settings: {} })
      const model = program.name === "gemini" ? "gemini-2.5-flash" : "priced" // what it says goes before what it was given
      const { usage, session } = await priced.run({ ...scenarioJob(scratch.path, "hello"), model: "priced" })
      const price = findPrice(prices, model)
      expect(usage.dollarsAreEstimated).toBe(says.cost ? undefined : true)
      if (!says.cost && price !== undefined) expect(usage.dollars).toBeCloseTo(costOf(usage, price))
      expect(session?.usage.dollars).toBe(says.cost ? usage.dollars : null)
    })

    it("passes over noise", async () => {
      const { events, result } = await play("noise")
      expect(result.reason).toBe("done")
      if (says.errors) expect(events.filter(({ type }) => type === "unknown")).toHaveLength(3)
    })

    it("gives the agent an input that ends", async () => {
      expect((await play("stdin")).result).toMatchObject({ reason: "done", exitCode: 0, signal: null })
    })

    it("cuts a line that is too long and goes on", async () => {
      const { events, result } = await play("long-line")
      expect(result.reason).toBe("done")
      // Half a line is no message, but to people it still says something.
      const type = program.name === "script" ? "text" : "unknown"
      const cut = events.filter((event) => event.type === type && JSON.stringify(event).includes("yyyy"))
      expect(cut).toHaveLength(1)
      expect(JSON.stringify(cut).length).toBeLessThan(10_000)
    })

    it("ends what the agent left running, in another session too", async () => {
      expect((await play("leaves")).result).toMatchObject({ reason: "done", exitCode: 0 })
    })

    it("counts as done when the agent has said its last word and only lingers", async () => {
      const { result } = await play("lingers", { limits: { ...NO_LIMITS, timeMs: TIME_MS } })
      expect(result.reason).toBe(says.errors ? "done" : "timed-out")
    })

    it("keeps memory low with 100 MB of output and a slow reader", async () => {
      using scratch = makeScratch()
      const fixture = join(import.meta.dir, "../fixtures/agents/run-huge.ts")
      const command = [process.execPath, fixture, program.name, scratch.path, JSON.stringify(sandboxEnv())]
      const child = Bun.spawn(command, { env: sandboxEnv(), stdio: ["ignore", "pipe", "inherit"] })
      const told = JSON.parse(await child.stdout.text())
      expect(told.reason).toBe("done")
      expect(told.characters).toBeGreaterThanOrEqual(100_000_000)
      expect(told.peakMb).toBeLessThan(150)
      expect(told.peakMb).toBeGreaterThan(0)
    }, 120_000)
  })

  describe(`${program.name}: an agent that fails`, () => {
    it("because it is not there", async () => {
      const missing = fixtureAgent(program, { command: ["no-such-program-here"] })
      const { result, events } = await play("hello", {}, { by: missing, startsNothing: true })
      expect(events.map(({ type }) => type)).toEqual(["finished"])
      expect(result).toMatchObject({ reason: "not-found", exitCode: null, signal: null })
      expect(result.error).toContain("no-such-program-here")
      expect(await missing.detect(sandboxEnv())).toMatchObject({ isAvailable: false })
    })

    it("because it cannot be run", async () => {
      using scratch = makeScratch()
      const file = join(scratch.path, "agent")
      writeFileSync(file, "#!/bin/sh\n", { mode: 0o644 })
      const broken = fixtureAgent(program, { command: [file] })
      const { result } = await play("hello", {}, { by: broken, startsNothing: true })
      expect(result).toMatchObject({ reason: "not-found", error: expect.stringContaining(file) })
    })

    it("because its folder is not there", async () => {
      using scratch = makeScratch()
      const job = { ...scenarioJob(scratch.path, "hello"), workspace: join(scratch.path, "gone") }
      expect((await watch(job, { startsNothing: true })).result.reason).toBe("not-found")
    })

    it("with an exit code", async () => {
      const { result } = await play("exit-3")
      expect(result).toMatchObject({ reason: "crashed", exitCode: 3 })
      expect(result.error).toContain(says.errors ? "something broke" : "ended with 3")
    })

    it("by a signal", async () => {
      const { result } = await play("dies")
      expect(result.reason).toBe("crashed")
      // A shell in between makes a code of it.
      expect(result.signal ?? result.exitCode).toBe(says.errors ? "SIGKILL" : 137)
    })

    it("in the middle of a line", async () => {
      expect((await play("cut")).result).toMatchObject({ reason: "crashed", exitCode: 1 })
    })

    it("by saying only what nobody understands", async () => {
      const { result, events } = await play("garbage")
      expect(result.reason).toBe(says.errors ? "protocol" : "done")
      if (says.errors) expect(events.filter(({ type }) => type === "unknown").length).toBeGreaterThan(3)
    })
  })

  describe(`${program.name}: a run that is stopped`, () => {
    it("by its caller, ends within the grace time", async () => {
      const { result, tookMs } = await playAndCancel("hang")
      expect(result.reason).toBe("cancelled")
      expect(tookMs).toBeLessThan(GRACE_MS + SLACK_MS)
    })

    it("although it does not listen and left somebody who does not either", async () => {
      const { result, tookMs } = await playAndCancel("deaf")
      expect(result.reason).toBe("cancelled")
      // Between us and a deaf command there is a shell that listens.
      expect(result.signal).toBe(says.errors ? "SIGKILL" : "SIGTERM")
      expect(tookMs).toBeGreaterThanOrEqual(GRACE_MS - 5)
      expect(tookMs).toBeLessThan(GRACE_MS + SLACK_MS)
    })

    it("before it began, does not begin", async () => {
      const { result, events } = await play("hello", {}, { signal: AbortSignal.abort(), startsNothing: true })
      expect(result.reason).toBe("cancelled")
      expect(events).toHaveLength(1)
    })

    it("by its time", async () => {
      const { result } = await play("hang", { limits: { ...NO_LIMITS, timeMs: TIME_MS } })
      expect(result).toMatchObject({ reason: "timed-out", error: `stopped after ${TIME_MS} ms` })
    })

    it("by what it may print", async () => {
      const { result, events } = await play("huge", { limits: { ...NO_LIMITS, outputBytes: 300_000 } })
      expect(result.reason).toBe("protocol")
      expect(JSON.stringify(events).length).toBeLessThan(1_000_000)
    })

    it("by an error of its listener, which the caller gets", async () => {
      const onEvent = ({ type }: AgentEvent) => {
        if (type === "text") throw new Error("the listener broke")
      }
      await expect(play("hang", {}, { onEvent })).rejects.toThrow("the listener broke")
    })
  })

  describe(`${program.name}: what reaches the agent and what leaves it`, () => {
    it("is its environment and nothing else", async () => {
      using scratch = makeScratch()
      const env = { ...sandboxEnv(), ONE_MORE: "1" }
      const { result } = await watch(scenarioJob(scratch.path, "environment", { env }))
      const names = result.answer
        .split(/\s+/)
        .filter((name) => !/^(?:TEAMWORK_RUN_|CONTRACT_MARK_)[0-9a-f]{32}$|^CONTRACT_KIN$/.test(name))
      const own = [...Object.keys(env), ...Object.keys(program.launch(makeJob("/x"), programConfig(program)).env)]
      // A shell adds these by itself.
      const byShell = ["PWD", "OLDPWD", "SHLVL", "_"]
      expect(names.filter((name) => !own.includes(name) && !byShell.includes(name))).toEqual([])
      expect(names).toContain("ONE_MORE")
      expect(result.answer).toMatch(/TEAMWORK_RUN_[0-9a-f]{32}/)
    })

    it("holds no secret", async () => {
      const secret = "xK9-quite-secret"
      const { events, result } = await play("secret", { env: { ...sandboxEnv(), MY_TOKEN: secret } })
      expect(JSON.stringify({ events, result })).not.toContain(secret)
      expect(JSON.stringify(events)).toContain("it is ***")
      if (says.errors) expect(result.error).toContain("it was ***")
    })
  })

  // What plain commands print in several lines is no secret that was cut.
  if (says.errors)
    it(`${program.name}: shows no secret that comes in parts, in events, in its answer or in what is recorded`, async () => {
      const secret = "xK9-quite-secret"
      const lines: string[] = []
      const env = { ...sandboxEnv(), MY_TOKEN: secret }
      const { events, result } = await play("secret-in-parts", { env }, { onLine: (line) => lines.push(line) })
      const said = events.flatMap((event) => (event.type === "text" ? [event.text] : [])).join("")
      expect(said).toStartWith("it is ***, so")
      expect(lines.length).toBeGreaterThan(3)
      const all = JSON.stringify({ events, result, lines })
      for (const part of [secret.slice(0, 3), secret.slice(3, 9), secret.slice(9)]) expect(all).not.toContain(part)
      expect(all).toContain("it is ***")
    })

  if (program.capabilities.messages) {
    it(`${program.name}: takes messages while it runs, and acknowledges them`, async () => {
      const { promise: isListening, resolve } = Promise.withResolvers<void>()
      async function* messages() {
        await isListening
        yield { id: "41", text: "one" }
        yield { id: "42", text: "two" }
        await new Promise(() => undefined)
      }
      const onEvent = ({ type }: AgentEvent) => {
        if (type === "text") resolve()
      }
      const { events, result } = await play("listens", {}, { messages: messages(), onEvent })
      expect(result).toMatchObject({ reason: "done", answer: "heard both", exitCode: 0 })
      const delivered = events.flatMap((event) => (event.type === "message_delivered" ? [event.messageId] : []))
      expect(delivered).toEqual(["41", "42"])
    })
  }

  if (program.capabilities.resume && !program.capabilities.messages) {
    it(`${program.name}: gets what was queued while it ran right after, as part of the same run`, async () => {
      async function* messages() {
        yield { id: "41", text: "one" }
        yield { id: "42", text: "[[json]]" }
        await new Promise(() => undefined)
      }
      const { events, result } = await play("hello", {}, { messages: messages() })
      expect(result).toMatchObject({ reason: "done", answer: '{"name":"bob"}' })
      const types = events.map((event) => event.type)
      for (const once of ["started", "finished"] as const) expect(types.filter((type) => type === once)).toHaveLength(1)
      const delivered = events.flatMap((event) => (event.type === "message_delivered" ? [event.messageId] : []))
      expect(delivered).toEqual(["41", "42"])
      // The first run had its say before.
      expect(types.indexOf("text")).toBeLessThan(types.indexOf("message_delivered"))
    })

    it(`${program.name}: acknowledges nothing that it did not get to`, async () => {
      async function* messages() {
        yield { id: "41", text: "[[rate-limit]]" }
        await new Promise(() => undefined)
      }
      const { events, result } = await play("hello", {}, { messages: messages() })
      expect(result.reason).toBe("rate-limited")
      expect(events.filter((event) => event.type === "message_delivered")).toEqual([])
    })
  }

  if (says.errors) failureKinds()

  function failureKinds() {
    describe(`${program.name}: says why it could not go on`, () => {
      const reasonOf = async (scenario: string) => (await play(scenario)).result

      it("a rate limit, with the time to try again where it is told", async () => {
        const before = Date.now()
        const told = await reasonOf("rate-limit")
        expect(told.reason).toBe("rate-limited")
        expect(told.retryAt).toBeGreaterThanOrEqual(before + 90_000)
        expect(told.retryAt).toBeLessThan(Date.now() + 90_001)
        expect(await reasonOf("rate-limit-bare")).toMatchObject({ reason: "rate-limited", retryAt: null })
      })

      it.each([
        ["overflow", "context-overflow"],
        ["auth", "auth"],
        ["billing", "budget"],
        ["broken", "overloaded"],
      ] as const)("%s", async (scenario, reason) => {
        const result = await reasonOf(scenario)
        expect(result.reason).toBe(reason)
        expect(result.error).not.toBe("")
      })

      it("the limit on turns", async () => {
        const { result, events } = await play("endless", { limits: { ...NO_LIMITS, turns: 3 } })
        expect(result).toMatchObject({ reason: "turn-limit", error: "stopped after 3 turns" })
        // It may be stopped before its last turn has used a tool.
        expect(events.filter(({ type }) => type === "tool_use").length).toBeGreaterThanOrEqual(2)
      })

      it("an answer that is no JSON although one was asked for", async () => {
        const answerSchema = { type: "object" }
        expect((await play("hello", { answerSchema })).result.reason).toBe("protocol")
        if (program.name === "claude") return
        const { result } = await play("json", { answerSchema })
        expect(result).toMatchObject({ reason: "done", structured: { name: "bob" } })
      })

      if (!says.runningUsage) return
      it("the budget in tokens", async () => {
        const { result } = await play("endless", { limits: { ...NO_LIMITS, tokens: 300 } })
        expect(result.reason).toBe("budget")
        expect(result.usage.inputTokens + result.usage.outputTokens).toBeGreaterThan(300)
      })

      if (!["opencode", "acp"].includes(program.name)) return
      it("the budget in dollars", async () => {
        const { result } = await play("endless", { limits: { ...NO_LIMITS, dollars: 0.002 } })
        expect(result.reason).toBe("budget")
        expect(result.usage.dollars).toBeGreaterThan(0.002)
      })
    })
  }
}

/** One result, which the last event carries; `started` once and before anything said or done; times that do not go back. */
function expectOrder({ events, result }: Recorded): void {
  const finished = events.filter((event) => event.type === "finished")
  expect(finished).toHaveLength(1)
  expect(events.at(-1)).toMatchObject({ type: "finished" })
  expect((events.at(-1) as { result?: AgentResult }).result).toBe(result)
  expect(events.filter(({ type }) => type === "started").length).toBeLessThanOrEqual(1)
  const first = events.findIndex(({ type }) => !["unknown", "finished"].includes(type))
  if (first !== -1) expect(events[first]?.type).toBe("started")
  expect(events.map(({ at }) => at)).toEqual(events.map(({ at }) => at).toSorted((a, b) => a - b))
}
