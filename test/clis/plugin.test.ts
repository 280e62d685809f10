// The plugin in the real Claude Code, against a scripted model: that it is valid, installs by the host's own commands,
// that its commands, agents and hooks find the program, and that all of it is gone when it is removed.
import { afterEach, beforeEach, describe, expect, it } from "bun:test"
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { quoteArgument } from "../../src/lib/text/quote-argument.ts"
import { makeScratch, type Scratch, sandboxEnv } from "../support/sandbox.ts"
import { commandOf, FAKE_KEY, MAX_RUN_MS } from "./cli-world.ts"
import { type Scripts, startFakeModel } from "./fake-model.ts"
import { findPinned } from "./pinned.ts"

const ROOT = join(import.meta.dir, "../..")
const PLUGIN = join(ROOT, "plugin")
const SELF = [process.execPath, join(ROOT, "src/bin/main.ts")]

let scratch: Scratch
beforeEach(() => {
  scratch = makeScratch("plugin")
})
afterEach(() => scratch[Symbol.dispose]())

interface Ended {
  readonly exitCode: number
  readonly out: string
  readonly err: string
}

/** A person's machine: a home, a repository, Claude Code on the PATH, and `teamwork` too if `hasProgram`. */
function makeMachine(url: string, { hasProgram = false } = {}) {
  const [home, repository, programs] = ["home", "shop", "programs"].map((name) => join(scratch.path, name)) as [
    string,
    string,
    string,
  ]
  for (const folder of [home, repository, programs]) mkdirSync(folder)
  const log = join(scratch.path, "calls.log")
  writeFileSync(log, "")
  const put = (name: string, lines: readonly string[]) => {
    writeFileSync(join(programs, name), ["#!/bin/sh", ...lines, ""].join("\n"))
    chmodSync(join(programs, name), 0o755)
  }
  const self = SELF.map(quoteArgument).join(" ")
  put("claude", [`exec ${quoteArgument(commandOf(findPinned("claude")))} "$@"`])
  if (hasProgram) put("teamwork", [`echo "$*" >>${quoteArgument(log)}`, `exec ${self} "$@"`])
  const env = sandboxEnv({
    ...{ HOME: home, TEAMWORK_TEST_BASE_DIR: join(home, ".claude/teamwork"), TMPDIR: scratch.path },
    ...{ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: FAKE_KEY, CLAUDE_CODE_MAX_RETRIES: "1" },
    ...{ DISABLE_TELEMETRY: "1", DISABLE_ERROR_REPORTING: "1", DISABLE_AUTOUPDATER: "1" },
    ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" },
    PATH: [programs, process.env.PATH].join(delimiter),
  })
  const run = async (command: readonly string[]): Promise<Ended> => {
    const child = Bun.spawn([...command], {
      cwd: repository,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: MAX_RUN_MS,
    })
    const [out, err, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { exitCode, out, err }
  }
  const ok = async (command: readonly string[]): Promise<string> => {
    const { exitCode, out, err } = await run(command)
    if (exitCode !== 0) throw new Error(`${command.join(" ")}: exit code ${exitCode}\n${out}\n${err}`)
    return out
  }
  return {
    run,
    claude: (...args: string[]) => ok(["claude", ...args]),
    teamwork: (...args: string[]) => ok([...SELF, ...args]),
    /** One prompt; the last line, which is the result. */
    ask: async (prompt: string, ...args: string[]) => {
      const flags = ["--output-format", "stream-json", "--verbose", "--model", "sonnet", ...args]
      const lines = (await ok(["claude", "-p", prompt, ...flags])).trim().split("\n")
      return JSON.parse(lines.at(-1) ?? "") as { result: string; session_id: string; is_error: boolean }
    },
    /** How the program was called since the last time. */
    calls() {
      const calls = readFileSync(log, "utf8").trim().split("\n")
      writeFileSync(log, "")
      return calls
    },
  }
}

/** The scripted model, and all that it was told. */
function startModel(scripts: Scripts) {
  const model = startFakeModel(scripts)
  const told: string[] = []
  const server = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0, idleTimeout: 0 },
    async fetch(request) {
      const body = await request.text()
      told.push(body)
      const { pathname } = new URL(request.url)
      const headers = { "content-type": "application/json" }
      return fetch(`${model.url}${pathname}`, { method: request.method, headers, ...(body === "" ? {} : { body }) })
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    told,
    async [Symbol.asyncDispose]() {
      await server.stop(true)
      await model[Symbol.asyncDispose]()
    },
  }
}

const bash = (command: string) => ({ tool: { name: "Bash", input: { command } } })

describe("the plugin", () => {
  it("is valid to the last warning", async () => {
    const { claude } = makeMachine("http://127.0.0.1:1")
    expect(await claude("plugin", "validate", "--strict", PLUGIN)).toMatch(/✔ Validation passed\s*$/)
  })

  it("shows a session how far the team is, with nothing on the PATH", async () => {
    await using model = startModel({ seen: [{ text: "it was told" }] })
    const { ask, teamwork } = makeMachine(model.url)
    await teamwork("project", "create", "--goal", "[[seen]] Search page")
    await teamwork("task", "create", "Schema of items")
    const { result } = await ask("/teamwork:teamwork-status", "--plugin-dir", PLUGIN)
    expect(result).toBe("it was told")
    expect(model.told.join("\n")).toContain("Schema of items")
  })

  it("tells the user what is wrong where there is no team", async () => {
    await using model = startModel({})
    const { ask } = makeMachine(model.url)
    const { result } = await ask("/teamwork:teamwork-status", "--plugin-dir", PLUGIN)
    expect(result).toContain("project shop/main does not exist")
    expect(model.told).toEqual([])
  })

  it("has agents that know their workflow and find the program", async () => {
    const agent = {
      description: "x",
      prompt: "[[worker]] go",
      subagent_type: "teamwork:backend",
      run_in_background: false,
    }
    await using model = startModel({
      lead: [{ tool: { name: "Task", input: agent } }, { text: "{{lastToolResult}}" }],
      worker: [bash("teamwork --version"), { text: "version {{lastToolResult}}" }],
    })
    const { ask } = makeMachine(model.url)
    const { result } = await ask("[[lead]] go", "--plugin-dir", PLUGIN, "--allowedTools", "Bash(teamwork:*)")
    expect(result).toMatch(/version \d+\.\d+\.\d+/)
    const ofWorker = model.told.find((body) =>
      body.includes("You are a worker of a teamwork team, of the role backend"),
    )
    expect(ofWorker).toContain("One task, from claim to done")
  })

  it("installs through teamwork, and then hooks and server run and a session can join; removed, nothing of it is left", async () => {
    await using model = startModel({
      work: [bash("teamwork join --role backend"), { text: "{{lastToolResult}}" }],
      look: [
        { tool: { name: "mcp__plugin_teamwork_teamwork__team_status", input: {} } },
        { text: "{{lastToolResult}}" },
      ],
      rest: [bash("true"), { text: "rested" }],
    })
    const { ask, claude, teamwork, calls } = makeMachine(model.url, { hasProgram: true })
    await teamwork("project", "create", "--goal", "Search page")
    await teamwork("plugin", "install")
    const [listed] = JSON.parse(await claude("plugin", "list", "--json"))
    expect(listed).toMatchObject({ id: "teamwork@teamwork", scope: "user", enabled: true, readFromFolder: PLUGIN })

    const { result, session_id: session } = await ask("[[work]] go", "--allowedTools", "Bash(teamwork:*)")
    expect(JSON.parse(result)).toMatchObject({ data: { terminal_id: session, part: "worker", role: "backend" } })
    const called = calls()
    for (const event of ["session-start", "prompt", "pre-tool-use", "post-tool-use", "stop", "session-end"])
      expect(called).toContain(`hook ${event}`)
    expect(called).toContain("mcp")
    expect(called).toContain("join --role backend")

    const looked = await ask("[[look]] go", "--allowedTools", "mcp__plugin_teamwork_teamwork")
    expect(looked.result).toContain("Search page")

    await teamwork("plugin", "remove")
    expect(JSON.parse(await claude("plugin", "list", "--json"))).toEqual([])
    calls()
    expect((await ask("[[rest]] go", "--allowedTools", "Bash(true)")).result).toBe("rested")
    expect(calls()).toEqual([""])
  })
})
