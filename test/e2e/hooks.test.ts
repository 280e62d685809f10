// Hooks as an agent program calls them: a process for each moment of a session (R076, R077, R094-R097).
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Bench, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"

setDefaultTimeout(TEST_TIMEOUT_MS)

/** As users start it: what is for nobody ends before the rest is loaded. */
const START = join(import.meta.dir, "../../src/bin/start.ts")
const SESSION = "6f9c7a52-1b1d-4a52-9a55-0d6c8d1f7a10"

interface Answer {
  readonly decision?: string
  readonly reason?: string
  readonly hookSpecificOutput?: { readonly hookEventName: string; readonly additionalContext: string }
}

interface HookBench extends Bench {
  /** Calls a hook, which always ends well; what it printed. */
  hook(event: string, more?: object, flags?: readonly string[]): Promise<Answer>
  raw(event: string, input: string): Promise<string>
  join(...flags: string[]): Promise<unknown>
  /** What stands in the log of failures. */
  log(): string
}

async function makeShop(): Promise<HookBench> {
  const bench = makeBench()
  await bench.ok("project", "create", "--goal", "Search page")
  return withHooks(bench)
}

function withHooks(bench: Bench): HookBench {
  const raw = async (event: string, input: string, flags: readonly string[] = []) => {
    const { exitCode, stdout, stderr } = await bench.run(["hook", event, ...flags], { input, script: START })
    expect({ event, exitCode, stderr }).toEqual({ event, exitCode: 0, stderr: "" })
    return stdout
  }
  const log = join(bench.home, "hooks.log")
  return {
    ...bench,
    raw,
    async hook(event, more = {}, flags = []) {
      const call = { session_id: SESSION, cwd: bench.cwd, hook_event_name: event, ...more }
      const stdout = await raw(event, JSON.stringify(call), flags)
      return stdout === "" ? {} : JSON.parse(stdout)
    },
    join: (...flags) => bench.ok("join", "--terminal-id", SESSION, ...flags),
    log: () => (existsSync(log) ? readFileSync(log, "utf8") : ""),
  }
}

const stopping = (isHeldBack: boolean) => ({ stop_hook_active: isHeldBack, last_assistant_message: "done" })

describe("the loop of a session", () => {
  it("goes from task to task by itself, and ends when there is nothing left", async () => {
    using shop = await makeShop()
    await shop.ok("task", "create", "Schema", "--role", "backend", "--acceptance", "items have a price")
    await shop.ok("task", "create", "Endpoint", "--role", "backend", "--blocked-by", "1")
    await shop.join("--role", "backend", "--loop")
    const first = await shop.hook("Stop", stopping(false))
    expect(first).toEqual({ decision: "block", reason: expect.any(String) })
    const said = first.reason ?? ""
    for (const part of ["Task 1: Schema", "- items have a price"]) expect(said).toContain(part)
    // What it says to run can be run as it stands.
    const [, claim = ""] = /Claim it: teamwork (.*)/.exec(said) ?? []
    await shop.ok(...claim.split(" "))
    await shop.ok("mailbox", "send", "--from", "lead", "--to", "w1", "--message", "Prices are in cents")
    const third = (await shop.hook("Stop", stopping(true))).reason
    expect(third).toContain("still hold task 1")
    expect(third).toEndWith(": Prices are in cents")
    const [, finish = ""] = /Finish: teamwork (.*?) --result/.exec(said) ?? []
    await shop.ok(...finish.split(" "))
    const second = await shop.hook("Stop", stopping(true))
    expect(second.reason).toContain("Task 2: Endpoint")
    await shop.ok("task", "claim", "2", "--owner", "w1")
    await shop.ok("task", "update", "2", "--owner", "w1", "--status", "resolved")
    expect(await shop.hook("Stop", stopping(true))).toEqual({})
    expect(await shop.ok("loop-state", "--get", "--terminal-id", SESSION)).toMatchObject({ active: false })
    expect(shop.log()).toBe("")
  })

  it("needs a loop: neither joining nor the marker in its last words is enough", async () => {
    using shop = await makeShop()
    await shop.ok("task", "create", "Schema")
    const marked = { stop_hook_active: false, last_assistant_message: "done\n__TEAMWORK_CONTINUE__" }
    expect(await shop.hook("stop", marked)).toEqual({})
    await shop.join()
    expect(await shop.hook("stop", marked)).toEqual({})
    await shop.ok("loop-state", "--start", "--terminal-id", SESSION)
    expect(await shop.hook("stop", marked)).toMatchObject({ decision: "block" })
    await shop.ok("loop-state", "--clear", "--terminal-id", SESSION)
    expect(await shop.hook("stop", marked)).toEqual({})
  })

  it("waits with a command when there is nothing yet", async () => {
    using shop = await makeShop()
    await shop.ok("task", "create", "Schema")
    await shop.ok("task", "create", "Endpoint", "--blocked-by", "1")
    await shop.ok("task", "claim", "1", "--owner", "ann")
    await shop.join("--loop")
    const { reason = "" } = await shop.hook("Stop", stopping(false))
    const command = reason.split("\n").find((line) => line.startsWith("teamwork worker setup --loop")) ?? ""
    await using waiting = shop.start(command.split(" ").slice(1))
    await waiting.untilLine("err", (line) => line.includes("No available tasks"))
    await shop.ok("task", "update", "1", "--owner", "ann", "--status", "resolved")
    expect(await waiting.exited).toBe(0)
    expect(JSON.parse(waiting.out.at(-1) ?? "")).toMatchObject({ data: { next: { id: "2" }, worker: { id: "w1" } } })
  })

  it("is the same for Gemini, in its own words", async () => {
    using shop = await makeShop()
    await shop.ok("task", "create", "Schema")
    await shop.join("--loop")
    const gemini = ["--host", "gemini"]
    const first = await shop.hook("AfterAgent", { ...stopping(false), timestamp: "1" }, gemini)
    expect(first).toEqual({ decision: "deny", reason: expect.stringContaining("Task 1: Schema") })
    expect(await shop.hook("BeforeAgent", { prompt: first.reason }, gemini)).toEqual({})
    expect(await shop.hook("AfterAgent", { ...stopping(false), timestamp: "2" }, gemini)).toEqual({})
    expect(await shop.hook("BeforeAgent", { prompt: "go on, please" }, gemini)).toEqual({})
    expect(await shop.hook("AfterAgent", { ...stopping(false), timestamp: "3" }, gemini)).toEqual(first)
  })
})

describe("what a session is told", () => {
  it("learns at its beginning who it is, what it holds and what came in", async () => {
    using shop = await makeShop()
    await shop.ok("task", "create", "Schema", "--description", "with prices", "--files", "src/**")
    await shop.join("--role", "backend")
    await shop.ok("task", "claim", "1", "--owner", "w1")
    await shop.ok("mailbox", "send", "--from", "orchestrator", "--to", "w1", "--message", "Mind the currency")
    const answer = await shop.hook("SessionStart", { source: "startup" })
    expect(answer.hookSpecificOutput?.hookEventName).toBe("SessionStart")
    const text = answer.hookSpecificOutput?.additionalContext ?? ""
    for (const part of [
      "worker w1 (backend)",
      "shop/main",
      "Search page",
      "You hold task 1",
      "with prices",
      "- src/**",
      "Mind the currency",
    ])
      expect(text).toContain(part)
    const again = (await shop.hook("SessionStart", { source: "compact" })).hookSpecificOutput?.additionalContext
    expect(again).toContain("You hold task 1")
    expect(again).not.toContain("Mind the currency")
  })

  it("gets a message with the next prompt, once, and the lead gets the lead's", async () => {
    using shop = await makeShop()
    await shop.join()
    await shop.ok("join", "--lead", "--terminal-id", "lead-session")
    await shop.ok("mailbox", "send", "--from", "w2", "--to", "w1", "--message", "one")
    await shop.ok("mailbox", "send", "--from", "w1", "--to", "lead", "--message", "two")
    const prompted = { prompt: "hello" }
    expect((await shop.hook("UserPromptSubmit", prompted)).hookSpecificOutput).toEqual({
      hookEventName: "UserPromptSubmit",
      additionalContext: expect.stringMatching(/from w2 .*: one$/),
    })
    expect(await shop.hook("UserPromptSubmit", prompted)).toEqual({})
    const lead = await shop.hook("UserPromptSubmit", { ...prompted, session_id: "lead-session" })
    expect(lead.hookSpecificOutput?.additionalContext).toMatch(/from w1 .*: two$/)
    expect(await shop.ok("mailbox", "read", "--inbox", "w1")).toMatchObject([{ read: true }])
  })

  it("tells a session that takes no part of the team of its folder, and only at its beginning", async () => {
    using shop = await makeShop()
    const start = await shop.hook("SessionStart", { source: "startup" })
    expect(start.hookSpecificOutput?.additionalContext).toMatch(/^The team shop\/main .* teamwork join --lead$/)
    const gemini = await shop.hook("SessionStart", {}, ["--host", "gemini"])
    expect(gemini.hookSpecificOutput?.additionalContext).toEndWith(`teamwork join --lead --terminal-id ${SESSION}`)
    await shop.ok("cancel")
    for (const event of ["SessionStart", "UserPromptSubmit", "Stop", "SubagentStop", "SessionEnd"])
      expect([event, await shop.hook(event)]).toEqual([event, {}])
    expect(shop.log()).toBe("")
  })

  it("says nothing where there is no team, and makes no store", async () => {
    using bench = makeBench()
    const shop = withHooks(bench)
    expect(await shop.hook("SessionStart")).toEqual({})
    expect(readdirSync(bench.home).filter((name) => name !== ".bun")).toEqual([])
  })
})

describe("the end of a session", () => {
  it("gives back what it held; resumed, it may join again", async () => {
    using shop = await makeShop()
    await shop.ok("task", "create", "Schema")
    await shop.join("--loop")
    await shop.ok("task", "claim", "1", "--owner", "w1")
    expect(await shop.hook("SessionEnd", { reason: "other" })).toEqual({})
    expect(await shop.ok("task", "get", "1")).toMatchObject({ status: "open", claimed_by: null })
    expect(await shop.ok("swarm", "status")).toMatchObject({ workers: [{ id: "w1", status: "stopped" }] })
    expect(readdirSync(join(shop.home, "seats"))).toEqual([])
    const before = shop.dump()
    expect(await shop.hook("SessionEnd", { reason: "other" })).toEqual({})
    expect(shop.dump()).toEqual(before)
    expect(await shop.join("--worker-id", "w1", "--loop")).toMatchObject({ worker: "w1", loop: true })
    expect(await shop.hook("Stop", stopping(false))).toMatchObject({ decision: "block" })
    expect(shop.log()).toBe("")
  })
})

describe("whatever comes in", () => {
  const EVENTS = [
    "SessionStart",
    "UserPromptSubmit",
    "Stop",
    "SubagentStop",
    "TaskCompleted",
    "TeammateIdle",
    "SessionEnd",
  ]
  const huge = JSON.stringify({ session_id: SESSION, prompt: "x".repeat(5_000_000), tool_input: {} })

  it.each([
    ["nothing", ""],
    ["no JSON", "{"],
    ["a list", "[1, 2]"],
    ["null", "null"],
    ["other types", '{"session_id": 7, "cwd": [], "stop_hook_active": "yes", "prompt": {}}'],
    ["a path for a session", '{"session_id": "../../teamwork.db"}'],
    ["words of another version", `{"version": 99, "sessionId": "${SESSION}"}`],
    ["5 MB", huge],
  ])("answers %s as if there were no hook, for a session in a loop too", async (_what, input) => {
    using shop = await makeShop()
    await shop.join("--loop")
    const before = shop.dump()
    for (const event of EVENTS.filter((each) => input !== huge || each === "UserPromptSubmit")) {
      const stdout = await shop.raw(event, input)
      if (stdout !== "") expect(JSON.parse(stdout)).toBeObject()
    }
    // The worker of a session whose prompt came was heard of, no more.
    if (input !== huge) expect(shop.dump()).toEqual(before)
  })

  it("lets an event pass that it does not know", async () => {
    using shop = await makeShop()
    expect(await shop.hook("PreCompact")).toEqual({})
    expect(await shop.hook("Stop", {}, ["--host", "opencode"])).toEqual({})
  })

  it.each([[["hook"]], [["hook", "stop", "--newer-flag"]], [["hook", "stop", "--host", "another"]]])(
    "does not take %p for a denial, which 2 would be",
    async (args) => {
      using shop = await makeShop()
      const { exitCode, stdout, stderr } = await shop.run(args, { input: JSON.stringify({ session_id: SESSION }) })
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" })
      expect(stderr).toMatch(/^Error: [^\n]+\n$/)
    },
  )

  it("lets the session go on when store or settings are broken, and writes down why", async () => {
    using shop = await makeShop()
    await shop.ok("task", "create", "Schema")
    await shop.join("--loop")
    writeFileSync(join(shop.home, "config.json"), "{ broken")
    expect(await shop.hook("Stop", stopping(false))).toEqual({})
    expect(shop.log()).toMatch(/^\S+Z claude Stop: .*config\.json.*\n$/)
    writeFileSync(join(shop.home, "config.json"), "{}")
    writeFileSync(join(shop.home, "teamwork.db"), "this is no database")
    expect(await shop.hook("Stop", stopping(false))).toEqual({})
    expect(shop.log().trim().split("\n")).toHaveLength(2)
  })
})
