// Faults of agent programs are the programs': real processes, real git, and programs whose health a file decides.
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { until } from "../support/stores.ts"
import { makeRepository, type PlannedTask, writePlan } from "../support/team-runs.ts"
import { type Bench, type Data, git, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"

setDefaultTimeout(4 * TEST_TIMEOUT_MS)
const RUN = ["run", "--no-review", "--no-cascade", "--workers", "4"]
/** Both are logged in, as far as anybody can tell. */
const LOGINS = { ANTHROPIC_API_KEY: "not-a-key", OPENAI_API_KEY: "not-a-key" }
const FIXTURE = join(import.meta.dir, "../fixtures/agents/health.ts")

type Format = "claude" | "codex"
interface Seen {
  readonly task: string
  readonly health: string
  readonly at: number
}

async function makePrograms(bench: Bench, health: Partial<Record<Format, string>>) {
  const folder = join(bench.cwd, "../health")
  mkdirSync(folder)
  const be = (format: Format, how: string) => writeFileSync(join(folder, `${format}.is`), how)
  for (const format of ["claude", "codex"] as const) {
    const how = health[format]
    if (how === undefined) {
      await bench.ok("config", "set", `agents.${format}.enabled`, "false")
      continue
    }
    be(format, how)
    const command = JSON.stringify([process.execPath, FIXTURE, format, `in=${folder}`])
    await bench.ok("config", "set", `agents.${format}.command`, command)
  }
  for (const format of ["gemini", "opencode"]) await bench.ok("config", "set", `agents.${format}.enabled`, "false")
  const runsOf = (format: Format): Seen[] => {
    const file = join(folder, `${format}.runs`)
    // The last line may be half written.
    const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : []
    return lines.map((line) => JSON.parse(line))
  }
  return { be, runsOf }
}

const tasksFor = (count: number, agent: Format): PlannedTask[] =>
  Array.from({ length: count }, (_, at) => ({ id: String(at + 1), run: [], agent, description: "Write the file" }))

const planFor = (bench: Bench, tasks: readonly PlannedTask[]) => writePlan(join(bench.cwd, "../plan.json"), tasks)

async function eventsOf(bench: Bench, type: string): Promise<Data[]> {
  const answer = await bench.ok<{ events: Data[] } | Data[]>("events", "tail", "--type", type, "--limit", "1000")
  return Array.isArray(answer) ? answer : answer.events
}

describe("F035: one broken program", () => {
  it("is blamed itself: the healthy one does all 8 tasks, no worker is quarantined", async () => {
    using bench = makeBench()
    makeRepository(bench.cwd)
    const programs = await makePrograms(bench, { codex: "exit-3", claude: "works" })
    const plan = planFor(bench, tasksFor(8, "codex"))
    // Longer than this test takes on a busy machine.
    const env = { ...LOGINS, TEAMWORK_TEAM_FAULT_BACKOFF_SECONDS: "600" }
    const { exitCode, stdout } = await bench.run([...RUN, plan], { env })
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
    for (let id = 1; id <= 8; id++) expect(git(bench.cwd, "show", `main:f${id}`)).toBe("claude")
    expect(await eventsOf(bench, "worker.quarantined")).toEqual([])
    // At most one for each worker before anybody knew.
    expect(programs.runsOf("codex").length).toBeLessThanOrEqual(4)
    expect(programs.runsOf("claude")).toHaveLength(8)
    expect(stdout).toMatch(/codex is left out until .*: crashed: /)
    // What is known outlives the run, and is told with the way out.
    const listed = (await bench.run(["agent", "list"], { env: LOGINS })).json<{ data: Data[] }>().data
    expect(listed.find(({ name }) => name === "codex")).toMatchObject({
      left_out: { cause: expect.stringMatching(/^crashed: /), is_open: false },
    })
    expect((await bench.run(["agent", "list", "--format", "table"], { env: LOGINS })).stdout).toMatch(
      /\ncodex is left out until \S+: crashed: .*teamwork agent reset codex\n/,
    )
    expect(await bench.ok("agent", "reset", "codex")).toMatchObject({ agent: "codex", left_out: { faults: 1 } })
    expect(await bench.text("agent", "reset", "codex")).toBe(
      "codex is neither left out nor rate-limited; nothing was changed\n",
    )
  })

  it("that worked on a task hands it over with what was done, and the task's tries are its own", async () => {
    using bench = makeBench()
    makeRepository(bench.cwd)
    await makePrograms(bench, { codex: "half", claude: "works" })
    const plan = planFor(bench, tasksFor(1, "codex"))
    const { exitCode, stdout } = await bench.run([...RUN, plan], { env: LOGINS })
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
    // From the pinned commit: both have written to it.
    expect(git(bench.cwd, "show", "main:f1")).toBe("codex\nclaude")
    expect(await bench.ok("task", "get", "1")).toMatchObject({ status: "resolved", attempt: 1 })
  })

  it("is tried again by one run at a time, after 5, 10 and 20 s, where there is no other", async () => {
    using bench = makeBench()
    makeRepository(bench.cwd)
    const programs = await makePrograms(bench, { claude: "500" })
    const plan = planFor(bench, tasksFor(4, "claude"))
    const env = { ...LOGINS, TEAMWORK_TEAM_FAULT_BACKOFF_SECONDS: "1,2,3" }
    await using running = bench.start([...RUN, plan], env)
    await until(async () => programs.runsOf("claude").some(({ at }) => at > firstAt() + 900), "a second try")
    programs.be("claude", "works")
    expect(await running.exited).toBe(0)
    function firstAt() {
      return programs.runsOf("claude")[0]?.at ?? Number.POSITIVE_INFINITY
    }
    for (let id = 1; id <= 4; id++) expect(git(bench.cwd, "show", `main:f${id}`)).toBe("claude")
    expect(await eventsOf(bench, "worker.quarantined")).toEqual([])
    const failed = programs.runsOf("claude").filter(({ health }) => health === "500")
    // All that began before the first failed together; then one after 1 s, one after 2 s.
    const later = failed.filter(({ at }) => at > firstAt() + 900)
    expect(later.length).toBeGreaterThanOrEqual(1)
    expect(later.length).toBeLessThanOrEqual(3)
    expect(await bench.ok("task", "get", "1")).toMatchObject({ status: "resolved", attempt: 1 })
  })
})
