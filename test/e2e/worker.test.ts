// `teamwork worker` as real processes: killed, interrupted, watched (R076-R083, R139).
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { agentMark } from "../../src/workers/loop/orphans.ts"
import { FIXTURE_AGENT } from "../support/agents.ts"
import { processesWith } from "../support/processes.ts"
import { safeDelete } from "../support/sandbox.ts"
import { type Bench, type Data, git, makeBench, TEST_TIMEOUT_MS, until } from "./bench.ts"
import { prepareRepository } from "./command-cases.ts"

setDefaultTimeout(TEST_TIMEOUT_MS)

async function makeProject(): Promise<Bench> {
  const bench = makeBench()
  prepareRepository(bench)
  await bench.ok("project", "create", "--goal", "Search page")
  return bench
}

const waits = ({ home }: Bench) => join(home, "waits")
const go = ({ home }: Bench) => writeFileSync(join(home, "go"), "")

/** The fixture commits something, waits until the test lets it go, and then writes the rest. */
async function createWaiting(bench: Bench, id: string): Promise<void> {
  const how = ["--agent", "claude", "--check", "grep rest b.txt"]
  await bench.ok("task", "create", "--id", id, "--title", `Task ${id}`, "--description", "[[half]]", ...how)
}

const AGENT = { TEAMWORK_AGENTS_CLAUDE_COMMAND: JSON.stringify([process.execPath, FIXTURE_AGENT, "claude"]) }

const untilItWaits = (bench: Bench) => until(() => existsSync(waits(bench)))
const task = (bench: Bench, id: string) => bench.ok<Data>("task", "get", id)
const events = async (bench: Bench, type: string) =>
  (await bench.ok<{ events: { data: Data }[] }>("events", "tail", "--type", type, "--limit", "100")).events.map(
    ({ data }) => data,
  )
const markOf = ({ home }: Bench, worker: string) => agentMark({ home, project: "shop", team: "main", worker })

const interrupted = (line: string) => line.includes("Interrupted: takes no new task")

const SHORT_LEASE = { ...AGENT, TEAMWORK_CLAIM_WORKER_LEASE_SECONDS: "2", TEAMWORK_CLAIM_RENEW_SECONDS: "1" }

describe("teamwork worker", () => {
  it("is killed in the middle, and another one goes on in the same attempt from its commits", async () => {
    using bench = await makeProject()
    await createWaiting(bench, "1")
    await using first = bench.start(["worker"], SHORT_LEASE)
    await untilItWaits(bench)
    expect(processesWith(markOf(bench, "w1"))).not.toEqual([])
    await first.stop("SIGKILL")
    safeDelete(waits(bench))
    await using second = bench.start(["worker", "--once", "--loop"], SHORT_LEASE)
    await untilItWaits(bench)
    expect(processesWith(markOf(bench, "w1"))).toEqual([])
    go(bench)
    expect(await second.exited).toBe(0)
    expect(JSON.parse(second.out.at(-1) ?? "")).toMatchObject({
      data: { worker: "w2", reason: "once", delivered: ["1"] },
    })
    expect(await task(bench, "1")).toMatchObject({ status: "resolved", attempt: 1, claimed_by: "w2" })
    const head = git(bench.cwd, "rev-parse", "refs/teamwork/shop/main/1/1/head")
    const subjects = git(bench.cwd, "log", "--format=%s", head).split("\n")
    expect(subjects).toEqual(expect.arrayContaining(["Half by w1", "Half by w2"]))
    expect(git(bench.cwd, "show", `${head}:c.txt`)).toBe("not committed\nnot committed")
    expect(await events(bench, "worker.exited")).toMatchObject([{ worker: "w2", reason: "done" }])
  })

  it("brings its task to an end when it is interrupted once", async () => {
    using bench = await makeProject()
    await createWaiting(bench, "1")
    await bench.ok("task", "create", "--id", "2", "--title", "Not begun", "--blocked-by", "1")
    await using live = bench.start(["worker", "--loop", "--worker-id", "w5"], AGENT)
    await untilItWaits(bench)
    process.kill(live.pid, "SIGINT")
    await live.untilLine("err", interrupted)
    go(bench)
    expect(await live.exited).toBe(0)
    expect(JSON.parse(live.out.at(-1) ?? "")).toMatchObject({
      data: { worker: "w5", reason: "drained", delivered: ["1"] },
    })
    expect(await task(bench, "2")).toMatchObject({ status: "open" })
    expect(live.err.every((line) => /^\[\d\d:\d\d:\d\d\] \S/.test(line))).toBe(true)
    expect(live.err.map((line) => line.slice(11))).toEqual([
      "Project found: shop/main",
      "Found 1 open tasks. Starting worker...",
      'Found task 1: "Task 1"',
      'Claimed task 1: "Task 1" (attempt 1)',
      "Task 1: claude runs (1-1-1)",
      "claude: half of it is done",
      "Interrupted: takes no new task; interrupt again to stop now",
      "Completed task #1: 2 files changed: b.txt, c.txt",
    ])
  })

  it("stops at once when it is interrupted twice; the claim is free and nothing is lost", async () => {
    using bench = await makeProject()
    await createWaiting(bench, "1")
    await using live = bench.start(["worker"], AGENT)
    await untilItWaits(bench)
    process.kill(live.pid, "SIGTERM")
    await live.untilLine("err", interrupted)
    process.kill(live.pid, "SIGINT")
    expect(await live.exited).toBe(0)
    expect(processesWith(markOf(bench, "w1"))).toEqual([])
    expect(JSON.parse(live.out.at(-1) ?? "")).toMatchObject({ data: { reason: "stopped", set_back: ["1"] } })
    expect(await task(bench, "1")).toMatchObject({ status: "open", claimed_by: null })
    const head = git(bench.cwd, "rev-parse", "refs/teamwork/shop/main/1/1/head")
    expect(git(bench.cwd, "show", `${head}:b.txt`)).toBe("half")
  })

  it("starts before the project, works for it, and ends when that is complete; with --keep-polling it does not", async () => {
    using bench = makeBench()
    prepareRepository(bench)
    await using live = bench.start(["worker", "--poll-interval", "0.1"])
    await live.untilLine("err", (line) => line.endsWith("Waiting for project shop/main..."))
    await bench.ok("project", "create", "--goal", "x")
    await bench.ok("task", "create", "--id", "1", "--title", "One", "--run", "echo b > b.txt", "--check", "true")
    await live.untilLine("err", (line) => line.includes("Completed task #1"))
    await live.untilLine("err", (line) => line.endsWith("No available tasks (role: any). Waiting 0.1s..."))
    await bench.ok("verdict", "record", "--scope", "final", "--status", "passed")
    expect(await live.exited).toBe(0)
    expect(JSON.parse(live.out.at(-1) ?? "")).toMatchObject({ data: { reason: "complete", delivered: ["1"] } })
    await using other = bench.start(["worker", "--poll-interval", "0.1", "--keep-polling"])
    await until(() => other.err.filter((line) => line.includes("No available tasks")).length >= 2)
    expect(await other.stop()).toBe(0)
  })

  it("does nothing where there is nothing to do, and says so", async () => {
    using bench = await makeProject()
    expect(await bench.ok("worker", "--once")).toMatchObject({ worker: "w1", reason: "none", delivered: [] })
    expect(await bench.text("worker", "--once")).toBe(
      "Worker w2 ended: there is no task. Delivered: none. Set back: none.\n",
    )
  })

  it("says what is wrong: no project, no repository, a wrong flag", async () => {
    using bench = makeBench()
    expect(await bench.refused("workspace.no_repository", "worker", "--once")).toContain("git")
    expect(bench.dump().worker ?? []).toEqual([])
    prepareRepository(bench)
    expect(await bench.refused("team.not_found", "worker", "--once")).toContain("teamwork project create")
    await bench.refused("input.invalid", "worker", "--role", "cook")
    await bench.refused("input.invalid", "worker", "--poll-interval", "0")
  })

  it("needs less than 100 MB", async () => {
    using bench = await makeProject()
    await bench.ok("task", "create", "--id", "1", "--title", "One", "--run", "echo b > b.txt", "--check", "true")
    await using live = bench.start(["worker"])
    await live.untilLine("err", (line) => line.includes("No available tasks"))
    expect(live.err.some((line) => line.includes("Completed task #1"))).toBe(true)
    const kilobytes = Number(Bun.spawnSync(["ps", "-o", "rss=", "-p", String(live.pid)]).stdout.toString())
    console.log(`a worker after a task: ${Math.round(kilobytes / 1024)} MB`)
    expect(kilobytes).toBeLessThan(100 * 1024)
  })

  it("lets what it runs call teamwork, installed or not, and reach the same team and store", async () => {
    using bench = await makeProject()
    // Neither by the folder nor by the default home would anybody find it.
    const at = ["--project", "elsewhere", "--team", "other"]
    await bench.ok("project", "create", "--goal", "Search page", ...at)
    const look = "teamwork task get 1 --json > b.txt && env | grep ^TEAMWORK_ >> b.txt"
    await bench.ok("task", "create", "--id", "1", "--title", "Look", "--run", look, "--check", "true", ...at)
    const env = { TEAMWORK_TEST_BASE_DIR: "", HOME: "/nowhere", TEAMWORK_HOME: bench.home, PATH: "/usr/bin:/bin" }
    await using live = bench.start(["worker", "--once", ...at], env)
    expect(await live.exited).toBe(0)
    const [task = "", ...variables] = git(bench.cwd, "show", "refs/teamwork/elsewhere/other/1/1/head:b.txt").split("\n")
    expect(JSON.parse(task)).toMatchObject({ data: { id: "1", status: "in_progress", claimed_by: "w1" } })
    const told = ["HOME", "STORE", "PROJECT", "TEAM"].map((name) =>
      variables.find((line) => line.startsWith(`TEAMWORK_${name}=`))?.replace(/.*=/, ""),
    )
    expect(told).toEqual([bench.home, `sqlite:${bench.home}/teamwork.db`, "elsewhere", "other"])
  })
})
