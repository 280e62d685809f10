// What hooks hold a session to that has joined a team, and what they note of it, as the processes that they are.
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Bench, type Data, git, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"
import { prepareRepository } from "./command-cases.ts"

setDefaultTimeout(TEST_TIMEOUT_MS)

const SESSION = "session-1"
const SOME_TOKEN = "not-for-anybody-0123456789"

async function makeTeam(...flags: string[]): Promise<Bench> {
  const bench = makeBench()
  prepareRepository(bench)
  await bench.ok("project", "create", "--goal", "x", ...flags)
  await bench.ok("task", "create", "--id", "1", "--title", "API", "--files", "src/api/**", "--check", "./verify.sh")
  await bench.ok("task", "create", "--id", "2", "--title", "Docs", "--files", "docs/")
  return bench
}

/** What the hook printed; it always ends with 0. */
async function hook(bench: Bench, event: string, call: Data, session = SESSION): Promise<string> {
  const input = JSON.stringify({ session_id: session, cwd: bench.cwd, ...call })
  const { exitCode, stdout, stderr } = await bench.run(["hook", event], { input, env: { SOME_TOKEN } })
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
  const log = join(bench.home, "hooks.log")
  expect(existsSync(log) ? readFileSync(log, "utf8") : "").toBe("")
  return stdout
}

async function before(bench: Bench, tool_name: string, tool_input: Data, more: Data = {}): Promise<string> {
  const printed = await hook(bench, "pre-tool-use", { tool_name, tool_input, tool_use_id: "t1", ...more })
  if (printed === "") return "allowed"
  const { permissionDecision, permissionDecisionReason } = JSON.parse(printed).hookSpecificOutput
  expect(permissionDecision).toBe("deny")
  return permissionDecisionReason
}

const write = (bench: Bench, file_path: string, more: Data = {}) =>
  before(bench, "Write", { file_path, content: "x" }, more)

describe("before a tool is used", () => {
  it("a session that has not joined hears nothing, and no store is opened or made", async () => {
    using bench = makeBench()
    expect(await write(bench, "src/a.ts")).toBe("allowed")
    expect(existsSync(join(bench.home, "teamwork.db"))).toBe(false)
  })

  it("what the settings say is shared is not the task's, whoever asks", async () => {
    using bench = await makeTeam()
    await bench.ok("join", "--terminal-id", SESSION, "--worker-id", "w1")
    await bench.ok("task", "claim", "1", "--owner", "w1")
    expect(await write(bench, "src/api/keys.ts")).toBe("allowed")
    writeFileSync(join(bench.cwd, "teamwork.json"), JSON.stringify({ ownership: { shared: ["**/keys.ts"] } }))
    expect(await write(bench, "src/api/keys.ts")).toContain("is a shared file, which only the lead may change")
    expect(await write(bench, "src/api/a.ts")).toBe("allowed")
    // A folder that only looks like a repository has no settings of its own.
    mkdirSync(join(bench.cwd, "sub/.git"), { recursive: true })
    const call = {
      session_id: SESSION,
      cwd: bench.cwd,
      tool_name: "Write",
      tool_input: { file_path: "src/api/keys.ts" },
    }
    const { stdout } = await bench.run(["hook", "pre-tool-use"], {
      input: JSON.stringify(call),
      cwd: join(bench.cwd, "sub"),
    })
    expect(stdout).toContain("is a shared file")
  })

  it("a worker writes nothing in the repository before it holds a task, and what its task owns then", async () => {
    using bench = await makeTeam()
    await bench.ok("join", "--terminal-id", SESSION, "--worker-id", "w1")
    expect(await write(bench, "src/api/a.ts")).toBe(
      "worker w1 holds no task, so it cannot write in the repository; claim one: " +
        "teamwork task claim --next --owner w1 (or leave the team: teamwork leave)",
    )
    expect(await before(bench, "Read", { file_path: "src/api/a.ts" })).toBe("allowed")
    for (const command of ["npm test", "teamwork agent exec --agent codex 'Find it'"])
      expect(await before(bench, "Bash", { command })).toBe("allowed")
    expect(await write(bench, join(bench.home, "notes.txt"))).toBe("allowed")
    await bench.ok("task", "claim", "1", "--owner", "w1")
    expect(await write(bench, join(bench.cwd, "src/api/a.ts"))).toBe("allowed")
    expect(await write(bench, "docs/a.md")).toStartWith(
      '"docs/a.md" belongs to task 2 (docs/), not to task 1; ask the lead',
    )
    expect(await write(bench, ".git/config")).toContain("belongs to git")
    await bench.ok("ownership", "ask", "1", "--owner", "w1", "--path", "docs/a.md", "--reason", "new")
    await bench.ok("ownership", "grant", "1", "1", "--by", "orchestrator")
    expect(await write(bench, "docs/a.md")).toBe("allowed")
    expect(await write(bench, "docs/b.md")).not.toBe("allowed")
    await bench.ok("task", "claim", "2", "--owner", "w1")
    expect(await write(bench, "docs/b.md")).toBe("allowed")
    await bench.ok("leave", "--terminal-id", SESSION)
    expect(await write(bench, "other.txt")).toBe("allowed")
  })

  it("a path is judged by the file that it means: links, folders, patches and other checkouts", async () => {
    using bench = await makeTeam()
    mkdirSync(join(bench.cwd, "src/api"), { recursive: true })
    mkdirSync(join(bench.cwd, "docs"))
    symlinkSync(join(bench.cwd, "docs"), join(bench.cwd, "src/api/link"))
    symlinkSync(join(bench.cwd, "src/api"), join(bench.home, "way-in"))
    git(bench.cwd, "worktree", "add", "--quiet", "-b", "side", join(bench.home, "side"))
    await bench.ok("join", "--terminal-id", SESSION, "--worker-id", "w1")
    await bench.ok("task", "claim", "1", "--owner", "w1")
    expect(await write(bench, "src/api/link/a.md")).toContain('"docs/a.md" belongs to task 2')
    expect(await write(bench, join(bench.home, "way-in/a.ts"))).toBe("allowed")
    expect(await write(bench, `${bench.home}/way-in/../b.ts`)).toContain('"src/b.ts"')
    expect(await write(bench, "a.ts", { cwd: join(bench.cwd, "src/api") })).toBe("allowed")
    expect(await write(bench, "../b.ts", { cwd: join(bench.cwd, "src/api") })).toContain('"src/b.ts"')
    expect(await write(bench, join(bench.home, "side/src/api/a.ts"))).toBe("allowed")
    expect(await write(bench, join(bench.home, "side/b.ts"))).toContain('"b.ts"')
    // Whoever works somewhere else meanwhile is not free of it.
    expect(await write(bench, join(bench.cwd, "b.ts"), { cwd: bench.home })).toContain('"b.ts"')
    const patch = (path: string) =>
      `*** Begin Patch\n*** Update File: src/api/a.ts\n*** Add File: ${path}\n+x\n*** End Patch`
    expect(await before(bench, "apply_patch", { command: patch("src/api/b.ts") })).toBe("allowed")
    expect(await before(bench, "apply_patch", { command: patch("docs/b.md") })).toContain('"docs/b.md"')
    expect(await before(bench, "write_file", { file_path: "docs/b.md" })).toContain('"docs/b.md"')
    expect(await before(bench, "edit", { filePath: "docs/b.md" })).toContain('"docs/b.md"')
    expect(await before(bench, "Write", {})).toBe("it does not say which files it writes")
  })

  it("nothing is written for a task whose plan is not approved", async () => {
    using bench = await makeTeam("--protocol", "planned")
    await bench.ok("join", "--terminal-id", SESSION, "--worker-id", "w1")
    await bench.ok("task", "claim", "1", "--owner", "w1")
    expect(await bench.text("task", "get", "1")).toMatch(/^phase +skill_discovery$/m)
    expect(await write(bench, "src/api/a.ts")).toBe(
      '"src/api/a.ts" may not be written yet: task 1 is in skill_discovery',
    )
    for (const phase of ["requirement", "skill_research", "plan_design", "awaiting_approval"])
      await bench.ok("task", "phase", "1", phase, "--owner", "w1", "--report", "x")
    expect(await write(bench, "src/api/a.ts")).toContain("task 1 is in awaiting_approval")
    await bench.ok("approve", "1")
    expect(await write(bench, "src/api/a.ts")).toBe("allowed")
  })

  it("a lead writes what is shared and what is nobody's, and leaves the rest to its task", async () => {
    using bench = await makeTeam()
    await bench.ok("join", "--terminal-id", SESSION, "--lead")
    expect(await write(bench, "package.json")).toBe("allowed")
    expect(await write(bench, "notes.md")).toBe("allowed")
    expect(await write(bench, "docs/a.md")).toMatch(
      /^"docs\/a\.md" belongs to task 2 \(docs\/\); leave it to the worker of that task/,
    )
    expect(await before(bench, "Bash", { command: "npm test" })).toBe("allowed")
    expect(await before(bench, "Read", { file_path: "src/api/a.ts" })).toBe("allowed")
  })

  it("a lead in strict delegation runs the team and does nothing itself", async () => {
    using bench = await makeTeam()
    await bench.ok("join", "--terminal-id", SESSION, "--lead", "--delegation", "strict")
    const worktree = join(bench.home, "worktrees/side")
    git(bench.cwd, "worktree", "add", "--quiet", "-b", "side", worktree)
    const allowed = [
      ["Bash", { command: "teamwork task create --title 'Mend it' && teamwork wave calculate" }],
      ["Write", { file_path: ".workflow/.team/x/plan.md" }],
      ["Read", { file_path: join(bench.cwd, ".workflow/.team/x/plan.md") }],
      ["Read", { file_path: join(bench.home, "roles/api.md") }],
      ["AskUserQuestion", {}],
      ["mcp__teamwork__task_create", {}],
    ] as const
    for (const [tool, input] of allowed) expect([tool, await before(bench, tool, input)]).toEqual([tool, "allowed"])
    const denied = [
      ["Bash", { command: "npm test" }],
      ["Bash", { command: "teamwork evidence run --id 1 -- npm test" }],
      ["Read", { file_path: join(bench.cwd, "src/api/a.ts") }],
      ["Read", { file_path: join(worktree, "src/api/a.ts") }],
      ["Grep", { pattern: "x" }],
      ["Write", { file_path: "package.json" }],
    ] as const
    for (const command of ["teamwork leave", "teamwork join --lead"])
      expect(await before(bench, "Bash", { command })).toMatch(/^while the team is at work a lead in strict delegation/)
    for (const [tool, input] of denied)
      expect(await before(bench, tool, input)).toMatch(
        /^a lead in strict delegation .*; however small it is, make it a task/,
      )
    await bench.ok("cancel", "--reason", "enough")
    expect(await before(bench, "Bash", { command: "teamwork report && teamwork leave" })).toBe("allowed")
  })

  it("a call that cannot be read is refused while a session takes part, however it is broken", async () => {
    using bench = await makeTeam()
    const broken = ["", "{", "null", "[]", '{"session_id":7}']
    const ask = (event: string, input: string) => bench.run(["hook", event], { input })
    const silent = { exitCode: 0, stdout: "", stderr: "" }
    // Nobody takes part yet: the hook of a session that has nothing to do with a team is not in its way.
    for (const input of broken) expect(await ask("pre-tool-use", input)).toMatchObject(silent)
    await bench.ok("join", "--terminal-id", SESSION, "--worker-id", "w1")
    const huge = JSON.stringify({
      session_id: SESSION,
      tool_name: "Write",
      tool_input: { content: "x".repeat(5_000_000) },
    })
    for (const input of [...broken, huge]) {
      const { exitCode, stdout } = await ask("pre-tool-use", input)
      expect([exitCode, JSON.parse(stdout).hookSpecificOutput.permissionDecision]).toEqual([0, "deny"])
    }
    for (const input of broken) expect(await ask("post-tool-use", input)).toMatchObject(silent)
    for (const input of [`{"session_id":"../x"}`, '{"session_id":"another"}'])
      for (const event of ["pre-tool-use", "post-tool-use"]) expect(await ask(event, input)).toMatchObject(silent)
  })
})

describe("after a tool was used", () => {
  const evidence = (bench: Bench) => bench.ok<Data[]>("evidence", "list", "--id", "1")
  let uses = 0
  const ran = (bench: Bench, command: string, response: unknown = { stdout: "ok", stderr: "" }, more: Data = {}) =>
    hook(bench, "post-tool-use", {
      ...{ tool_name: "Bash", tool_input: { command }, tool_response: response, tool_use_id: `use-${++uses}` },
      ...more,
    })

  async function atWork(): Promise<Bench> {
    const bench = await makeTeam()
    await bench.ok("join", "--terminal-id", SESSION, "--worker-id", "w1")
    await bench.ok("task", "claim", "1", "--owner", "w1")
    return bench
  }

  it("checks are evidence, once for each outcome; other commands are none", async () => {
    using bench = await atWork()
    for (const command of ["ls", "git status", "teamwork task list"]) await ran(bench, command)
    expect(await evidence(bench)).toEqual([])
    await ran(bench, "npm test", undefined, { error: "Exit code 1\n1 failed" })
    await ran(bench, "npm test", undefined, { error: "Exit code 1\n1 failed again" })
    await ran(bench, "npm test", { stdout: "12 passed", stderr: "a warning" })
    await ran(bench, "npm test", { stdout: "12 passed", stderr: "" })
    await ran(bench, "npm run lint | tail -3")
    await ran(bench, "./verify.sh --all")
    expect(await evidence(bench)).toMatchObject([
      { trust: "observed", type: "command", command: "npm test", exit_code: 1, by: "w1" },
      { command: "npm test", exit_code: 0, output: "12 passed\na warning" },
      { command: "npm run lint | tail -3", output: "ok" },
      { command: "./verify.sh --all", exit_code: 0 },
    ])
    expect((await evidence(bench))[2]).not.toHaveProperty("exit_code")
  })

  it("the same use twice counts once, also when others came between", async () => {
    using bench = await atWork()
    const first = { tool_use_id: "use-a", error: "Exit code 2\nno" }
    await ran(bench, "npm test", undefined, first)
    await ran(bench, "npm test")
    await ran(bench, "npm test", undefined, first)
    expect((await evidence(bench)).map(({ exit_code }) => exit_code)).toEqual([2, 0])
  })

  it("files of the repository that were written are evidence, once each", async () => {
    using bench = await atWork()
    const wrote = (file_path: string, type: string) =>
      hook(bench, "PostToolUse", {
        ...{ tool_name: "Write", tool_input: { file_path }, tool_response: { type }, tool_use_id: `w-${++uses}` },
      })
    await wrote(join(bench.cwd, "src/api/a.ts"), "create")
    await wrote("src/api/a.ts", "update")
    await wrote("src/api/b.ts", "update")
    await wrote(join(bench.home, "notes.txt"), "create")
    expect(await evidence(bench)).toMatchObject([
      { type: "file", trust: "observed", path: "src/api/a.ts", action: "created" },
      { path: "src/api/b.ts", action: "modified" },
    ])
  })

  it("what is kept has a bound, and secrets are hidden", async () => {
    using bench = await atWork()
    await ran(bench, `KEY=${SOME_TOKEN} npm test`, { stdout: `${"x".repeat(1_000_000)} ${SOME_TOKEN} end`, stderr: "" })
    const [{ command, output } = {}] = (await evidence(bench)) as { command: string; output: string }[]
    expect(output?.length).toBeLessThanOrEqual(4000)
    expect(output).toEndWith(" end")
    expect(`${command} ${output}`).not.toContain(SOME_TOKEN)
    bench.tamper("delete from evidence")
    await Promise.all(Array.from({ length: 8 }, (_, at) => ran(bench, `npm test -- ${at}`)))
    expect(await evidence(bench)).toHaveLength(8)
  })

  it("is a sign of life, which renews the claim; of the lead and of strangers nothing is noted", async () => {
    using bench = await atWork()
    const past =
      "update task set lease_until = lease_until - 1000000; update worker set heartbeat_at = heartbeat_at - 60000"
    for (const sql of past.split("; ")) bench.tamper(sql)
    const lease = async () => Date.parse(String((await bench.ok("task", "get", "1")).lease_until))
    const earlier = await lease()
    await hook(bench, "post-tool-use", { tool_name: "Read", tool_input: {} }, "somebody-else")
    expect(await lease()).toBe(earlier)
    await hook(bench, "post-tool-use", { tool_name: "Read", tool_input: {} })
    expect(await lease()).toBeGreaterThan(earlier)
    await bench.ok("join", "--terminal-id", "lead-1", "--lead")
    await hook(bench, "post-tool-use", { tool_name: "Bash", tool_input: { command: "npm test" } }, "lead-1")
    expect(await evidence(bench)).toEqual([])
  })
})

describe("in the words of every program", () => {
  const DENIED_BY_CLAUDE = { hookSpecificOutput: { permissionDecision: "deny" } }
  it.each([
    {
      ...{ host: "codex", before: "PreToolUse", after: "PostToolUse", denied: DENIED_BY_CLAUDE, exitCode: undefined },
      write: { tool_name: "apply_patch", tool_input: { command: "*** Begin Patch\n*** Add File: docs/a.md\n+x\n" } },
      run: { tool_name: "Bash", tool_input: { command: "npm test" }, tool_response: "it failed\n" },
    },
    {
      ...{ host: "gemini", before: "BeforeTool", after: "AfterTool", denied: { decision: "deny" }, exitCode: 1 },
      write: { tool_name: "write_file", tool_input: { file_path: "docs/a.md", content: "x" } },
      run: {
        ...{ tool_name: "run_shell_command", tool_input: { command: "npm test" } },
        tool_response: { llmContent: "Output: it failed\nExit Code: 1\nProcess Group PGID: 7", returnDisplay: "" },
      },
    },
    {
      ...{ host: "opencode", before: "pre-tool-use", after: "post-tool-use", denied: DENIED_BY_CLAUDE, exitCode: 1 },
      write: { tool_name: "write", tool_input: { filePath: "docs/a.md", content: "x" } },
      run: {
        ...{ tool_name: "bash", tool_input: { command: "npm test" } },
        // As `opencode-plugin.txt` tells it.
        tool_response: { output: "it failed", exit: 1 },
      },
    },
  ])("$host is denied what is not its own, and its checks are noted", async (program) => {
    using bench = await makeTeam()
    await bench.ok("join", "--terminal-id", SESSION, "--worker-id", "w1")
    await bench.ok("task", "claim", "1", "--owner", "w1")
    const tell = (event: string, call: Data) =>
      bench.run(["hook", event, "--host", program.host], {
        input: JSON.stringify({ session_id: SESSION, cwd: bench.cwd, ...call }),
      })
    const { stdout, exitCode } = await tell(program.before, program.write)
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject(program.denied)
    expect(stdout).toContain("belongs to task 2")
    expect(await tell(program.after, program.run)).toMatchObject({ exitCode: 0, stdout: "" })
    const [entry, ...others] = await bench.ok<Data[]>("evidence", "list", "--id", "1")
    expect(others).toEqual([])
    expect(entry).toMatchObject({
      trust: "observed",
      command: "npm test",
      output: expect.stringContaining("it failed"),
    })
    expect(entry?.exit_code).toBe(program.exitCode)
  })
})
