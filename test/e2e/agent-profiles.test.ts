// A second account of a program is a profile: an agent of its own, `program@profile`, with its own config folder.
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { FIXTURE_AGENT } from "../support/agents.ts"
import { type Bench, type Data, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"

setDefaultTimeout(TEST_TIMEOUT_MS)

/** Claude Code and Codex are the fixture; `claude@work` has a login of its own. */
function makeAccounts(): Bench & { readonly folder: string } {
  const bench = makeBench()
  const folder = join(bench.home, "work account")
  mkdirSync(folder)
  writeFileSync(join(folder, ".credentials.json"), "{}")
  const command = (name: string) => [process.execPath, FIXTURE_AGENT, name]
  const agents = {
    claude: { command: command("claude"), profiles: [`work=${folder}`] },
    codex: { command: command("codex") },
  }
  writeFileSync(join(bench.home, "config.json"), JSON.stringify({ agents }))
  return { ...bench, folder }
}

const KEY = { ANTHROPIC_API_KEY: "not-a-key" }

async function ask(bench: Bench, env: Record<string, string>, ...args: string[]): Promise<Data> {
  const result = await bench.run([...args, "--json"], { env })
  return result.json<{ data: Data }>().data
}

describe("profiles of agent programs (F035)", () => {
  it("F035: list, run and route each account as an agent of its own", async () => {
    using bench = makeAccounts()
    const listed = (await ask(bench, {}, "agent", "list")) as unknown as Data[]
    const accounts = listed.filter(({ name }) => String(name).startsWith("claude"))
    expect(accounts).toMatchObject([
      { name: "claude", is_available: true, is_logged_in: false },
      { name: "claude@work", is_available: true, is_logged_in: true, models: { opus: { model: "opus" } } },
    ])

    // The fixture answers with the names of its variables.
    const run = (agent: string) => ask(bench, KEY, "agent", "exec", "--agent", agent, "[[environment]]", "--wait")
    const own = await run("claude")
    expect(own).toMatchObject({ agent: "claude", status: "completed", output: expect.stringContaining("ANTHROPIC_") })
    const { agent, output } = await run("claude@work")
    expect(agent).toBe("claude@work")
    expect(output).toContain("CLAUDE_CONFIG_DIR")
    expect(output).not.toContain("ANTHROPIC_API_KEY")

    // Nobody is logged in to the first account, so the second one takes what is the program's.
    expect(await ask(bench, {}, "route", "Tidy up")).toMatchObject({ agent: "claude@work" })
  })

  it("F035: refuse a name that is none with the list, and a setting that is none with the form", async () => {
    using bench = makeAccounts()
    const wrong = await bench.run(["agent", "exec", "--agent", "claude@home", "--prompt", "x"])
    expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("claude, claude@work, codex") })
    const bad = await bench.run(["route", "x", "--agent", "a b@c"])
    expect(bad).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("teamwork agent list") })
    const set = (value: string) => bench.run(["config", "set", "agents.claude.profiles", value])
    expect(await set("work")).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("NAME=FOLDER") })
    expect(await set("work=relative/folder")).toMatchObject({ exitCode: 2 })
    expect(await set("work=~/a,work=~/b")).toMatchObject({ exitCode: 0 })
    expect(await bench.run(["agent", "list"])).toMatchObject({
      ...{ exitCode: 2, stderr: expect.stringContaining("agents.claude.profiles names work twice") },
    })
  })

  it("tells how to log in to the folder of a profile, in the list and in doctor", async () => {
    using bench = makeAccounts()
    const user = { HOME: bench.home, COLUMNS: "40" }
    const command = [process.execPath, FIXTURE_AGENT, "claude"]
    const profiles = ["new=~/.new", "spaced=~/my account"]
    const programs = ["claude", "codex", "gemini", "opencode"].map((name) => [name, { command, profiles }])
    writeFileSync(join(bench.home, "config.json"), JSON.stringify({ agents: Object.fromEntries(programs) }))
    const { stdout: listed } = await bench.run(["agent", "list", "--format", "table"], { env: user })
    const { stdout: examined } = await bench.run(["doctor", "--format", "table"], { env: user })
    for (const advice of [
      "not logged in; run: CLAUDE_CONFIG_DIR=~/.new claude auth login\n",
      `not logged in; run: CLAUDE_CONFIG_DIR='${bench.home}/my account' claude auth login\n`,
      "not logged in; run: CODEX_HOME=~/.new codex login\n",
      "not logged in; run: GEMINI_CLI_HOME=~/.new gemini and choose a login\n",
      "not logged in; run: HOME=~/.new opencode auth login\n",
      "not logged in; run claude auth login, or set ANTHROPIC_API_KEY\n",
    ]) {
      expect(listed).toContain(advice)
      expect(examined).toContain(advice.trim())
    }
  })

  it("F035: remember a rate limit for one account only", async () => {
    using bench = makeAccounts()
    await ask(bench, KEY, "project", "create", "--goal", "x")
    const limited = await ask(bench, KEY, "agent", "exec", "--agent", "claude@work", "[[rate-limit]]", "--wait")
    expect(limited).toMatchObject({ agent: "claude@work", reason: "rate-limited" })
    const [claude, work] = (await ask(bench, KEY, "agent", "list")) as unknown as Data[]
    expect(claude).toMatchObject({ name: "claude", rate_limited_until: null })
    expect(work).toMatchObject({ name: "claude@work", rate_limited_until: expect.stringContaining("Z") })
    expect(await ask(bench, KEY, "route", "Tidy up")).toMatchObject({ agent: "claude" })
  })
})
