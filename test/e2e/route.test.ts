// Which agent gets a task (R157-R160, R165-R166): by what is installed, allowed, rate-limited and what it costs.
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { FIXTURE_AGENT } from "../support/agents.ts"
import { freshSchema } from "../support/postgres.ts"
import { safeDelete } from "../support/sandbox.ts"
import { type Bench, type Data, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"

setDefaultTimeout(TEST_TIMEOUT_MS)

const BACKEND = "Add an endpoint to the server"
const KEYS = { ANTHROPIC_API_KEY: "not-a-key", OPENAI_API_KEY: "not-a-key", GEMINI_API_KEY: "not-a-key" }

interface Shop {
  readonly bench: Bench
  readonly env: Record<string, string>
  ask(...args: string[]): Promise<Data>
}

/** The named agents are the fixture; the others are not installed. */
function makeShop(names: readonly string[], more: Record<string, string> = {}): Shop & Disposable {
  const bench = makeBench()
  const command = (name: string) => [process.execPath, FIXTURE_AGENT, name]
  const agents = Object.fromEntries(names.map((name) => [name, { command: command(name) }]))
  writeFileSync(join(bench.home, "config.json"), JSON.stringify({ agents }))
  return { ...shopIn(bench, { ...KEYS, ...more }), [Symbol.dispose]: () => bench[Symbol.dispose]() }
}

function shopIn(bench: Bench, env: Record<string, string>): Shop {
  return {
    bench,
    env,
    async ask(...args) {
      const result = await bench.run([...args, "--json"], { env })
      if (result.exitCode === null || result.stdout === "") throw new Error(`${args.join(" ")}: ${result.stderr}`)
      return result.json<{ data: Data }>().data
    },
  }
}

/** A program on a PATH of its own, which counts how often it is started. */
function install(bench: Bench, name: string, version: string): { env: Record<string, string>; asked(): number } {
  const folder = join(bench.home, "bin")
  mkdirSync(folder, { recursive: true })
  const file = join(folder, name)
  writeFileSync(file, `#!/bin/sh\necho x >> "${file}.asked"\necho ${version}\n`)
  chmodSync(file, 0o755)
  const asked = () => (existsSync(`${file}.asked`) ? readFileSync(`${file}.asked`, "utf8").length / 2 : 0)
  return { env: { ...KEYS, PATH: `${folder}:${process.env.PATH}` }, asked }
}

describe("availability", () => {
  it("decides, and who was passed over is told with the reason", async () => {
    using shop = makeShop(["claude", "gemini"])
    expect(await shop.ask("route", BACKEND)).toMatchObject({
      ...{ agent: "claude", model: "sonnet", effort: "high", price: { input: 3, cached: 0.3, output: 15 } },
      passed_over: [{ agent: "codex", because: "it is not available: codex is not installed" }],
      retry_at: null,
    })
    expect(await shop.ask("route", "Add a button to the page")).toMatchObject({ agent: "gemini", passed_over: [] })
    expect(existsSync(join(shop.bench.home, "teamwork.db"))).toBe(false)
  })

  it("is remembered, and forgotten at once when a program is installed, replaced or removed", async () => {
    using bench = makeBench()
    const { env, asked } = install(bench, "codex", "1.0.1")
    const { ask } = shopIn(bench, env)
    const codex = async () => {
      const { agents } = await ask("route", BACKEND, "--explain")
      return (agents as Data[]).find(({ name }) => name === "codex")
    }
    expect(await codex()).toMatchObject({ is_available: true, is_logged_in: true, why: null })
    expect(await codex()).toMatchObject({ is_available: true })
    expect(asked()).toBe(1)
    install(bench, "codex", "2.0.0; exit 3")
    expect(await codex()).toMatchObject({ is_available: false, why: expect.stringMatching(/with 3: 2\.0\.0$/) })
    expect(asked()).toBe(2)
    safeDelete(join(bench.home, "bin/codex"))
    expect(await codex()).toMatchObject({ is_available: false, why: "codex is not installed" })
    install(bench, "codex", "3.0.0")
    expect((await ask("route", BACKEND)).agent).toBe("codex")
    expect(asked()).toBe(3)
    // Whoever asks for a list wants to know how it is now.
    await ask("agent", "list")
    expect(asked()).toBe(4)
  })

  it("is asked for again when what is remembered is old, damaged or from the future", async () => {
    using bench = makeBench()
    const { env, asked } = install(bench, "codex", "1.0.1")
    const { ask } = shopIn(bench, env)
    await ask("route", BACKEND)
    const file = join(bench.home, "agents/codex.json")
    const known = JSON.parse(readFileSync(file, "utf8"))
    for (const [text, count] of [
      [JSON.stringify({ ...known, at: Date.now() - 11 * 60_000 }), 2],
      ["{", 3],
      [JSON.stringify({ ...known, at: Date.now() + 60_000 }), 4],
      [JSON.stringify({ ...known, at: Date.now() - 9 * 60_000 }), 4],
    ] as const) {
      writeFileSync(file, text)
      expect((await ask("route", BACKEND)).agent).toBe("codex")
      expect(asked()).toBe(count)
    }
  })

  it("needs somebody to be logged in", async () => {
    using bench = makeBench()
    const { env } = install(bench, "codex", "1.0.1")
    const { OPENAI_API_KEY: _, ...without } = env
    const { ask } = shopIn(bench, without)
    const because = "it is not available: not logged in"
    if (process.platform === "linux")
      expect(await ask("route", BACKEND)).toMatchObject({
        agent: null,
        passed_over: [{ agent: "codex", because }, {}, {}, {}, {}],
      })
    // A login shows at once, wherever the program keeps it.
    mkdirSync(join(bench.home, "elsewhere"))
    writeFileSync(join(bench.home, "elsewhere/auth.json"), "{}")
    const moved = shopIn(bench, { ...without, CODEX_HOME: join(bench.home, "elsewhere") })
    expect(await moved.ask("route", BACKEND)).toMatchObject({ agent: "codex" })
  })

  it("can be switched off, for a job that names the agent too", async () => {
    using shop = makeShop(["claude", "codex"])
    expect(await shop.ask("route", BACKEND)).toMatchObject({ agent: "codex" })
    await shop.bench.ok("config", "set", "agents.codex.enabled", "false")
    const why = "it is switched off by agents.codex.enabled"
    expect(await shop.ask("route", BACKEND)).toMatchObject({
      agent: "claude",
      passed_over: [{ agent: "codex", because: `it is not available: ${why}` }],
    })
    const listed = (await shop.ask("agent", "list")) as unknown as Data[]
    expect(listed[1]).toMatchObject({ name: "codex", is_available: false, why })
    expect(await shop.bench.refused("agent.unavailable", "agent", "exec", "--agent", "codex", "x")).toBe(
      "codex is switched off; switch it on with: teamwork config set agents.codex.enabled true",
    )
    expect(existsSync(join(shop.bench.home, "jobs"))).toBe(false)
    await shop.bench.refused("config.bad_value", "config", "set", "agents.codex.enabled", "perhaps")
  })
})

describe("what is asked for", () => {
  it("goes before everything else: agent, role, complexity and tier", async () => {
    using shop = makeShop(["claude"])
    expect(await shop.ask("route", BACKEND, "--agent", "gemini", "--explain")).toMatchObject({
      agent: "gemini",
      because: [
        "gemini was asked for, although it is not available: gemini is not installed",
        "sonnet: no words show that it is simple or complex, and team.defaultModel is sonnet",
      ],
    })
    expect(await shop.ask("route", BACKEND, "--complexity", "complex")).toMatchObject({ tier: "opus", model: "opus" })
    expect(await shop.ask("route", BACKEND, "--complexity", "complex", "--tier", "sonnet")).toMatchObject({
      tier: "sonnet",
    })
    expect(await shop.ask("route", BACKEND, "--role", "explorer")).toMatchObject({
      ...{ agent_type: "explorer", effort: "medium", tier: "sonnet" },
    })
    expect(await shop.ask("route", BACKEND, "--role", "final-verifier", "--complexity", "simple")).toMatchObject({
      ...{ agent_type: "final-verifier", effort: "high", tier: "opus" },
    })
    await shop.bench.refused("role.not_found", "route", BACKEND, "--role", "explorr")
    await shop.bench.refused("input.invalid", "route", BACKEND, "--tier", "gpt")
    await shop.bench.refused("input.invalid", "route", BACKEND, "--complexity", "hard")
    await shop.bench.refused("input.invalid", "route", BACKEND, "--agent", "../x")
    await shop.bench.refused("input.invalid", "route", BACKEND, "--context-tokens", "-1")
  })

  it("takes a default type, and the model and effort of a role in a file", async () => {
    using shop = makeShop(["claude"])
    await shop.bench.ok("config", "set", "team.defaultAgentType", "debugger")
    expect(await shop.ask("route", BACKEND)).toMatchObject({ agent_type: "debugger", effort: "high" })
    mkdirSync(join(shop.bench.home, "roles"))
    writeFileSync(join(shop.bench.home, "roles/debugger.md"), "---\nextends: debugger\nmodel: opus\neffort: low\n---\n")
    expect(await shop.ask("route", BACKEND, "--explain")).toMatchObject({
      ...{ tier: "opus", effort: "low" },
      because: expect.arrayContaining(["opus: debugger always gets it"]),
    })
  })

  it("has room for what must be read", async () => {
    using shop = makeShop(["claude", "codex", "gemini"])
    const tooSmall = (agent: string, size: number, needed: number) => ({
      agent,
      because: `its context of ${size} tokens is too small for about ${needed}`,
    })
    expect(await shop.ask("route", BACKEND, "--context-tokens", "150000")).toMatchObject({
      agent: "claude",
      passed_over: [tooSmall("codex", 128_000, 150_000)],
    })
    expect(await shop.ask("route", BACKEND, "--context-tokens", "900000")).toMatchObject({ agent: "gemini" })
    // By the length of the text, where nobody says.
    const started = async (length: number) => {
      const input = `${BACKEND} [[hello]] ${"x".repeat(length)}`
      const { stdout } = await shop.bench.run(["agent", "exec", "-", "--wait"], { env: shop.env, input })
      return JSON.parse(stdout).data
    }
    expect(await started(400_000)).toMatchObject({ agent: "codex", status: "completed" })
    expect(await started(600_000)).toMatchObject({ agent: "claude", status: "completed" })
  })
})

describe("the price", () => {
  it("decides among equals, by the table or by one's own", async () => {
    using shop = makeShop(["gemini", "opencode"])
    const tie = ["route", "Link the API to the UI", "--tier", "sonnet"]
    expect(await shop.ask(...tie)).toMatchObject({ agent: "gemini", price: { input: 0.3, as_of: "2026-06-04" } })
    await shop.bench.ok("config", "set", "agents.prices", "gemini-2.5-flash=50/5/200@2026-11-01")
    expect(await shop.ask(...tie, "--explain")).toMatchObject({
      ...{ agent: "opencode", model: "anthropic/claude-sonnet-4-5", price: { input: 3 } },
      agents: expect.arrayContaining([
        expect.objectContaining({ name: "gemini", price: { input: 50, cached: 5, output: 200, as_of: "2026-11-01" } }),
      ]),
    })
    await shop.bench.refused("config.bad_value", "config", "set", "agents.prices", "gemini=cheap")
  })

  it("makes the cost of a run whose agent tells none, marked as an estimate", async () => {
    using shop = makeShop(["claude", "codex", "gemini"])
    const exec = (agent: string, ...more: string[]) =>
      shop.ask("agent", "exec", "--agent", agent, "[[hello]]", "--wait", ...more)
    // 200 tokens in, 40 out, at 5 and 30 dollars per million.
    const codex = await exec("codex")
    expect(codex.usage).toMatchObject({ dollars: 0.0022, dollars_are_estimated: true })
    expect(await shop.bench.text("agent", "status", String(codex.job_id))).toContain(
      ": completed, 200 tokens in, 40 out, $0.0022 (estimated)\n",
    )
    const gemini = await exec("gemini")
    expect(gemini.usage).toMatchObject({ dollars_are_estimated: true })
    const claude = await exec("claude")
    expect(claude.usage).not.toHaveProperty("dollars_are_estimated")
    expect(Number((claude.usage as Data).dollars)).toBeGreaterThan(0)
    const unknown = await exec("codex", "--model", "brand-new")
    expect(unknown.usage).toMatchObject({ dollars: null })
    expect(await shop.bench.text("agent", "status", String(unknown.job_id))).toContain("cost unknown\n")
  })
})

describe.each(["sqlite", "postgres"])("rate limits (%s)", (kind) => {
  /** A folder of its own, and the store of the others. */
  async function makeTeam(names: readonly string[]) {
    const schema = kind === "postgres" ? await freshSchema() : undefined
    const shop = makeShop(names, schema === undefined ? {} : { TEAMWORK_STORE: schema.url })
    return {
      ...shop,
      async [Symbol.asyncDispose]() {
        shop[Symbol.dispose]()
        await schema?.drop()
      },
    }
  }

  it("are remembered from a run, pass the agent over, and end with a run that goes well", async () => {
    await using shop = await makeTeam(["claude", "codex"])
    await shop.ask("project", "create", "--goal", "x")
    const limited = await shop.ask("agent", "exec", `${BACKEND} [[rate-limit]]`, "--wait")
    expect(limited).toMatchObject({ agent: "codex", reason: "rate-limited" })
    const after = await shop.ask("route", BACKEND, "--explain")
    expect(after).toMatchObject({
      agent: "claude",
      passed_over: [{ agent: "codex", because: expect.stringMatching(/^it is rate-limited until 20\S+Z$/) }],
    })
    const agents = (await shop.ask("agent", "list")) as unknown as Data[]
    const until = Date.parse(String(agents[1]?.rate_limited_until))
    // It said to try again in 90 seconds.
    expect(until - Date.now()).toBeGreaterThan(30_000)
    expect(until - Date.now()).toBeLessThan(95_000)
    expect(agents[0]).toMatchObject({ name: "claude", rate_limited_until: null })
    // Left out, the agent is chosen by the same knowledge.
    expect(await shop.ask("agent", "exec", `${BACKEND} [[hello]]`, "--wait")).toMatchObject({ agent: "claude" })
    expect((await shop.ask("route", BACKEND)).agent).toBe("claude")
    expect(await shop.ask("agent", "exec", "--agent", "codex", "[[hello]]", "--wait")).toMatchObject({ reason: "done" })
    expect((await shop.ask("route", BACKEND)).agent).toBe("codex")
    const { events } = await shop.ask("events", "tail", "--limit", "2")
    expect(events).toMatchObject([
      { type: "agent.rate_limited", data: { agent: "codex" } },
      { type: "agent.rate_limit_lifted", data: { agent: "codex" } },
    ])
  })

  it("tell when to ask again if nobody is left", async () => {
    await using shop = await makeTeam(["codex"])
    await shop.ask("agent", "exec", "--agent", "codex", "[[rate-limit-bare]]", "--wait")
    const { agent, retry_at } = await shop.ask("route", BACKEND)
    expect(agent).toBeNull()
    expect(Date.parse(String(retry_at)) - Date.now()).toBeLessThanOrEqual(65_000)
    const refused = await shop.bench.run(["agent", "exec", `${BACKEND} [[hello]]`, "--json"], { env: shop.env })
    expect(refused.exitCode).toBe(1)
    expect(JSON.parse(refused.stderr)).toMatchObject({
      ...{ code: "agent.unavailable", details: { retry_at } },
      message: expect.stringMatching(
        /^no agent can take it now \(codex: it is rate-limited until .*; try again at 20\S+Z$/,
      ),
    })
  })
})

it("rate limits are noted in the store that the call names, for the team that it names", async () => {
  using shop = makeShop(["claude", "codex"])
  const there = ["--store", "sqlite:other.db", "--project", "house", "--team", "two"]
  await shop.ask("project", "create", "--goal", "x", ...there)
  await shop.ask("agent", "exec", "--agent", "codex", "[[rate-limit]]", "--wait", ...there)
  expect((await shop.ask("route", BACKEND, ...there)).agent).toBe("claude")
  expect((await shop.ask("route", BACKEND)).agent).toBe("codex")
  const { events } = await shop.ask("events", "tail", "--type", "agent.rate_limited", ...there)
  expect(events).toHaveLength(1)
  expect(existsSync(join(shop.bench.home, "teamwork.db"))).toBe(false)
})

describe("a store that cannot be read", () => {
  it("does not keep anybody from choosing, and does not cost the result of a run", async () => {
    using shop = makeShop(["codex"], { TEAMWORK_STORE: "postgres://nobody@127.0.0.1:1/none" })
    const routed = await shop.bench.run(["route", BACKEND], { env: shop.env })
    expect(routed.json<{ data: Data }>().data).toMatchObject({ agent: "codex" })
    expect(routed.stderr).toMatch(/^Warning: rate limits and faults are not known: /)
    const done = await shop.ask("agent", "exec", "--agent", "codex", "[[rate-limit]]", "--wait")
    expect(done).toMatchObject({ reason: "rate-limited" })
    expect(readFileSync(join(String(done.folder), "log.txt"), "utf8")).toContain("the outcome was not noted: ")
  })
})

describe("teamwork prompt", () => {
  it("is for the agent that can be had, within the limit that is set for it", async () => {
    using shop = makeShop(["claude"])
    await shop.bench.ok("project", "create", "--goal", "x")
    await shop.bench.ok("task", "create", "--title", BACKEND, "--role", "backend")
    expect(await shop.ask("prompt", "1")).toMatchObject({ agent: "claude", limit: 80_000 })
    await shop.bench.ok("config", "set", "agents.claude.promptLimit", "1234")
    expect(await shop.ask("prompt", "1")).toMatchObject({ agent: "claude", limit: 1234 })
    await shop.bench.refused("config.bad_value", "config", "set", "agents.claude.promptLimit", "10")
  })
})
