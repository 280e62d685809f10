// The command that agents run before each use of a tool, as the process that it is.
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Ownership } from "../../src/ownership/judge-path.ts"
import { JUDGE_WRITE, owning } from "../support/agents.ts"
import { runCli } from "../support/run-cli.ts"
import { makeScratch, sandboxEnv } from "../support/sandbox.ts"
import { type Bench, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"

setDefaultTimeout(TEST_TIMEOUT_MS)

const START = join(import.meta.dir, "../../src/bin/start.ts")

async function judge(folder: string, use: unknown, env = sandboxEnv(), ownership: Ownership = owning("src/**")) {
  const file = join(folder, "ownership.json")
  writeFileSync(file, JSON.stringify({ workspace: join(folder, "work"), ownership }))
  const stdin = new TextEncoder().encode(typeof use === "string" ? use : JSON.stringify(use))
  const child = Bun.spawn([...JUDGE_WRITE, file], { cwd: folder, env, stdin, stdout: "pipe", stderr: "pipe" })
  const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { stdout, stderr, exitCode }
}

it("says nothing to what is owned, and why to what is not", async () => {
  using scratch = makeScratch()
  mkdirSync(join(scratch.path, "work/src"), { recursive: true })
  symlinkSync("/etc", join(scratch.path, "work/src/link"))
  const write = (file_path: string) => judge(scratch.path, { tool_name: "Write", tool_input: { file_path } })
  expect(await write("src/a.txt")).toEqual({ stdout: "", stderr: "", exitCode: 0 })
  expect(await write(join(scratch.path, "work/src/a.txt"))).toMatchObject({ exitCode: 0 })
  expect(await write("b.txt")).toEqual({
    stdout: "",
    stderr: expect.stringMatching(/^"b\.txt" does not belong to task 1, which owns src\/\*\*; ask the lead: .*\n$/),
    exitCode: 2,
  })
  expect(await write("src/link/passwd")).toMatchObject({ exitCode: 2 })
  expect(await judge(scratch.path, { tool_name: "Read", tool_input: { file_path: "b.txt" } })).toMatchObject({
    exitCode: 0,
  })
  expect(await judge(scratch.path, { tool_name: "list" })).toMatchObject({ exitCode: 0 })
})

it("F011: lets the agent of a run change shared files, which the lead looks after elsewhere", async () => {
  using scratch = makeScratch()
  mkdirSync(join(scratch.path, "work"))
  const shared = { ...owning("src/**"), shared: ["**/package.json"] }
  const use = { tool_name: "Write", tool_input: { file_path: "web/package.json" } }
  expect(await judge(scratch.path, use, sandboxEnv(), shared)).toMatchObject({ exitCode: 2 })
  const coordinated = { ...shared, isCoordinated: true }
  expect(await judge(scratch.path, use, sandboxEnv(), coordinated)).toMatchObject({ exitCode: 0 })
})

it("denies what it does not understand, in one line", async () => {
  using scratch = makeScratch()
  for (const use of ["", "no json", "null", "[]", "{}", '{"tool_name":7}', '{"tool_name":"Write","tool_input":"x"}']) {
    const { exitCode, stderr } = await judge(scratch.path, use)
    expect([use, exitCode]).toEqual([use, 2])
    expect(stderr.trim().split("\n")).toHaveLength(1)
  }
})

it("judges also from a folder that is gone, where other commands say so", async () => {
  using scratch = makeScratch()
  const file = join(scratch.path, "ownership.json")
  const workspace = join(scratch.path, "work")
  mkdirSync(join(workspace, "src"), { recursive: true })
  writeFileSync(file, JSON.stringify({ workspace, ownership: owning("src/**") }))
  const run = async (args: readonly string[], path = "src/a.txt") => {
    const line = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"'
    const child = Bun.spawn(["sh", "-c", line, "sh", process.execPath, START, ...args], {
      ...{ cwd: scratch.path, env: sandboxEnv(), stdout: "pipe", stderr: "pipe" },
      stdin: new TextEncoder().encode(JSON.stringify({ tool_name: "Write", tool_input: { file_path: path } })),
    })
    const [stderr, exitCode] = await Promise.all([child.stderr.text(), child.exited])
    return { stderr, exitCode }
  }
  const managed = ["hook", "pre-tool-use", "--managed", file]
  expect(await run(managed)).toEqual({ stderr: "", exitCode: 0 })
  expect(await run(managed, "b.txt")).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("does not belong") })
  expect(await run(["hook", "stop"])).toEqual({ stderr: "", exitCode: 0 })
  expect(await run(["task", "list"])).toEqual({
    stderr: "Error: the current folder was deleted; change to another folder\n",
    exitCode: 2,
  })
  const told = await run(["task", "list", "--json"])
  expect(JSON.parse(told.stderr)).toMatchObject({
    status: "error",
    code: "usage",
    message: expect.stringContaining("was deleted"),
  })
  expect(told.exitCode).toBe(2)
})

it("denies everything when its file is gone or was changed, and at any other moment", async () => {
  using scratch = makeScratch()
  const file = join(scratch.path, "rules.json")
  const call = (event: string) =>
    runCli(["hook", event, "--managed", file], { input: JSON.stringify({ tool_name: "Read", tool_input: {} }) })
  for (const text of [undefined, "", "null", "{}", '{"workspace":"/x","ownership":{}}', '{"workspace":"x"}']) {
    if (text !== undefined) writeFileSync(file, text)
    const { exitCode, stderr } = await call("pre-tool-use")
    expect([text, exitCode]).toEqual([text, 2])
    expect(stderr).toMatch(/^teamwork cannot check whether you may write this, so it is refused: .*\n$/)
  }
  writeFileSync(file, JSON.stringify({ workspace: "/x", ownership: owning("src/**") }))
  expect(await call("pre-tool-use")).toMatchObject({ exitCode: 0, stderr: "" })
  expect(await call("stop")).toMatchObject({ exitCode: 2 })
})

it("needs neither a home nor settings", async () => {
  using scratch = makeScratch()
  const use = { tool_name: "Write", tool_input: { file_path: "src/a.txt" } }
  const env = { PATH: process.env.PATH ?? "", HOME: "/nowhere", TEAMWORK_STORE: "nonsense" }
  expect(await judge(scratch.path, use, env)).toEqual({ stdout: "", stderr: "", exitCode: 0 })
})

describe("what the file denies is asked again of the store", () => {
  const at = ["--project", "shop", "--team", "main"]

  /** Task 1 owns src/**, held by w1 when its agent was started. */
  async function held(...protocol: string[]) {
    const bench = makeBench()
    await bench.ok("project", "create", "--goal", "x", ...at, ...protocol)
    await bench.ok("task", "create", "--id", "1", "--title", "One", "--files", "src/**", ...at)
    const { claim_token: token } = await bench.ok<{ claim_token: number }>("task", "claim", "1", "--owner", "w1", ...at)
    return { bench, token }
  }

  const rules = (bench: Bench, token: number, ownership: Ownership = owning("src/**")) => ({
    workspace: bench.cwd,
    ownership,
    claim: { project: "shop", team: "main", task: "1", owner: "w1", token, store: `sqlite:${bench.home}/teamwork.db` },
  })

  /** Not even the home is known to the hook. */
  async function write(bench: Bench, file_path: string, written: object) {
    const file = join(bench.home, "rules.json")
    writeFileSync(file, JSON.stringify(written))
    const input = JSON.stringify({ tool_name: "Write", tool_input: { file_path } })
    const env = { TEAMWORK_TEST_BASE_DIR: "/nowhere", HOME: "/nowhere" }
    return runCli(["hook", "pre-tool-use", "--managed", file], { input, cwd: bench.home, env })
  }

  it("and what the lead granted since is allowed", async () => {
    const { bench, token } = await held()
    using _ = bench
    expect(await write(bench, "docs/a.md", rules(bench, token))).toMatchObject({ exitCode: 2 })
    await bench.ok("ownership", "ask", "1", "--owner", "w1", "--path", "docs/a.md", "--reason", "it is new", ...at)
    expect(await write(bench, "docs/a.md", rules(bench, token))).toMatchObject({ exitCode: 2 })
    await bench.ok("ownership", "grant", "1", "1", "--by", "orchestrator", ...at)
    expect(await write(bench, "docs/a.md", rules(bench, token))).toMatchObject({ exitCode: 0, stderr: "" })
    expect(await write(bench, "docs/b.md", rules(bench, token))).toMatchObject({ exitCode: 2 })
    // Whose claim is over has nothing granted.
    expect(await write(bench, "docs/a.md", rules(bench, token + 1))).toMatchObject({ exitCode: 2 })
    await bench.ok("task", "update", "1", "--owner", "w1", "--release", ...at)
    expect(await write(bench, "docs/a.md", rules(bench, token))).toMatchObject({ exitCode: 2 })
  })

  it("and what was shared when the agent was started still is", async () => {
    const { bench, token } = await held()
    using _ = bench
    const shared = { ...owning("src/**"), shared: ["src/schema/"] }
    expect(await write(bench, "src/schema/a.sql", rules(bench, token, shared))).toMatchObject({ exitCode: 2 })
  })

  it("and the phase counts that the task is in now", async () => {
    const { bench, token } = await held("--protocol", "planned")
    using _ = bench
    const locked = { ...owning("src/**"), locked: "task 1 is in skill_discovery" }
    const { exitCode, stderr } = await write(bench, "src/a.ts", rules(bench, token, locked))
    expect([exitCode, stderr]).toEqual([2, '"src/a.ts" may not be written yet: task 1 is in skill_discovery\n'])
    for (const phase of ["requirement", "skill_research", "plan_design", "awaiting_approval"])
      await bench.ok("task", "phase", "1", phase, "--owner", "w1", "--report", "x", ...at)
    await bench.ok("approve", "1", ...at)
    expect(await write(bench, "src/a.ts", rules(bench, token, locked))).toMatchObject({ exitCode: 0 })
  })

  it("and where it cannot be asked the denial stands", async () => {
    const { bench, token } = await held()
    using _ = bench
    for (const store of ["sqlite:/nowhere/x.db", "postgres://127.0.0.1:1/x", "nonsense", 7]) {
      const { claim, ...rest } = rules(bench, token)
      const { exitCode, stderr } = await write(bench, "docs/a.md", { ...rest, claim: { ...claim, store } })
      expect([store, exitCode]).toEqual([store, 2])
      expect(stderr).toStartWith('"docs/a.md" does not belong to task 1')
    }
  })
})
