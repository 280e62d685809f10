// What helps people: doctor, status, whiteboard, settings, completion, pipes; and the other store.
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { freshSchema } from "../support/postgres.ts"
import { sandboxEnv } from "../support/sandbox.ts"
import { type Bench, type Data, MAIN, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"

setDefaultTimeout(TEST_TIMEOUT_MS)

async function makeProject(...titles: string[]): Promise<Bench> {
  const bench = makeBench()
  await bench.ok("project", "create", "--goal", "Search page")
  for (const title of titles) await bench.ok("task", "create", title)
  return bench
}

interface Findings {
  readonly healthy: boolean
  readonly findings: readonly { check: string; status: string; detail: string; fixed: boolean }[]
}

describe("doctor (R229-R231)", () => {
  const damage = "update task set unmet = unmet + 5 where id = '2'"
  const abandon = "update task set lease_until = 1 where id = '1'"
  async function makeSick(): Promise<Bench> {
    const bench = await makeProject("One", "Two")
    await bench.ok("task", "claim", "1", "--owner", "w1")
    bench.tamper(damage)
    bench.tamper(abandon)
    return bench
  }

  it("finds damage without touching it", async () => {
    using bench = await makeSick()
    const before = bench.dump()
    await bench.refused("task.not_ready", "task", "claim", "2", "--owner", "w2")
    const result = await bench.run(["doctor"])
    expect(result.exitCode).toBe(1)
    const { healthy, findings } = result.json<{ data: Findings }>().data
    expect(healthy).toBe(false)
    expect(findings.filter((finding) => finding.status !== "ok")).toEqual([
      {
        check: "agents",
        status: "warning",
        detail: expect.stringContaining("no agent program is installed; claude: install it with: npm install -g"),
        fixed: false,
      },
      {
        check: "shop/main: needs",
        status: "problem",
        detail: "wrong counters of unmet needs: 2",
        fixed: false,
      },
      { check: "shop/main: claims", status: "warning", detail: "abandoned: 1", fixed: false },
    ])
    expect(bench.dump()).toEqual(before)
  })

  it("mends it when asked to, and finds nothing afterwards", async () => {
    using bench = await makeSick()
    const fixed = await bench.run(["doctor", "--fix", "--format", "table"])
    expect(fixed).toMatchObject({ exitCode: 0, stderr: "" })
    expect(fixed.stdout).toContain("PROBLEM shop/main: needs: wrong counters of unmet needs: 2 (fixed)\n")
    expect(fixed.stdout).toContain("warning shop/main: claims: abandoned: 1 (fixed)\n")
    expect(await bench.ok<Findings>("doctor")).toMatchObject({ healthy: true })
    expect(await bench.ok("task", "claim", "2", "--owner", "w2")).toMatchObject({ unmet: 0 })
    expect(await bench.ok("events", "tail", "--type", "task.released")).toMatchObject({
      events: [{ by: "teamwork", data: { task: "1", owner: "w1", reason: "lease ran out" } }],
    })
  })

  it("checks the store that the command line names", async () => {
    using bench = await makeProject()
    const file = join(bench.cwd, "named.db")
    const { findings } = await bench.ok<Findings>("doctor", "--store", `sqlite:${file}`)
    expect(findings.find(({ check }) => check === "store")).toMatchObject({ detail: expect.stringContaining(file) })
    expect(findings.filter(({ check }) => check.startsWith("shop/main"))).toEqual([])
    const bad = (await bench.run(["doctor", "--store", "nowhere"])).json<{ data: Findings }>().data
    expect(bad.findings.filter(({ status }) => status === "problem")).toMatchObject([
      { check: "configuration", detail: expect.stringContaining("nowhere") },
    ])
  })

  it("says what is missing on this machine", async () => {
    using bench = await makeProject()
    const result = await bench.run(["doctor", "--format", "table"], { env: { PATH: bench.cwd } })
    expect(result.exitCode).toBe(1)
    expect(result.stdout).toMatch(
      /^PROBLEM git: git was not found; install 2\.38 or newer\nwarning tmux: tmux was not found/,
    )
  })
})

describe("project status (R268)", () => {
  it("picks a single field by its path", async () => {
    using bench = await makeProject("One", "Two")
    const field = async (path: string) => bench.ok<unknown>("project", "status", "--field", path)
    await bench.ok("task", "claim", "1", "--owner", "w1")
    await bench.ok("task", "update", "1", "--owner", "w1", "--status", "resolved")
    expect(await field("stats.progress")).toBe(50)
    expect(await field("phase")).toBe("EXECUTION")
    expect(await field("workers")).toEqual({ total: 1, working: 0 })
    expect(await bench.text("project", "status", "--field", "stats.total")).toBe("2\n")
    expect(await bench.text("project", "status", "--field", "workers")).toBe('{"total":1,"working":0}\n')
    expect(await bench.ok<unknown>("project", "status", "--verbose", "--field", "tasks.1.title")).toBe("Two")
  })

  it("lists tasks only when asked to", async () => {
    using bench = await makeProject("One")
    expect(Object.keys(await bench.ok("project", "status"))).not.toContain("tasks")
    expect(await bench.ok("project", "status", "--verbose")).toMatchObject({ tasks: [{ id: "1", title: "One" }] })
  })
})

describe("whiteboard", () => {
  it("shows who does what, in Markdown", async () => {
    using bench = await makeProject("One", "Two", "Three", "Four")
    await bench.ok("task", "update", "2", "--add-blocked-by", "1")
    await bench.ok("task", "claim", "1", "--owner", "w1", "--role", "backend")
    await bench.ok("pause", "--task", "3", "--reason", "waits for a decision")
    const { markdown } = await bench.ok<{ markdown: string }>("whiteboard", "--json")
    expect(markdown).toStartWith("# shop/main\n\nSearch page\n\n**EXECUTION** · active · ")
    expect(markdown).toContain("## In progress\n\n- **1** One: w1, since ")
    expect(markdown).toContain("## Ready\n\n- **4** Four (worker)\n")
    expect(markdown).toContain("## Blocked\n\n- **2** Two: waits for 1\n")
    expect(markdown).toContain("## Paused\n\n- **3** Three: waits for a decision\n")
    expect(markdown).toContain("## Workers\n\n- **w1** backend: working on 1, 0 done\n")
    expect(markdown).toMatch(/## Lately\n\n(- .*\n)+- .* {2}task\.status_changed {2}task=3 from=open to=paused/)
    expect(await bench.text("whiteboard")).toBe(`${markdown}\n`)
  })
})

describe("settings", () => {
  const setting = async (bench: Bench, key: string, env: Record<string, string> = {}) =>
    (await bench.run(["config", "get", key], { env })).json<{ data: Data }>().data

  it("know where each value came from", async () => {
    using bench = makeBench()
    const { home, repository } = await bench.ok<{ home: string; repository: string }>("config", "path")
    expect([home, repository]).toEqual([join(bench.home, "config.json"), join(bench.cwd, "teamwork.json")])
    expect(await setting(bench, "team.maxAgents")).toMatchObject({ value: 5, origin: "default" })
    await bench.ok("config", "set", "team.maxAgents", "6")
    expect(await setting(bench, "team.maxAgents")).toMatchObject({ value: 6, where: `${home}:3` })
    await bench.ok("config", "set", "team.maxAgents", "7", "--repository")
    expect(await setting(bench, "team.maxAgents")).toMatchObject({ value: 7, where: `${repository}:3` })
    const env = { TEAMWORK_TEAM_MAX_AGENTS: "8" }
    expect(await setting(bench, "team.maxAgents", env)).toMatchObject({
      value: 8,
      origin: "env",
      where: "TEAMWORK_TEAM_MAX_AGENTS",
    })
    const table = (await bench.run(["config", "list", "--format", "table"])).stdout
    expect(table).toMatch(/team\.maxAgents +7 +\S.*teamwork\.json:3\n/)
  })

  it("are set and unset in their file, and everything else stays", async () => {
    using bench = makeBench()
    const file = join(bench.home, "config.json")
    writeFileSync(file, '{\n  "$schema": "x",\n  "claim": { "leaseSeconds": 60 }\n}\n')
    expect(await bench.ok("config", "set", "evidence.warnPatterns", "one, two")).toEqual({ file, changed: true })
    expect(await bench.ok("config", "set", "evidence.warnPatterns", "one, two")).toEqual({ file, changed: false })
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
      $schema: "x",
      claim: { leaseSeconds: 60 },
      evidence: { warnPatterns: ["one", "two"] },
    })
    expect(await bench.ok("config", "unset", "evidence.warnPatterns")).toEqual({ file, changed: true })
    expect(await bench.ok("config", "unset", "evidence.warnPatterns")).toEqual({ file, changed: false })
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ $schema: "x", claim: { leaseSeconds: 60 } })
    expect(await bench.text("config", "unset", "evidence.warnPatterns")).toBe(
      `evidence.warnPatterns is not set in ${file}\n`,
    )
  })

  it("take effect", async () => {
    using bench = await makeProject("One")
    await bench.ok("config", "set", "claim.leaseSeconds", "60")
    const { claimed_at, lease_until } = await bench.ok("task", "claim", "1", "--owner", "w1")
    expect(Date.parse(String(lease_until)) - Date.parse(String(claimed_at))).toBe(60_000)
  })

  it("never show a password", async () => {
    using bench = makeBench()
    await bench.ok("config", "set", "store", "postgres://me:secret@127.0.0.1:1/x")
    const shown = await bench.run(["config", "list"])
    expect(shown.stdout).not.toContain("secret")
    const doctor = await bench.run(["doctor"])
    expect(doctor.stdout + doctor.stderr).not.toContain("secret")
  })

  it("come from the command line before anything else", async () => {
    using bench = makeBench()
    await bench.ok("config", "set", "store", "sqlite:/home.db")
    const named = ["--store", `sqlite:${bench.cwd}/named.db`, "--project", "named"]
    const fromFlags = [
      { key: "store", value: `sqlite:${bench.cwd}/named.db`, origin: "flag", where: "command line" },
      { key: "defaults.project", value: "named", origin: "flag", where: "command line" },
    ]
    const listed = await bench.ok<Data[]>("config", "list", ...named)
    expect(listed.filter((each) => each.origin === "flag").toSorted(byKey)).toEqual(fromFlags.toSorted(byKey))
    expect(await bench.ok("config", "get", "store", ...named)).toMatchObject({ origin: "flag" })
    expect(await bench.ok("config", "get", "store")).toMatchObject({ value: "sqlite:/home.db", origin: "home file" })
    await bench.refused("config.bad_value", "config", "list", "--store", "nowhere")
  })

  it("have a schema that is the published one", async () => {
    using bench = makeBench()
    const published = JSON.parse(readFileSync(join(import.meta.dir, "../../docs/config.schema.json"), "utf8"))
    expect(await bench.ok("config", "schema", "--json")).toEqual(published)
    expect(JSON.parse(await bench.text("config", "schema"))).toEqual(published)
  })

  it("warn of a variable that looks like a slip", async () => {
    using bench = makeBench()
    const result = await bench.run(["config", "list"], { env: { TEAMWORK_TEAM_MAX_AGENT: "3" } })
    expect(result.exitCode).toBe(0)
    expect(result.stderr).toContain("did you mean TEAMWORK_TEAM_MAX_AGENTS?")
  })
})

describe("completion", () => {
  /** What bash offers for the last word of the line, asked in a real bash. */
  function complete(script: string, ...words: string[]): string[] {
    const quoted = words.map((word) => `'${word}'`).join(" ")
    const program = `source "$1"; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _teamwork; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout, stderr } = Bun.spawnSync(["bash", "--norc", "-c", program, "bash", script], { env: sandboxEnv() })
    expect(stderr.toString()).toBe("")
    return stdout.toString().split("\n").filter(Boolean)
  }
  const hasBash = Bun.which("bash") !== null

  it.skipIf(!hasBash)(`works in bash${hasBash ? "" : " (skipped: there is no bash)"}`, async () => {
    using bench = makeBench()
    const script = join(bench.cwd, "completion.bash")
    writeFileSync(script, await bench.text("completion", "bash"))
    expect(complete(script, "teamwork", "task", "cl")).toEqual(["claim"])
    expect(complete(script, "teamwork", "wor")).toEqual(["worker", "worktree"])
    expect(complete(script, "teamwork", "config", "")).toEqual(["list", "get", "set", "unset", "path", "schema"])
    expect(complete(script, "teamwork", "task", "claim", "--strict")).toEqual(["--strict-role"])
    expect(complete(script, "teamwork", "task-claim", "--own")).toEqual(["--owner"])
    expect(complete(script, "teamwork", "project", "create", "--go")).toEqual(["--goal"])
    expect(complete(script, "teamwork", "nonsense", "x")).toEqual([])
  })

  it("covers every shell it names", async () => {
    using bench = makeBench()
    expect(await bench.text("completion", "zsh")).toStartWith("autoload -U +X bashcompinit")
    expect(await bench.text("completion", "fish")).toContain(
      "complete -c teamwork -n '__fish_use_subcommand' -a 'setup ",
    )
    for (const shell of ["zsh", "fish"]) {
      if (Bun.which(shell) === null) continue
      const script = join(bench.cwd, `completion.${shell}`)
      writeFileSync(script, await bench.text("completion", shell))
      expect(Bun.spawnSync([shell, "-n", script], { env: sandboxEnv() }).stderr.toString()).toBe("")
    }
  })
})

describe("a pipe", () => {
  it("that is closed early ends the program without a word", async () => {
    using bench = await makeProject()
    const description = "d".repeat(100_000)
    for (const title of ["One", "Two", "Three"]) await bench.ok("task", "create", title, "--description", description)
    const env = sandboxEnv({ HOME: bench.home, TEAMWORK_TEST_BASE_DIR: bench.home })
    for (const args of [
      "task list",
      "task get 1 --format table",
      "help",
      "config schema --format table",
      "events tail",
    ]) {
      const line = `"$1" "$2" ${args} | head -1 | cut -c1-20`
      const result = Bun.spawnSync(["sh", "-c", line, "sh", process.execPath, MAIN], { cwd: bench.cwd, env })
      expect({ args, stderr: result.stderr.toString(), exitCode: result.exitCode }).toEqual({
        args,
        stderr: "",
        exitCode: 0,
      })
      expect(result.stdout.toString().length).toBeGreaterThan(1)
    }
  })

  it("that is closed ends also what would print for ever", async () => {
    using bench = await makeProject()
    const env = sandboxEnv({ HOME: bench.home, TEAMWORK_TEST_BASE_DIR: bench.home })
    const line = `"$1" "$2" events tail --follow | head -1 | wc -l`
    const child = Bun.spawn(["sh", "-c", line, "sh", process.execPath, MAIN], { cwd: bench.cwd, env, stdout: "pipe" })
    // It notices the closed pipe when it has something to say.
    for (let count = 0; count < 50 && child.exitCode === null; count++) await bench.ok("task", "create", "Another")
    expect({ out: (await new Response(child.stdout).text()).trim(), exitCode: await child.exited }).toEqual({
      out: "1",
      exitCode: 0,
    })
  })

  it("gets everything, however much it is", async () => {
    using bench = await makeProject()
    const description = "ü".repeat(60_000)
    for (let count = 0; count < 5; count++) await bench.ok("task", "create", "Big", "--description", description)
    const tasks = await bench.ok<Data[]>("task", "list")
    expect(tasks.map((task) => task.description)).toEqual(Array(5).fill(description))
  })
})

describe("the place of the store", () => {
  it("is in ~/.claude/teamwork unless a variable, a setting or a flag names another", async () => {
    using bench = makeBench()
    const place = async (env: Record<string, string>, ...flags: string[]) => {
      const result = await bench.run(["setup", ...flags], { env: { ...env, TEAMWORK_TEST_BASE_DIR: undefined } })
      return result.json<{ data: Data }>().data.store
    }
    expect(await place({})).toBe(`sqlite:${bench.home}/.claude/teamwork/teamwork.db`)
    expect(await place({ TEAMWORK_HOME: "own" })).toBe(`sqlite:${bench.cwd}/own/teamwork.db`)
    expect(await place({ TEAMWORK_STORE: "sqlite:~/x.db" })).toBe(`sqlite:${bench.home}/x.db`)
    expect(await place({ TEAMWORK_STORE: "sqlite:~/x.db" }, "--store", "sqlite:y.db")).toBe(`sqlite:${bench.cwd}/y.db`)
    const files = [".claude/teamwork/teamwork.db", "x.db"].map((path) => join(bench.home, path))
    for (const file of [...files, join(bench.cwd, "own/teamwork.db"), join(bench.cwd, "y.db")])
      expect(existsSync(file)).toBe(true)
  })

  it("keeps its own projects", async () => {
    using bench = await makeProject("One")
    expect(await bench.ok<Data[]>("project", "list", "--store", "sqlite:other.db")).toEqual([])
    expect(await bench.ok<Data[]>("project", "list")).toHaveLength(1)
  })
})

describe("PostgreSQL as the store", () => {
  it("takes the same commands and wakes those who wait", async () => {
    await using schema = await freshSchema()
    using bench = makeBench()
    await bench.ok("config", "set", "store", schema.url)
    await using worker = bench.start(["worker", "setup", "--loop", "--poll-interval", "600"])
    await worker.untilLine("err", (line) => line.endsWith("Waiting for project shop/main..."))
    await bench.ok("project", "create", "--goal", "Search page")
    await using follower = bench.start(["events", "tail", "--follow"])
    await follower.untilLine("out", (line) => line.includes("team.created"))
    await bench.ok("task", "create", "One")
    await bench.ok("task", "create", "Two", "--blocked-by", "1")
    expect(await worker.exited).toBe(0)
    await bench.ok("task", "claim", "--next", "--owner", "w1", "--worker-id", "w1")
    await bench.ok("evidence", "run", "1", "--owner", "w1", "--", "true")
    await bench.ok("task", "update", "1", "--owner", "w1", "--status", "resolved", "--worker-id", "w1")
    expect(await bench.ok("task", "claim", "--next", "--owner", "w1")).toMatchObject({ id: "2", unmet: 0 })
    await bench.ok("worker", "setup", "--worker-id", "w2")
    await bench.ok("mailbox", "send", "--from", "w1", "--to", "w2", "--payload", '{"message":"a\\u0000b"}')
    expect(await bench.ok<Data[]>("mailbox", "read", "w2")).toMatchObject([{ payload: { message: "a\u0000b" } }])
    await follower.untilLine("out", (line) => line.includes('"task.resolved"'))
    expect(await follower.stop("SIGINT")).toBe(0)
    expect(await bench.ok<Findings>("doctor")).toMatchObject({ healthy: true })
    expect(await bench.ok("project", "get")).toMatchObject({ stats: { total: 2, resolved: 1, in_progress: 1 } })
    expect(existsSync(join(bench.home, "teamwork.db"))).toBe(false)
  }, 60_000)
})

function byKey(one: Data, other: Data): number {
  return String(one.key).localeCompare(String(other.key))
}
