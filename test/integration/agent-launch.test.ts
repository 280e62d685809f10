// How each agent program is started: what is on its command line, in its files and in its environment.
import { describe, expect, it, test } from "bun:test"
import { existsSync, mkdirSync, readlinkSync, renameSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { NO_ACCOUNT } from "../../src/agents/account.ts"
import { claude } from "../../src/agents/claude/program.ts"
import { codex } from "../../src/agents/codex/program.ts"
import { gemini } from "../../src/agents/gemini/program.ts"
import { opencode } from "../../src/agents/opencode/program.ts"
import type { AgentJob } from "../../src/agents/port.ts"
import type { AgentProgram, ProgramConfig } from "../../src/agents/program.ts"
import { fixtureAgent, makeJob, NO_LIMITS, owning, programConfig, record, scenarioJob } from "../support/agents.ts"
import { makeScratch, safeDelete } from "../support/sandbox.ts"

const PROGRAMS = [claude, codex, gemini, opencode]
const SERVER = { tiny: { command: "node", args: ["tiny.mjs", "a b"], env: { NOTE: 'say "hi"', KEY: "k" } } }
const RESUME = { id: "ses-1", usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0, dollars: null } }

/** A key, the login in the home folder, and where it lies when a variable names another folder. */
const LOGINS: Readonly<Record<string, Record<"variable" | "file" | "folder" | "name", string>>> = {
  claude: {
    ...{ variable: "ANTHROPIC_API_KEY", file: ".claude/.credentials.json" },
    ...{ folder: "CLAUDE_CONFIG_DIR", name: ".credentials.json" },
  },
  codex: { variable: "OPENAI_API_KEY", file: ".codex/auth.json", folder: "CODEX_HOME", name: "auth.json" },
  gemini: {
    ...{ variable: "GEMINI_API_KEY", file: ".gemini/oauth_creds.json" },
    ...{ folder: "GEMINI_CLI_HOME", name: ".gemini/oauth_creds.json" },
  },
  opencode: {
    ...{ variable: "ANTHROPIC_API_KEY", file: ".local/share/opencode/auth.json" },
    ...{ folder: "XDG_DATA_HOME", name: "opencode/auth.json" },
  },
}

function launch(program: AgentProgram, change: Partial<AgentJob> = {}, config: Partial<ProgramConfig> = {}) {
  const job = makeJob("/repo", { stateFolder: "/state", env: { HOME: "/home/ann" }, ...change })
  const files = config.files ?? { read: () => undefined, has: () => false, list: () => [] }
  const account = program.account?.(job.env, files) ?? NO_ACCOUNT
  const launched = program.launch(job, programConfig(program, { account, ...config, files }))
  const json = (path: string) => JSON.parse(launched.files[path] ?? "null")
  const flag = (name: string) => launched.command[launched.command.indexOf(name) + 1]
  return { ...launched, json, flag, line: launched.command.join(" ") }
}

describe.each(PROGRAMS.map((program) => [program.name, program] as const))("%s", (_, program) => {
  it("takes the model of the tier, of the configuration, or of the job", () => {
    expect(launch(program, { tier: "opus" }).line).toContain(program.models.opus)
    const models = { haiku: "h1", sonnet: "s1", opus: "o1" }
    expect(launch(program, { tier: "haiku" }, { models }).command).toContain("h1")
    expect(launch(program, { tier: "haiku", model: "my-model" }, { models }).command).toContain("my-model")
  })

  it("resumes a session, and gets the arguments of the configuration", () => {
    expect(launch(program, { resume: RESUME }).command).toContain("ses-1")
    expect(launch(program).line).not.toContain("resume ")
    expect(launch(program, {}, { args: ["--one-more"] }).command).toContain("--one-more")
  })

  it("keeps what a server is given off the command line", () => {
    const { line, files, env } = launch(program, { mcpServers: SERVER })
    expect(line).not.toContain("say ")
    expect(Object.values(files).join()).toContain("tiny")
    expect(JSON.stringify(env)).not.toContain("say ")
  })

  it("takes a prompt of any size and form", () => {
    for (const prompt of ["- a list", "x".repeat(300_000)]) {
      const { command, input } = launch(program, { prompt })
      expect(Math.max(...command.map((part) => part.length))).toBeLessThan(110_000)
      expect(input?.length).toBeGreaterThanOrEqual(prompt.length)
    }
  })

  it("writes only into the state folder, for the owner only, and links the login where there is one", async () => {
    using scratch = makeScratch()
    const job = scenarioJob(scratch.path, "hello", { mcpServers: SERVER })
    const users = join(job.env.HOME ?? "", ".codex")
    mkdirSync(users, { recursive: true })
    writeFileSync(join(users, "auth.json"), "{}")
    const agent = fixtureAgent(program)
    expect((await record(agent, job)).result.reason).toBe("done")
    // And once more over what is there.
    expect((await record(agent, job)).result.reason).toBe("done")
    for (const path of Object.keys(program.launch(job, programConfig(program)).files))
      expect(statSync(join(job.stateFolder, path)).mode & 0o077).toBe(0)
    if (program.name !== "codex") return
    expect(readlinkSync(join(job.stateFolder, "codex/auth.json"))).toBe(join(users, "auth.json"))
    expect(existsSync(join(users, "config.toml"))).toBe(false)
  })

  it("tells its version and whether somebody is logged in", async () => {
    using scratch = makeScratch()
    const env = { PATH: process.env.PATH ?? "", HOME: scratch.path }
    const agent = fixtureAgent(program, { command: ["sh", "-c", "echo the agent 1.2.3-beta"] })
    expect(await agent.detect(env)).toMatchObject({
      isAvailable: true,
      version: "1.2.3-beta",
      isLoggedIn: process.platform === "darwin" ? null : false,
    })
    const { variable, file, folder, name } = LOGINS[program.name] ?? { variable: "", file: "", folder: "", name: "" }
    expect(await agent.detect({ ...env, [variable]: "x" })).toMatchObject({ isLoggedIn: true, missing: null })
    const login = JSON.stringify({ some: "login" })
    mkdirSync(join(scratch.path, file, ".."), { recursive: true })
    writeFileSync(join(scratch.path, file), login)
    expect(await agent.detect(env)).toMatchObject({ isLoggedIn: true, capabilities: program.capabilities })
    safeDelete(join(scratch.path, file))
    expect(await agent.detect({ ...env, [folder]: scratch.path })).not.toMatchObject({ isLoggedIn: true })
    mkdirSync(join(scratch.path, name, ".."), { recursive: true })
    writeFileSync(join(scratch.path, name), login)
    expect(await agent.detect({ ...env, [folder]: scratch.path })).toMatchObject({ isLoggedIn: true })
    const broken = fixtureAgent(program, { command: ["sh", "-c", "echo oh no; exit 2"] })
    expect(await broken.detect(env)).toMatchObject({ isAvailable: false, why: expect.stringContaining("oh no") })
  })

  it("has another fingerprint when its program, a script of it, its command or its login changed", () => {
    using scratch = makeScratch()
    const file = (name: string) => join(scratch.path, name)
    const env = { PATH: scratch.path, HOME: scratch.path }
    const of = (command: string[], more = {}) => fixtureAgent(program, { command }).fingerprint({ ...env, ...more })
    const seen = new Set<string | null>()
    const expectNew = (print: string | null) => {
      expect([print, seen.has(print)]).toEqual([expect.any(String), false])
      seen.add(print)
    }
    expect(of(["agent"])).toBeNull()
    writeFileSync(file("agent"), "one", { mode: 0o755 })
    expectNew(of(["agent"]))
    expect(of(["agent"])).toBe([...seen][0] ?? "")
    // An installer puts a new file in the place of the old one, with the same size and time.
    const { atime, mtime } = statSync(file("agent"))
    writeFileSync(file("next"), "two", { mode: 0o755 })
    utimesSync(file("next"), atime, mtime)
    renameSync(file("next"), file("agent"))
    expectNew(of(["agent"]))
    expectNew(of(["agent", "--more"]))
    expectNew(of(["agent", file("script.js")]))
    writeFileSync(file("script.js"), "")
    expectNew(of(["agent", file("script.js")]))
    const { variable = "" } = LOGINS[program.name] ?? {}
    expectNew(of(["agent"], { [variable]: "x" }))
    safeDelete(file("agent"))
    expect(of(["agent"])).toBeNull()
  })
})

describe("a hook before each tool holds to owned files", () => {
  const job = { ownership: owning("it's/**"), stateFolder: "/my state", hooks: { beforeTool: "check" } }
  const config = { judgeWrite: ["/bin/team work", "judge"] }
  const judging = "cd '/my state' && '/bin/team work' judge '/my state/ownership.json' || exit 2"
  const commands = [judging, "check"].map((command) => ({ type: "command", command }))

  it.each([
    [claude, "claude/settings.json", "PreToolUse"],
    [codex, "codex/hooks.json", "PreToolUse"],
    [gemini, "gemini/.gemini/settings.json", "BeforeTool"],
  ] as const)("of $name, beside the job's own", (program, file, event) => {
    const { json } = launch(program, job, config)
    expect(json("ownership.json")).toEqual({ workspace: "/repo", ownership: owning("it's/**") })
    expect(json(file).hooks[event]).toMatchObject([{ hooks: commands }])
    const without = launch(program, {}, config)
    expect(without.json("ownership.json")).toBeNull()
    expect(without.json(file).hooks[event]).toEqual([])
  })

  it("denies everything when it cannot be run", () => {
    const { json } = launch(codex, { ownership: owning("**"), stateFolder: "/" }, { judgeWrite: ["no-such-program"] })
    const command = json("codex/hooks.json").hooks.PreToolUse[0].hooks[0].command
    expect(Bun.spawnSync(["sh", "-c", command]).exitCode).toBe(2)
  })
})

describe("claude", () => {
  it("reads no settings of the user", () => {
    const { flag, command, env } = launch(claude)
    expect(flag("--setting-sources")).toBe("")
    expect(command).toContain("--strict-mcp-config")
    expect(env.DISABLE_TELEMETRY).toBe("1")
  })

  test.each([
    ["edit", null, "acceptEdits"],
    ["edit", owning("src/**"), "default"],
    ["ask", null, "default"],
    ["full", owning("src/**"), "bypassPermissions"],
  ] as const)("permission %s with owned files %p", (permission, ownership, mode) => {
    const { flag, json } = launch(claude, {
      permission,
      ownership,
      allowedTools: ["Bash"],
      deniedTools: ["WebFetch"],
      mcpServers: SERVER,
    })
    expect(flag("--permission-mode")).toBe(mode)
    const owned = mode === "default" && permission === "edit" ? ["Edit", "Write", "NotebookEdit"] : []
    expect(json("claude/settings.json").permissions).toEqual({
      allow: ["Bash", "mcp__tiny", ...owned],
      deny: ["WebFetch"],
    })
    expect(json("claude/mcp.json").mcpServers.tiny).toEqual({ type: "stdio", ...SERVER.tiny })
  })

  it("may do everything as root only when it is told that this is a sandbox", () => {
    expect(launch(claude, { permission: "full" }, { isRoot: true }).env.IS_SANDBOX).toBe("1")
    expect(launch(claude, { permission: "edit" }, { isRoot: true }).env.IS_SANDBOX).toBeUndefined()
    expect(launch(claude, { permission: "full" }).env.IS_SANDBOX).toBeUndefined()
  })

  it("gets limits, schema, effort and hooks", () => {
    const limits = { ...NO_LIMITS, turns: 7, dollars: 1.5 }
    const job = { limits, effort: "high", answerSchema: { type: "object" }, hooks: { beforeTool: "check" } } as const
    const { flag, json } = launch(claude, job)
    expect([flag("--max-turns"), flag("--max-budget-usd"), flag("--effort")]).toEqual(["7", "1.5", "high"])
    expect(flag("--json-schema")).toBe('{"type":"object"}')
    expect(json("claude/settings.json").hooks.PreToolUse).toEqual([
      { matcher: "*", hooks: [{ type: "command", command: "check" }] },
    ])
  })
})

describe("codex", () => {
  it("has a home of its own, with settings that TOML understands", () => {
    const { env, files, links } = launch(
      codex,
      { mcpServers: SERVER, effort: "high" },
      { settings: { model_provider: "fake" } },
    )
    expect(env.CODEX_HOME).toBe("/state/codex")
    expect(links["codex/auth.json"]).toBe("/home/ann/.codex/auth.json")
    expect(Bun.TOML.parse(files["codex/config.toml"] ?? "")).toEqual({
      approval_policy: "never",
      // Otherwise it would trust the workspace by itself, and run its hooks and servers.
      projects: { "/repo": { trust_level: "untrusted" } },
      model_reasoning_effort: "high",
      sandbox_workspace_write: { exclude_slash_tmp: false },
      features: { plugins: false },
      analytics: { enabled: false },
      mcp_servers: { tiny: { ...SERVER.tiny, default_tools_approval_mode: "approve" } },
      model_provider: "fake",
    })
  })

  it("gets a key under the name that it knows, unless it has one or somebody is logged in", async () => {
    using scratch = makeScratch()
    const key = "sk-of-openai-for-this-test"
    const env = { PATH: process.env.PATH ?? "", HOME: scratch.path }
    const names = async (more: Record<string, string>) => {
      const job = scenarioJob(scratch.path, "environment", { env: { ...env, ...more } })
      return (await record(fixtureAgent(codex), job)).result.answer.split(/\s+/)
    }
    expect(await names({ OPENAI_API_KEY: key })).toContain("CODEX_API_KEY")
    expect(await names({})).not.toContain("CODEX_API_KEY")
    const own = launch(codex, { env: { OPENAI_API_KEY: key, CODEX_API_KEY: "its own" } })
    expect(own.env.CODEX_API_KEY).toBeUndefined()
    mkdirSync(join(scratch.path, ".codex"))
    writeFileSync(join(scratch.path, ".codex/auth.json"), "{}")
    expect(await names({ OPENAI_API_KEY: key })).not.toContain("CODEX_API_KEY")
  })

  it("may not write to the common temp folder when it has one of its own", () => {
    const { files } = launch(codex, { env: { TMPDIR: "/tmp/ann" } })
    expect(Bun.TOML.parse(files["codex/config.toml"] ?? "")).toMatchObject({
      sandbox_workspace_write: { exclude_slash_tmp: true },
    })
  })

  it("gets sandbox, schema, hooks and resume, with the prompt on standard input", () => {
    expect(launch(codex, { permission: "edit" }).flag("-s")).toBe("workspace-write")
    expect(launch(codex, { permission: "full" }).flag("-s")).toBe("danger-full-access")
    expect(launch(codex, { permission: "ask" }).flag("-s")).toBe("read-only")
    const { flag, json, command } = launch(codex, {
      answerSchema: { type: "object" },
      hooks: { beforeStop: "x" },
      resume: RESUME,
    })
    expect(flag("--output-schema")).toBe("/state/codex/answer.schema.json")
    expect(json("codex/answer.schema.json")).toEqual({ type: "object" })
    expect(json("codex/hooks.json").hooks.Stop).toEqual([{ hooks: [{ type: "command", command: "x" }] }])
    expect(command).toContain("--dangerously-bypass-hook-trust")
    expect(command.slice(-3)).toEqual(["resume", "ses-1", "-"])
    expect(launch(codex).command).not.toContain("--dangerously-bypass-hook-trust")
  })
})

describe("gemini", () => {
  it("has a home of its own, and the login that fits", () => {
    const { env, json } = launch(gemini, {
      env: { GEMINI_API_KEY: "k" },
      mcpServers: SERVER,
      limits: { ...NO_LIMITS, turns: 5 },
    })
    expect(env).toMatchObject({
      GEMINI_CLI_HOME: "/state/gemini",
      GEMINI_CLI_TRUST_WORKSPACE: "true",
      GEMINI_CLI_NO_RELAUNCH: "true",
    })
    expect(json("gemini/.gemini/settings.json")).toMatchObject({
      security: { auth: { selectedType: "gemini-api-key" } },
      model: { maxSessionTurns: 5 },
      mcpServers: { tiny: { ...SERVER.tiny, trust: true } },
    })
    expect(launch(gemini).json("gemini/.gemini/settings.json").security.auth.selectedType).toBe("oauth-personal")
    expect(launch(gemini, { permission: "full" }).flag("--approval-mode")).toBe("yolo")
  })

  it("is asked for JSON in the prompt", () => {
    expect(launch(gemini, { answerSchema: { type: "object" } }).flag("-p")).toContain('{"type":"object"}')
  })
})

describe("opencode", () => {
  it("never waits for a permission", () => {
    for (const permission of ["edit", "ask", "full"] as const)
      expect(JSON.stringify(launch(opencode, { permission }).json("opencode/opencode.json"))).not.toContain('"ask"')
    const ownership = { ...owning("./src/**", "a/{x,y}"), granted: ["docs/a.md"], shared: ["**/package.json"] }
    const edit = launch(opencode, { ownership, allowedTools: ["bash"], deniedTools: ["webfetch"] })
    expect(edit.json("opencode/opencode.json").permission).toMatchObject({
      edit: { "*": "deny", "src/**": "allow", "a/x": "allow", "a/y": "allow", "docs/a.md": "allow" },
      bash: "allow",
      webfetch: "deny",
      external_directory: "deny",
    })
    const rules = Object.entries(edit.json("opencode/opencode.json").permission.edit)
    // The last that fits decides.
    expect(rules.findIndex(([rule]) => rule === "package.json")).toBeGreaterThan(
      rules.findIndex(([rule]) => rule === "src/**"),
    )
    expect(rules).toContainEqual(["package.json", "deny"])
    const coordinated = launch(opencode, { ownership: { ...ownership, isCoordinated: true } })
    const allowed = Object.entries(coordinated.json("opencode/opencode.json").permission.edit)
    expect(allowed).toContainEqual(["package.json", "allow"])
    const free = launch(opencode, { ownership: { ...owning(), others: [{ id: "2", files: ["lib/"] }] } })
    expect(free.json("opencode/opencode.json").permission.edit).toMatchObject({ "*": "allow", "lib/**": "deny" })
    expect(launch(opencode, { permission: "ask" }).json("opencode/opencode.json").permission.edit).toBe("deny")
    expect(launch(opencode, { permission: "full" }).command).toContain("--auto")
  })

  it("has configuration of its own, with its servers", () => {
    const { env, json } = launch(opencode, { mcpServers: SERVER })
    expect(env).toMatchObject({
      OPENCODE_CONFIG: "/state/opencode/opencode.json",
      XDG_CONFIG_HOME: "/state/opencode/config",
    })
    expect(json("opencode/opencode.json").mcp.tiny).toEqual({
      type: "local",
      command: ["node", "tiny.mjs", "a b"],
      environment: SERVER.tiny.env,
    })
  })
})
