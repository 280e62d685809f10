// The built program, one file that needs neither Bun nor node_modules, does what the sources do: one walk through each
// door and each way in which it starts itself again. It is run from a folder of its own with an empty PATH for Bun, on
// a repository that knows nothing of us.
import { afterAll, beforeAll, describe, expect, it, setDefaultTimeout } from "bun:test"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { git } from "../e2e/bench.ts"
import { makeScratch, type Scratch, sandboxEnv } from "../support/sandbox.ts"
import { makeRepository, processesOf, writePlan } from "../support/team-runs.ts"

setDefaultTimeout(180_000)

let scratch: Scratch
let program: string
beforeAll(async () => {
  scratch = makeScratch("built")
  program = join(scratch.path, "bin/teamwork")
  const build = Bun.spawn([process.execPath, join(import.meta.dir, "../../scripts/build.ts"), program], {
    env: sandboxEnv(),
    stdio: ["ignore", "ignore", "inherit"],
  })
  expect(await build.exited).toBe(0)
})
afterAll(() => scratch[Symbol.dispose]())

let places = 0

/** A repository of somebody else's, and a home in which we were never before. */
function makePlace(files: Readonly<Record<string, string>> = {}) {
  const folder = join(scratch.path, `place-${++places}`)
  const [home, cwd] = [join(folder, "home"), join(folder, "shop")]
  for (const each of [home, cwd]) mkdirSync(each, { recursive: true })
  makeRepository(cwd, files)
  const env = sandboxEnv({ HOME: home, TEAMWORK_TEST_BASE_DIR: home, PATH: "/usr/local/bin:/usr/bin:/bin" })
  const run = async (args: readonly string[], { input = "", folder: where = cwd } = {}) => {
    const child = Bun.spawn([program, ...args], {
      ...{ cwd: where, env, stdin: new TextEncoder().encode(input), stdout: "pipe", stderr: "pipe" },
    })
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { exitCode: child.exitCode, stdout, stderr }
  }
  const ok = async (...args: string[]) => {
    const { exitCode, stdout, stderr } = await run([...args, "--json"])
    expect({ args, exitCode, stderr }).toMatchObject({ args, exitCode: 0 })
    // A run prints a line for everything that happens, and its answer last.
    return JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "").data
  }
  return { home, cwd, env, run, ok }
}

describe("the built program", () => {
  it("tells its version and its commands, and what is wrong with a call", async () => {
    const { run } = makePlace()
    const { version } = await Bun.file(join(import.meta.dir, "../../package.json")).json()
    expect(await run(["--version"])).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: "" })
    expect((await run(["help"])).stdout).toContain("task claim")
    expect(await run(["task", "clam"])).toMatchObject({ exitCode: 2, stdout: "" })
  })

  it("takes a task from create to done by hand", async () => {
    const { ok } = makePlace()
    await ok("project", "create", "--goal", "Search page")
    await ok("task", "create", "Schema", "--role", "backend")
    expect(await ok("task", "claim", "--next", "--owner", "w1")).toMatchObject({ id: "1", claimed_by: "w1" })
    await ok("evidence", "run", "--id", "1", "--owner", "w1", "--", "true")
    await ok("task", "update", "--id", "1", "--owner", "w1", "--status", "resolved", "--add-evidence", "12 tests pass")
    expect(await ok("project", "status")).toMatchObject({ stats: { resolved: 1 } })
  })

  it.each(["child", "tmux"])("runs a team to the target branch, with workers in %s", async (runtime) => {
    const { cwd, home, ok } = makePlace({ "test.sh": "exit 0\n" })
    const plan = writePlan(join(home, "plan.json"), [
      { id: "1", run: ["echo one > f1"] },
      { id: "2", run: ["echo two > f2"] },
      { id: "3", needs: ["1", "2"], run: ["cat f1 f2 > f3"] },
    ])
    const end = await ok("run", plan, "--workers", "2", "--runtime", runtime)
    expect(end).toMatchObject({ outcome: "done" })
    expect(git(cwd, "show", "main:f3")).toBe("one\ntwo")
    expect(await ok("report", "--format", "json")).toMatchObject({ tasks: expect.any(Array) })
    await ok("undo")
    expect(git(cwd, "log", "--format=%s", "main")).toBe("Start")
    const left = processesOf(home).filter(({ command }) => command.includes("teamwork worker"))
    expect(left).toEqual([])
  })

  it("plans with a preset and roles that are built in", async () => {
    const { ok } = makePlace()
    expect((await ok("presets")).length).toBeGreaterThan(0)
    expect((await ok("role", "list")).length).toBeGreaterThan(5)
  })

  it("serves agents over MCP", async () => {
    const { cwd, env, ok } = makePlace()
    await ok("project", "create", "--goal", "Search page")
    const client = new Client({ name: "smoke", version: "1" })
    await client.connect(new StdioClientTransport({ command: program, args: ["mcp"], cwd, env, stderr: "ignore" }))
    try {
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toContain("task_claim")
      await client.callTool({ name: "task_create", arguments: { title: "Schema" } })
      const listed = await client.callTool({ name: "task_list", arguments: {} })
      expect(listed.structuredContent).toMatchObject({ tasks: [{ id: "1", title: "Schema" }] })
    } finally {
      await client.close()
    }
  })

  it("answers the hooks of a session that has joined, and lets the others pass", async () => {
    const { cwd, ok, run } = makePlace()
    await ok("project", "create", "--goal", "Search page")
    await ok("task", "create", "Schema", "--files", "src/")
    const call = (session: string, path: string) =>
      JSON.stringify({
        ...{ session_id: session, cwd, hook_event_name: "PreToolUse", tool_name: "Write" },
        tool_input: { file_path: join(cwd, path), content: "" },
      })
    expect(await run(["hook", "PreToolUse"], { input: call("stranger", "a.txt") })).toMatchObject({
      ...{ exitCode: 0, stdout: "" },
    })
    for (const [session, worker] of [
      ["s1", "w1"],
      ["s2", "w2"],
    ] as const)
      await ok("join", "--terminal-id", session, "--worker-id", worker)
    await ok("task", "claim", "--id", "1", "--owner", "w1")
    const own = await run(["hook", "PreToolUse"], { input: call("s1", "src/a.ts") })
    expect(own).toMatchObject({ exitCode: 0, stdout: "" })
    const foreign = await run(["hook", "PreToolUse"], { input: call("s2", "src/a.ts") })
    expect(JSON.parse(foreign.stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } })
  })

  it("starts a job of an agent in the background by itself", async () => {
    const { ok } = makePlace()
    const job = await ok("agent", "exec", "--agent", "script", "echo hello", "--wait")
    expect(job).toMatchObject({ agent: "script", status: "completed" })
  })

  it("brings its plugin and completions along", async () => {
    const { ok, run } = makePlace()
    const { folder } = await ok("plugin", "path")
    expect(existsSync(join(folder, ".claude-plugin/plugin.json"))).toBe(true)
    expect((await run(["completion", "bash"])).stdout).toContain("teamwork")
  })

  it("writes a team to files and reads it again", async () => {
    const { cwd, home, ok } = makePlace()
    await ok("project", "create", "--goal", "Search page")
    await ok("task", "create", "Schema")
    await ok("export", "--to", join(home, "out"))
    expect(JSON.parse(readFileSync(join(home, "out/tasks/1.json"), "utf8"))).toMatchObject({ title: "Schema" })
    const imported = await ok("import", join(home, "out"), "--as", "copy/main")
    expect(imported).toBeDefined()
    writeFileSync(join(cwd, ".env"), "TEAMWORK_PROJECT=stolen\n")
    // A .env of the repository belongs to the repository.
    expect(await ok("project", "status")).toMatchObject({ project: "shop" })
  })

  it("finds nothing wrong with a new home", async () => {
    expect(await makePlace().run(["doctor"])).toMatchObject({ exitCode: 0 })
  })
})
