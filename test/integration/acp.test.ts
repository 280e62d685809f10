// The adapter for the Agent Client Protocol against an agent that is made with the protocol's own SDK, as a real process.
import { describe, expect, it } from "bun:test"
import { join } from "node:path"
import { acp } from "../../src/agents/acp/program.ts"
import type { AgentSettings } from "../../src/agents/make-agent.ts"
import type { AgentEvent, AgentJob, RunOptions } from "../../src/agents/port.ts"
import { fixtureAgent, makeJob, NO_LIMITS, owning, record } from "../support/agents.ts"
import { makeScratch, sandboxEnv } from "../support/sandbox.ts"

const SDK_AGENT = join(import.meta.dir, "../fixtures/agents/acp-agent.ts")

interface Run {
  /** How the fixture behaves: mute, old, fresh, loads, resumes. */
  readonly how?: string
  readonly job?: Partial<AgentJob>
  readonly options?: RunOptions
  readonly settings?: Partial<AgentSettings>
}

async function run(prompt: string, { how = "fresh", job = {}, options = {}, settings = {} }: Run = {}) {
  using scratch = makeScratch()
  const agent = fixtureAgent(acp, { command: [process.execPath, SDK_AGENT, how], ...settings })
  const recorded = await record(agent, makeJob(scratch.path, { prompt, ...job }), options)
  return { ...recorded, folder: scratch.path }
}

interface Told {
  readonly method: string
  readonly params: Record<string, unknown>
}

/** What reached the agent, by its own word. */
async function toldBy(given: Run) {
  const { result, folder, events } = await run("tell me", given)
  expect(result).toMatchObject({ reason: "done", error: "" })
  const told: Told[] = JSON.parse(result.answer)
  return { told, folder, result, events, methods: told.map(({ method }) => method) }
}

const resume = { id: "old-1", usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0, dollars: 0.4 } }

describe("a session", () => {
  it("begins with what the job says, and offers the agent nothing of ours", async () => {
    const mcpServers = { tiny: { command: "node", args: ["tiny.mjs", "a b"], env: { NOTE: "hi" } } }
    const { told, folder, events, result } = await toldBy({ job: { mcpServers } })
    expect(told[0]?.params.clientCapabilities).toMatchObject({ fs: { readTextFile: false, writeTextFile: false } })
    const tiny = { name: "tiny", command: "node", args: ["tiny.mjs", "a b"], env: [{ name: "NOTE", value: "hi" }] }
    expect(told[1]).toMatchObject({ method: "session/new", params: { cwd: folder, mcpServers: [tiny] } })
    expect(events[0]).toMatchObject({ type: "started", session: "session-1", model: "small", agentVersion: "1.2.3" })
    expect(result.session?.id).toBe("session-1")
  })

  it("is resumed, or loaded without telling what was told before, or begun anew, as the agent can", async () => {
    const resumed = await toldBy({ how: "resumes", job: { resume } })
    expect(resumed.told[1]).toMatchObject({ method: "session/resume", params: { sessionId: "old-1" } })
    expect(resumed.result.session?.id).toBe("old-1")
    const loaded = await toldBy({ how: "loads", job: { resume } })
    expect(loaded.told[1]).toMatchObject({ method: "session/load", params: { sessionId: "old-1" } })
    expect(loaded.result.session?.id).toBe("old-1")
    expect(JSON.stringify(loaded.events)).not.toContain("long ago")
    expect(loaded.result.usage.dollars).toBeNull()
    const anew = await toldBy({ how: "fresh", job: { resume } })
    expect(anew.methods[1]).toBe("session/new")
    expect(anew.result.session?.id).toBe("session-1")
  })

  it("that is told again only after it was loaded is not told twice either", async () => {
    const { methods, events, result } = await toldBy({ how: "loads-late", job: { resume } })
    expect(JSON.stringify(events)).not.toContain("long ago")
    expect(methods).toContain("session/set_mode")
    expect(result.usage.dollars).toBeNull()
  })

  it("that is gone is said to be so", async () => {
    const { result } = await run("go", { how: "loads", job: { resume: { ...resume, id: "gone" } } })
    expect(result.reason).toBe("crashed")
    expect(result.error).toContain("session/load: Resource not found")
  })

  it("is put into a mode that asks, unless everything is permitted", async () => {
    const modeOf = async (job: Partial<AgentJob>, settings?: Partial<AgentSettings>) =>
      (await toldBy({ job, settings })).told.find(({ method }) => method === "session/set_mode")?.params.modeId
    expect(await modeOf({ permission: "edit" })).toBe("default")
    expect(await modeOf({ permission: "ask" })).toBe("default")
    expect(await modeOf({ permission: "full" })).toBe("yolo")
    expect(await modeOf({ permission: "full", ownership: owning("src/**") })).toBe("default")
    expect(await modeOf({ permission: "full", deniedTools: ["Bash"] })).toBe("default")
    expect(await modeOf({ permission: "edit" }, { settings: { modes: { edit: "yolo" } } })).toBe("yolo")
  })

  it("does not begin in a mode that the agent refuses", async () => {
    const { result } = await run("go", { settings: { settings: { modes: { edit: "impossible" } } } })
    expect(result).toMatchObject({ reason: "protocol", answer: "" })
    expect(result.error).toContain("no such mode")
  })

  it("gets model and effort where the agent has them", async () => {
    const { told, events } = await toldBy({ job: { model: "large", effort: "high" } })
    const set = told.filter(({ method }) => method === "session/set_config_option").map(({ params }) => params)
    expect(set).toMatchObject([
      { configId: "llm", value: "large" },
      { configId: "thinking", value: "high" },
    ])
    expect(events[0]).toMatchObject({ type: "started", model: "large" })
    const byTier = await toldBy({ settings: { models: { haiku: "small", sonnet: "large", opus: "large" } } })
    expect(byTier.events[0]).toMatchObject({ model: "large" })
    expect((await toldBy({ job: { effort: "medium" } })).methods).not.toContain("session/set_config_option")
  })
})

describe("a request for permission", () => {
  const edit = (path: string) => ({ kind: "edit", title: "Write", locations: [{ path }] })
  const bash = { kind: "execute", title: "rm -rf /", rawInput: { command: "rm -rf /" } }
  const ask = async (calls: readonly object[], job: Partial<AgentJob> = {}) => {
    const { result, events } = await run(`[[ask]] ${JSON.stringify(calls)}`, { job })
    return { outcomes: JSON.parse(result.answer), result, events }
  }

  it("is answered by the policy of the job", async () => {
    const calls = [edit("a.txt"), bash, { kind: "read", title: "Read" }, edit("/etc/passwd")]
    expect((await ask(calls)).outcomes).toEqual(["yes", "no", "yes", "no"])
    expect((await ask(calls, { permission: "ask" })).outcomes).toEqual(["no", "no", "yes", "no"])
    expect((await ask(calls, { permission: "full" })).outcomes).toEqual(["yes", "yes", "yes", "yes"])
    expect((await ask([bash], { allowedTools: ["execute"] })).outcomes).toEqual(["yes"])
    expect((await ask(calls, { permission: "full", deniedTools: ["execute"] })).outcomes).toEqual([
      ...["yes", "no", "yes", "yes"],
    ])
  })

  it("is answered by the files that the job owns, and what was refused counts as not touched", async () => {
    const calls = [edit("src/a.ts"), edit("docs/a.md"), edit("src/../b.ts")]
    const { outcomes, result, events } = await ask(calls, { ownership: owning("src/**") })
    expect(outcomes).toEqual(["yes", "no", "no"])
    expect(result.filesTouched).toEqual(["src/a.ts"])
    const failed = events.filter((event) => event.type === "tool_result")
    expect(failed).toMatchObject([
      { ok: false, output: expect.stringContaining('not permitted: "docs/a.md" does not belong to task 1') },
      { ok: false, output: expect.stringContaining('not permitted: src/../b.ts: "b.ts" does not belong to task 1') },
    ])
  })

  it("never gets an answer for ever, unless everything is permitted", async () => {
    const call = { ...edit("a.txt"), options: [{ optionId: "always", name: "Always", kind: "allow_always" }] }
    expect((await ask([call])).outcomes).toEqual(["cancelled"])
    expect((await ask([call], { permission: "full" })).outcomes).toEqual(["always"])
    expect((await ask([{ ...call, options: [] }], { permission: "full" })).outcomes).toEqual(["cancelled"])
  })

  it.each(["end_turn", "cancelled"])("F044: that is refused, and at which the agent ends: %s", async (stopReason) => {
    const call = JSON.stringify({ kind: "execute", title: "bash", stopReason })
    const { result, events } = await run(`[[gives-up]] ${call}`)
    // It is told, and goes on: the fixture answers the second prompt with what it was sent.
    expect(result).toMatchObject({ reason: "done", answer: expect.stringContaining("initialize") })
    expect(events.filter(({ type }) => type === "tool_result")).toHaveLength(1)
    const allowed = await run(`[[gives-up]] ${call}`, { job: { allowedTools: ["bash"] } })
    expect(allowed.result).toMatchObject({ reason: "done", answer: "I try" })
  })

  it("for what looks like a command is granted when the agent names a server that we gave", async () => {
    const mcpServers = { tiny: { command: "true", args: [], env: {} } }
    const call = (server: string) => `[[server-tool]] ${JSON.stringify({ server, tool: "note", arguments: {} })}`
    const { result, events } = await run(call("tiny"), { job: { mcpServers } })
    expect(result.answer).toBe('"yes"')
    expect(events).toContainEqual(expect.objectContaining({ type: "tool_use", name: "mcp.tiny.note" }))
    expect((await run(call("other"), { job: { mcpServers } })).result.answer).toBe('"no"')
  })

  it("for a tool of a server that we gave is granted", async () => {
    const tool = (title: string) => ({ kind: "other", title })
    const mcpServers = { tiny: { command: "true", args: [], env: {} } }
    const names = ["mcp__tiny__note", "tiny_note", "tiny.note", "tinyer_note", "other_note", "tiny"]
    const { outcomes } = await ask(names.map(tool), { mcpServers })
    expect(outcomes).toEqual(["yes", "yes", "yes", "no", "no", "no"])
  })
})

describe("an agent", () => {
  it("is told apart by its answer to hello", async () => {
    const detect = (how: string) =>
      fixtureAgent(acp, { command: [process.execPath, SDK_AGENT, how] }).detect(sandboxEnv())
    expect(await detect("fresh")).toMatchObject({
      ...{ isAvailable: true, version: "1.2.3", isLoggedIn: null },
      capabilities: { resume: false, mcp: true, messages: true },
    })
    expect(await detect("loads")).toMatchObject({ capabilities: { resume: true } })
    expect(await detect("old")).toMatchObject({ isAvailable: false })
    const talker = fixtureAgent(acp, { command: ["sh", "-c", "echo what; echo no such option >&2; exit 2"] })
    expect(await talker.detect(sandboxEnv())).toMatchObject({
      isAvailable: false,
      why: expect.stringMatching(/no such option$/),
    })
  })

  it("that speaks another version is not spoken to", async () => {
    const { result } = await run("go", { how: "old" })
    expect(result).toMatchObject({ reason: "protocol", error: "speaks version 7 of the protocol, not 1" })
  })

  it("that never answers hello is ended by the time limit", async () => {
    const { result, events } = await run("go", { how: "mute", job: { limits: { ...NO_LIMITS, timeMs: 700 } } })
    expect(result).toMatchObject({ reason: "timed-out", session: null })
    expect(events).toHaveLength(1)
  })

  it("that answers hello with garbage fails in order", async () => {
    for (const said of [
      "[1]",
      '{"id":0,"result":null}',
      '{"id":0,"error":{"code":-32601,"message":"what?"}}',
      '{"id":9}',
    ]) {
      const command = ["sh", "-c", `read -r line; echo '${said}'; cat >/dev/null`]
      // What is no answer is waited for in vain.
      const isAnswer = said.includes('"id":0')
      const limits = isAnswer ? NO_LIMITS : { ...NO_LIMITS, timeMs: 400 }
      const { result } = await run("go", { settings: { command }, job: { limits } })
      expect([said, result.reason]).toEqual([said, isAnswer ? "protocol" : "timed-out"])
    }
  })

  it("gets no files and no terminals from us", async () => {
    const { result, events } = await run("[[fs]]")
    expect(events.map(({ type }) => type)).not.toContain("unknown")
    expect(JSON.parse(result.answer)).toEqual([-32601, -32601, -32601])
  })

  it.each([
    ["end_turn", "done"],
    ["refusal", "refused"],
    ["max_tokens", "context-overflow"],
    ["max_turn_requests", "turn-limit"],
    ["cancelled", "cancelled"],
    ["tired", "protocol"],
  ] as const)("that stops with %s is %s", async (stopReason, reason) => {
    expect((await run(`[[stop]] ${stopReason}`)).result.reason).toBe(reason)
  })

  it.each([
    [{ code: -32000, message: "Authentication required" }, "auth"],
    [{ code: 429, message: "slow down" }, "rate-limited"],
    [{ code: -32603, message: "Internal error", data: { details: "prompt is too long" } }, "context-overflow"],
    [{ code: -32602, message: "Invalid params" }, "protocol"],
    [{ code: -32603, message: "Internal error" }, "crashed"],
    [{ code: -32800, message: "gone" }, "cancelled"],
  ] as const)("that fails with %j is %s", async (error, reason) => {
    const { result } = await run(`[[fail]] ${JSON.stringify(error)}`)
    expect(result.reason).toBe(reason)
    expect(result.error).toContain(error.message)
  })

  it.each([
    ["exceeded retry limit, last status: 429 Too Many Requests", "rate-limited"],
    ["Your input exceeds the context window of this model.", "context-overflow"],
    ["stream disconnected before completion", "crashed"],
    ["", "crashed"],
  ] as const)("that ends as ever after an error, %j, is %s", async (said, reason) => {
    const { result, events } = await run(`[[trouble]] ${said}`)
    expect(result).toMatchObject({ reason, answer: "so far so good", error: said || "it ended with an error" })
    // Its words for the error are not the model's.
    expect(events.filter(({ type }) => type === "text")).toHaveLength(1)
  })

  it("may add to the protocol what we pass over", async () => {
    const { result, events } = await run("[[extends]]")
    expect(result).toMatchObject({ reason: "done", answer: '"extended"' })
    expect(events.map(({ type }) => type)).not.toContain("unknown")
  })

  it("is asked in its own words to stop, and may close its work", async () => {
    const controller = new AbortController()
    const onEvent = ({ type }: AgentEvent) => {
      if (type === "text") controller.abort()
    }
    const options = { signal: controller.signal, onEvent }
    const { result } = await run("[[works]]", { options, settings: { graceMs: 20_000 } })
    expect(result).toMatchObject({
      reason: "cancelled",
      exitCode: 0,
      answer: expect.stringContaining("cancelled in time"),
    })
  })

  it("is held to its dollars, counted from where the session stood", async () => {
    const limits = { ...NO_LIMITS, dollars: 0.05 }
    const { result } = await run("[[spends]]", { how: "loads", job: { resume, limits } })
    expect(result.reason).toBe("budget")
    expect(result.usage.dollars).toBeCloseTo(0.1)
    expect(result.session?.usage.dollars).toBeCloseTo(0.5)
  })
})
