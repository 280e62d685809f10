// What every real CLI does through its adapter. What one of them cannot do is left out by its description.

import { describe, expect, it } from "bun:test"
import { mkdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import type { AgentEvent, AgentResult } from "../../src/agents/port.ts"
import { CLOSING_SCHEMA, readClosingBlock } from "../../src/tasks/closing-block.ts"
import { owning } from "../support/agents.ts"
import { runCli } from "../support/run-cli.ts"
import {
  type Cli,
  FAKE_KEY,
  IS_ROOT,
  MAX_RUN_MS,
  makeWorld,
  NO_FILE,
  pinnedOf,
  readIn,
  titleOf,
  UNPRIVILEGED_USER,
  type World,
} from "./cli-world.ts"
import { TOKENS } from "./model-protocols.ts"

const MAIN = join(import.meta.dir, "../../src/bin/main.ts")

const RATE_LIMIT = {
  status: 429,
  type: "rate_limit_error",
  message: "Rate limit reached. Please try again in 90s.",
  headers: { "retry-after": "1" },
}

export function cliSuite(cli: Cli): void {
  const { name, capabilities } = cli.program
  const title = titleOf(cli)
  const canEdit = cli.lacksSandbox !== true

  describe(title, () => {
    it("is found with its version and a login", async () => {
      await using world = makeWorld(cli, {})
      const { version } = pinnedOf(cli)
      // Over a protocol it shows only when there is work.
      const isLoggedIn = cli.program.probe === undefined ? true : null
      expect(await world.agent.detect(world.env)).toMatchObject({ isAvailable: true, version, isLoggedIn })
    })

    it("says hello", async () => {
      await using world = makeWorld(cli, { hello: [{ text: "hello to you" }] })
      const { result, events } = await world.run({ prompt: "[[hello]] say hello" })
      expect(result).toMatchObject({ reason: "done", answer: "hello to you", error: "" })
      if (cli.lingers !== true) expect(result.exitCode).toBe(0)
      expect(result.usage).toMatchObject({ inputTokens: TOKENS.input, outputTokens: TOKENS.output })
      expect(result.usage.dollars === null).toBe(!(cli.tellsCost ?? capabilities.cost))
      expect(result.session?.id).toMatch(/\w{8}/)
      expect(events[0]).toMatchObject({ type: "started", session: result.session?.id })
      expect(events.filter(({ type }) => type === "unknown")).toEqual([])
      expect(scriptedSteps(world)).toEqual(["hello/0"])
      // Neither statistics nor signs of life.
      expect(world.model.asked.filter(({ step }) => step === "")).toEqual([])
    })

    it("writes a file where it may edit", async () => {
      await using world = makeWorld(cli, {
        edit: [{ text: "I write it", tool: cli.write("made.txt", "made by an agent\n") }, { text: "written" }],
      })
      const { result, events } = await world.run({ prompt: "[[edit]] write a file", permission: "edit" })
      expect(result).toMatchObject({ reason: "done", answer: "written", filesTouched: canEdit ? ["made.txt"] : [] })
      expect(readIn(world, "made.txt")).toBe(canEdit ? "made by an agent\n" : NO_FILE)
      const types = events.map(({ type }) => type)
      expect(types.indexOf("tool_result")).toBeGreaterThan(types.indexOf("tool_use"))
    })

    it("edits and commits in a worktree, and knows nothing of our environment but what it needs", async () => {
      const command = "env > environment.txt && git add made.txt && git commit --quiet --message=made"
      await using world = makeWorld(cli, {
        commit: [{ tool: cli.write("made.txt", "made\n") }, { tool: cli.run(command) }, { text: "committed" }],
      })
      const { result, events } = await world.run({ prompt: "[[commit]] write and commit", permission: "full" })
      expect(result).toMatchObject({ reason: "done", answer: "committed" })
      expect(result.filesTouched).toContain("made.txt")
      expect(events.filter((event) => event.type === "tool_result" && !event.ok)).toEqual([])
      expect(world.git("log", "--format=%s", "work")).toBe("made\nfirst")
      expect(world.git("show", "work:made.txt")).toBe("made")
      const environment = readIn(world, "environment.txt")
      expect(environment).toContain(`HOME=${world.env.HOME}\n`)
      expect(environment).not.toContain("NOT_FOR_AGENTS")
      expect(environment).not.toContain("TEAMWORK_TEST_BASE_DIR")
    })

    it("goes on with a session", async () => {
      await using world = makeWorld(cli, { one: [{ text: "first" }], two: [{ text: "second" }] })
      const first = (await world.run({ prompt: "[[one]]" })).result
      cli.beforeResume?.(world.env.HOME ?? "")
      const { result } = await world.run({ prompt: "[[two]]", resume: first.session })
      expect(result).toMatchObject({ reason: "done", answer: "second" })
      expect(result.session?.id).toBe(first.session?.id ?? "none")
      // The first question and its answer came along.
      expect(world.model.asked.find(({ step }) => step === "two/0")?.modelTurns).toBe(1)
      expect(result.usage).toMatchObject({ inputTokens: TOKENS.input, outputTokens: TOKENS.output })
      expect(result.session?.usage.inputTokens).toBe(2 * TOKENS.input)
    })

    it("cannot go on with a session that is not there", async () => {
      await using world = makeWorld(cli, { one: [{ text: "first" }] })
      const id = cli.unknownSession ?? "00000000-0000-4000-8000-000000000000"
      const usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, dollars: null }
      const { result } = await world.run({ prompt: "[[one]]", resume: { id, usage } })
      expect(result.reason).toBe("crashed")
      expect(result.error).not.toBe("")
    })

    it("gives a structured answer", async () => {
      await using world = makeWorld(cli, { structured: cli.structured({ color: "green", count: 3 }) })
      const answerSchema = {
        type: "object",
        properties: { color: { type: "string" }, count: { type: "integer" } },
        required: ["color", "count"],
        additionalProperties: false,
      }
      const { result } = await world.run({ prompt: "[[structured]] which color?", answerSchema })
      expect(result).toMatchObject({ reason: "done", structured: { color: "green", count: 3 } })
    })

    it("F030: has a closing block in the middle of its answer read, whatever follows", async () => {
      const words = [
        "I wrote half of it.",
        "**FAILED task #1:** the other half needs the database",
        "- LEARNED: the port is 5432",
        "```\nFINDING major src/a.ts:3: it leaks\n```",
        "Thank you, and good night.",
      ].join("\n\n")
      await using world = makeWorld(cli, { closing: [{ tool: cli.write("half.txt", "half\n") }, { text: words }] })
      const job = { prompt: "[[closing]] do it", permission: "full", closingSchema: CLOSING_SCHEMA } as const
      const { result } = await world.run(job)
      expect(result).toMatchObject({ reason: "done", structured: null })
      expect(readClosingBlock(result.answer, result.structured)).toMatchObject({
        ...{ outcome: "failed", reason: "the other half needs the database" },
        notes: [{ kind: "learning", text: "the port is 5432" }],
        findings: [{ severity: "major", file: "src/a.ts", line: 3, text: "it leaks" }],
      })
    })

    it("calls a tool of an MCP server", async () => {
      await using world = makeWorld(cli, {
        note: [
          { tool: cli.mcp("tiny", "team_note", { text: "remember the milk" }) },
          { text: "it said: {{lastToolResult}}" },
        ],
      })
      const tiny = {
        command: process.execPath,
        args: [join(import.meta.dir, "tiny-mcp.ts")],
        env: { NOTE_FILE: world.noteFile },
      }
      const { result, events } = await world.run({ prompt: "[[note]] leave a note", mcpServers: { tiny } })
      expect(result.answer).toContain("noted: remember the milk")
      expect(result.reason).toBe("done")
      expect(readFileSync(world.noteFile, "utf8")).toBe("remember the milk\n")
      const outputs = events.flatMap((event) => (event.type === "tool_result" && event.ok ? [event.output] : []))
      expect(outputs.join()).toContain("noted: remember the milk")
    })

    it("works on a task through our own MCP server, as the worker that it is started as", async () => {
      const call = (tool: string, input: Record<string, unknown>) => ({ tool: cli.mcp("teamwork", tool, input) })
      await using world = makeWorld(cli, {
        task: [
          call("task_claim", { next: true }),
          call("task_create", { title: "More work for me" }),
          call("task_claim", { id: "2", owner: "w2" }),
          call("evidence_run", { id: "1", command: ["git", "log", "-1", "--format=%s"] }),
          call("task_update", { id: "1", status: "resolved", result: "done" }),
          { text: "it said: {{lastToolResult}}" },
        ],
      })
      const home = join(world.worktree, "../teamwork-home")
      mkdirSync(home)
      const inTeam = (...args: string[]) =>
        runCli([...args, "--project", "shop", "--team", "main"], { home, cwd: world.worktree })
      await inTeam("project", "create", "--goal", "g")
      for (const title of ["Schema", "Endpoint"]) await inTeam("task", "create", "--title", title)
      const teamwork = {
        command: process.execPath,
        args: [MAIN, "mcp", "--as", "w1", "--project", "shop", "--team", "main"],
        env: { HOME: home, TEAMWORK_TEST_BASE_DIR: home },
      }
      const { result } = await world.run({ prompt: "[[task]] work", permission: "full", mcpServers: { teamwork } })
      expect(result.reason).toBe("done")
      expect(result.answer).toContain("resolved")
      expect((await inTeam("task", "get", "1")).json()).toMatchObject({
        data: {
          ...{ status: "resolved", claimed_by: "w1", result: "done" },
          evidence: [{ trust: "attested", by: "w1", exit_code: 0, output: "first\n" }],
        },
      })
      expect((await inTeam("task", "list")).json()).toMatchObject({
        data: [{ id: "1" }, { id: "2", status: "open", claimed_by: null }],
      })
    })
  })

  describe(`${title} does what it may, and is never left waiting for an answer`, () => {
    it("runs no command, or only in a sandbox, where it may edit", async () => {
      await using world = makeWorld(cli, {
        command: [{ tool: cli.run("touch inside.txt; touch ../outside.txt") }, { text: "it said: {{lastToolResult}}" }],
      })
      await world.run({ prompt: "[[command]]", permission: "edit" })
      expect(readIn(world, "../outside.txt")).toBe(NO_FILE)
      expect(readIn(world, "inside.txt")).toBe(cli.hasSandbox && canEdit ? "" : NO_FILE)
    })

    it("writes nothing where it may only ask", async () => {
      await using world = makeWorld(cli, { edit: [{ tool: cli.write("made.txt", "made\n") }, { text: "over" }] })
      const { result, events } = await world.run({ prompt: "[[edit]]", permission: "ask" })
      expect(["done", "permission"]).toContain(result.reason)
      expect(readIn(world, "made.txt")).toBe(NO_FILE)
      // It asked, and was told.
      if (name === "acp") expect(refusals(events)).toEqual(["not permitted: writing files is not permitted"])
    })

    // The others have more to show, in ownership.suite.ts.
    if (name === "acp")
      it("F044: writes only what is its own, is told what it may not, and goes on", async () => {
        await using world = makeWorld(cli, {
          edit: [
            { tool: cli.write("src/mine.txt", "mine\n") },
            { tool: cli.write("other.txt", "not mine\n") },
            { tool: cli.write("src/more.txt", "more\n") },
            { text: "over" },
          ],
        })
        if (cli.needsFolders === true) mkdirSync(join(world.worktree, "src"))
        const job = { prompt: "[[edit]]", permission: "edit", ownership: owning("src/**") } as const
        const { result, events } = await world.run(job)
        expect(readIn(world, "src/mine.txt")).toBe(canEdit ? "mine\n" : NO_FILE)
        expect(readIn(world, "other.txt")).toBe(NO_FILE)
        expect(result).toMatchObject({ reason: "done", answer: "over" })
        expect(result.filesTouched).toEqual(canEdit ? ["src/mine.txt", "src/more.txt"] : [])
        expect(refusals(events)).toContainEqual(
          expect.stringContaining('not permitted: "other.txt" does not belong to task 1'),
        )
      })

    if (!capabilities.hooks) return
    it("listens to a hook before a tool", async () => {
      await using world = makeWorld(cli, {
        edit: [{ tool: cli.write("made.txt", "made\n") }, { text: "it said: {{lastToolResult}}" }],
      })
      const hooks = { beforeTool: "cat > hook.json; echo 'ask the leader first' >&2; exit 2" }
      const { result } = await world.run({ prompt: "[[edit]]", permission: "full", hooks })
      expect(readIn(world, "made.txt")).toBe(NO_FILE)
      expect(result).toMatchObject({ reason: "done", filesTouched: [] })
      expect(result.answer).toContain("ask the leader first")
      expect(JSON.parse(readIn(world, "hook.json"))).toHaveProperty("tool_name")
    })

    it("goes back to work when a hook says so", async () => {
      await using world = makeWorld(cli, { work: [{ text: "finished" }], again: [{ text: "really finished" }] })
      const answer = JSON.stringify({ decision: cli.blockWord, reason: "[[again]] not yet" })
      const hooks = { beforeStop: `[ -e asked.txt ] || echo '${answer}'; touch asked.txt` }
      const { result } = await world.run({ prompt: "[[work]]", permission: "full", hooks })
      expect(result).toMatchObject({ reason: "done", answer: "really finished" })
    })
  })

  describe(`${title} tells why it could not go on`, () => {
    it("a rate limit", async () => {
      await using world = makeWorld(cli, { busy: [{ error: RATE_LIMIT }] })
      const { result } = await world.run({ prompt: "[[busy]]" })
      expect(result.reason).toBe("rate-limited")
      if (cli.tellsRetryTime) expect(result.retryAt).toBeGreaterThan(Date.now())
      else expect(result.retryAt).toBeNull()
      expect(JSON.stringify(result)).not.toContain(FAKE_KEY)
    })

    it("a key that is not valid", async () => {
      const error = { status: 401, type: "authentication_error", message: "invalid x-api-key" }
      await using world = makeWorld(cli, { locked: [{ error }] })
      expect((await world.run({ prompt: "[[locked]]" })).result.reason).toBe("auth")
    })

    it("a conversation that is too long", async () => {
      await using world = makeWorld(cli, { long: [{ error: cli.overflow }] })
      const { reason } = (await world.run({ prompt: "[[long]]" })).result
      expect(reason).toBe(cli.shortensByItself === true ? "done" : "context-overflow")
      expect(scriptedSteps(world)).toContain("long/0")
    })

    it.each(["cut", "garbage"] as const)("an answer that breaks off: %s", async (fault) => {
      await using world = makeWorld(cli, { broken: [{ text: "I was about to", fault }] })
      const isEndless = cli.brokenAnswer === "timed-out"
      const result = isEndless
        ? await runOutOfTime(cli, world, "[[broken]]")
        : (await world.run({ prompt: "[[broken]]" })).result
      expect(scriptedSteps(world)).toContain("broken/0")
      // A line that went dead may also be told as such.
      expect([cli.brokenAnswer, "unreachable"]).toContain(result.reason)
      expect(result.error).not.toBe("")
    })

    it("unless it helps to try again", async () => {
      await using world = makeWorld(cli, {
        cut: [{ text: "all of it", fault: "cut", times: 1 }],
        busy: [{ text: "not so busy", error: { ...RATE_LIMIT, message: "Rate limit reached" }, times: 1 }],
      })
      const cut = (await world.run({ prompt: "[[cut]]" })).result
      const answer = cli.keepsBrokenText ? "all of itall of it" : "all of it"
      expect(cut).toMatchObject({ reason: "done", answer, error: "" })
      expect((await world.run({ prompt: "[[busy]]" })).result).toMatchObject({ reason: "done", answer: "not so busy" })
    })

    it("the limit on turns", async () => {
      await using world = makeWorld(cli, { endless: [{ text: "again", tool: cli.write("again.txt", "again\n") }] })
      const { result } = await world.run({ prompt: "[[endless]]", limits: { turns: 2 } })
      expect(result.reason).toBe("turn-limit")
      expect(scriptedSteps(world).length).toBeLessThan(8)
    })

    if (!cli.tellsUsageWhileRunning && cli.tellsContextWhileRunning !== true) return
    it("the limit on tokens", async () => {
      await using world = makeWorld(cli, { endless: [{ text: "again", tool: cli.write("again.txt", "again\n") }] })
      // Of two answers together, or already of the first.
      const tokens = cli.tellsUsageWhileRunning ? 200 : 100
      const { result } = await world.run({ prompt: "[[endless]]", limits: { tokens } })
      expect(result.reason).toBe("budget")
      expect(result.usage.inputTokens + result.usage.outputTokens).toBeGreaterThan(tokens)
    })

    if (!cli.tellsUsageWhileRunning) return

    it("the limit on money", async () => {
      await using world = makeWorld(cli, { endless: [{ text: "again", tool: cli.write("again.txt", "again\n") }] })
      const { result } = await world.run({ prompt: "[[endless]]", limits: { dollars: 0.0002 } })
      expect(result.reason).toBe("budget")
      expect(result.usage.dollars).toBeGreaterThan(0.0002)
    })
  })

  describe(`${title} is stopped, with all it started`, () => {
    it("by its time, when the model says nothing more", async () => {
      await using world = makeWorld(cli, { silent: [{ text: "hm", fault: "hang" }] })
      expect((await runOutOfTime(cli, world, "[[silent]]")).reason).toBe("timed-out")
      expect(scriptedSteps(world)).toContain("silent/0")
    })

    it("by its caller, while a command runs", async () => {
      await using world = makeWorld(cli, {
        sleepy: [{ tool: cli.run("touch began.txt; sleep 300") }, { text: "awake" }],
      })
      // And not by its time, of which it has less than the command wants.
      expect((await stopWhileItRuns(world)).reason).toBe("cancelled")
    })
  })

  if (capabilities.messages || capabilities.resume) takesMessages(cli)
  if (IS_ROOT) worksWithoutRoot(cli)
}

/** Whoever is not root shows it by every other test. */
function worksWithoutRoot(cli: Cli): void {
  describe(`${titleOf(cli)} as a user without rights`, () => {
    it("says hello, writes a file and runs a command", async () => {
      const command = cli.run("id -u > who.txt")
      const steps = [{ text: "hello", tool: cli.write("made.txt", "made\n") }, { tool: command }, { text: "bye" }]
      await using world = makeWorld(cli, { work: steps }, { isUnprivileged: true })
      const { result, events } = await world.run({ prompt: "[[work]]", permission: "full" })
      expect(result).toMatchObject({ reason: "done", answer: "bye", error: "" })
      expect(events.flatMap((event) => (event.type === "text" ? [event.text] : [])).join()).toContain("hello")
      expect(readIn(world, "made.txt")).toBe("made\n")
      expect(statSync(join(world.worktree, "made.txt")).uid).toBe(UNPRIVILEGED_USER)
      expect(readIn(world, "who.txt")).toBe(`${UNPRIVILEGED_USER}\n`)
    })

    it("is stopped while a command runs", async () => {
      const sleepy = [{ tool: cli.run("touch began.txt; sleep 300") }, { text: "awake" }]
      await using world = makeWorld(cli, { sleepy }, { isUnprivileged: true })
      expect((await stopWhileItRuns(world)).reason).toBe("cancelled")
    })
  })
}

async function stopWhileItRuns(world: World): Promise<AgentResult> {
  const controller = new AbortController()
  const began = waitFor(() => readIn(world, "began.txt") === "").then(() => controller.abort())
  const { result } = await world.run({ prompt: "[[sleepy]]", permission: "full" }, { signal: controller.signal })
  await began
  return result
}

function refusals(events: readonly AgentEvent[]): string[] {
  return events.flatMap((event) => (event.type === "tool_result" && !event.ok ? [event.output] : []))
}

function takesMessages(cli: Cli): void {
  it(`${titleOf(cli)} takes a message while it runs`, async () => {
    await using world = makeWorld(cli, {
      work: [{ tool: cli.run("touch began.txt; while [ ! -e go.txt ]; do sleep 0.05; done") }, { text: "worked" }],
      more: [{ text: "heard you" }],
    })
    async function* messages() {
      await waitFor(() => readIn(world, "began.txt") === "")
      yield { id: "41", text: "[[more]] one thing more" }
      await Bun.write(join(world.worktree, "go.txt"), "")
      await new Promise(() => undefined)
    }
    const { result, events } = await world.run({ prompt: "[[work]]", permission: "full" }, { messages: messages() })
    expect(result).toMatchObject({ reason: "done", answer: "heard you" })
    expect(events.filter(({ type }) => type === "unknown")).toEqual([])
    expect(events.filter((event: AgentEvent) => event.type === "message_delivered")).toMatchObject([
      { messageId: "41" },
    ])
  })
}

/** With so much time that the model is asked; on a busy machine more than once is needed to find out how much. */
async function runOutOfTime({ startMs }: Cli, world: World, prompt: string): Promise<AgentResult> {
  for (let timeMs = startMs; ; timeMs *= 2) {
    const { result } = await world.run({ prompt, limits: { timeMs } })
    if (scriptedSteps(world).length > 0 || 2 * timeMs > MAX_RUN_MS) return result
  }
}

function scriptedSteps({ model }: World): string[] {
  return model.asked.map(({ step }) => step).filter((step) => step !== "" && !step.startsWith("default"))
}

async function waitFor(isSo: () => boolean): Promise<void> {
  const deadline = Date.now() + MAX_RUN_MS
  while (!isSo()) {
    if (Date.now() > deadline) throw new Error("it did not happen in time")
    await Bun.sleep(20)
  }
}
