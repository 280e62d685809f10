import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { readdirSync, readlinkSync, rmSync } from "node:fs"
import { makeRepository } from "../support/team-runs.ts"
import { makeBench, until } from "./bench.ts"

setDefaultTimeout(30_000)

async function makeProject(...titles: string[]) {
  const bench = makeBench()
  await bench.ok("project", "create", "--goal", "Search page")
  for (const title of titles) await bench.ok("task", "create", title)
  return bench
}

describe("flags before the command", () => {
  it("never reach the program behind --", async () => {
    using bench = await makeProject("One")
    const result = await bench.run(["--json", "evidence", "run", "--id", "1", "--", "echo", "hi"])
    expect(result.json<{ data: { command: string } }>().data.command).toBe("echo hi")
    const error = await bench.run(["evidence", "run", "--id", "9", "--", "echo", "--json"])
    expect(error.stderr).toStartWith("Error: task 9 does not exist")
  })
})

describe("a pause", () => {
  it("leaves no reason behind when it is over", async () => {
    using bench = await makeProject("One")
    await bench.ok("pause", "--reason", "lunch")
    await bench.ok("resume", "--reason", "back")
    expect(await bench.ok("project", "status")).toMatchObject({ status: "active", pause_reason: null })
  })

  it("of a worker keeps it from being told to start", async () => {
    using bench = await makeProject("One")
    await bench.ok("worker", "setup", "--worker-id", "w1")
    await bench.ok("pause", "--worker-id", "w1")
    expect(await bench.ok("worker", "setup", "--worker-id", "w1")).toMatchObject({ available: 0, next: null })
  })
})

describe("waves", () => {
  it("are laid out again when a task of theirs is deleted", async () => {
    using bench = await makeProject("One", "Two")
    await bench.ok("task", "update", "2", "--add-blocked-by", "1")
    await bench.ok("wave", "calculate")
    await bench.ok("task", "delete", "2", "--force")
    expect(await bench.ok("wave", "status")).toMatchObject({ total_waves: 1 })
  })

  it("take a new task into the first one that is open", async () => {
    using bench = await makeProject("One", "Two")
    await bench.ok("task", "update", "2", "--add-blocked-by", "1")
    await bench.ok("wave", "calculate")
    for (const id of ["1", "2"]) {
      await bench.ok("task", "claim", id, "--owner", "w1")
      await bench.ok("task", "update", id, "--owner", "w1", "--status", "resolved")
      await bench.ok("wave", "update", id, "--status", "verified")
    }
    await bench.ok("task", "reopen", "1")
    expect(await bench.ok("task", "create", "Fix")).toMatchObject({ wave: 1 })
  })

  it("tell when a change of needs takes a failed one back", async () => {
    using bench = await makeProject("One", "Two")
    await bench.ok("wave", "calculate")
    await bench.ok("wave", "update", "1", "--status", "failed")
    await bench.ok("task", "update", "2", "--add-blocked-by", "1")
    const page = await bench.ok<{ events: { data: object }[] }>("events", "tail", "--type", "wave.updated")
    expect(page.events.at(-1)?.data).toEqual({ wave: 1, from: "failed", to: "in_progress" })
  })
})

describe("the end of a project", () => {
  it("needs tasks, and is not calculated away", async () => {
    using bench = await makeProject()
    await bench.refused("task.not_ready", "verdict", "record", "--scope", "final", "--status", "passed")
    await bench.ok("task", "create", "One")
    await bench.ok("task", "update", "1", "--status", "skipped")
    await bench.ok("verdict", "record", "--scope", "final", "--status", "passed")
    await bench.refused("wave.transition", "wave", "calculate")
  })

  it("is judged by waves that exist", async () => {
    using bench = await makeProject("One")
    await bench.ok("wave", "calculate")
    const verdict = ["verdict", "record", "--scope", "wave", "--status"]
    await bench.refused("wave.not_found", ...verdict, "skipped", "--subject", "99")
    await bench.refused("usage", ...verdict, "failed", "--subject", "0x1")
  })
})

it("a reopened task has no result yet", async () => {
  using bench = await makeProject("One")
  await bench.ok("task", "claim", "1", "--owner", "w1")
  await bench.ok("task", "update", "1", "--owner", "w1", "--status", "resolved", "--result", "done")
  expect(await bench.ok("task", "reopen", "1")).toMatchObject({ result: null, attempt: 2 })
})

it("a task in review has no lease to lose", async () => {
  using bench = await makeProject("One")
  await bench.ok("task", "claim", "1", "--owner", "w1")
  expect(await bench.ok("task", "update", "1", "--owner", "w1", "--status", "in_review")).toMatchObject({
    lease_until: null,
    claimed_by: "w1",
  })
})

it("a glob with braces is one glob", async () => {
  using bench = await makeProject()
  expect(await bench.ok("task", "create", "One", "--files", "src/{a,b}.ts", "--files", "c.ts")).toMatchObject({
    files: ["src/{a,b}.ts", "c.ts"],
  })
})

it("places that cannot be a store are not called a bug", async () => {
  using bench = await makeProject()
  await bench.refused("store.unavailable", "setup", "--store", "sqlite:/proc/x/y.db")
  await bench.refused("config.bad_value", "setup", "--store", "postgres://u:p%@127.0.0.1/db")
})

it.each([
  ["a worker", ["worker", "--worker-id", "w1"]],
  ["a worker in a session", ["worker", "setup", "--loop", "--poll-interval", "600"]],
  ["whoever watches", ["approvals", "--watch"]],
])("%s does not wait for ever on a store that was removed", async (_who, args) => {
  using bench = await makeProject()
  makeRepository(bench.cwd)
  await using live = bench.start(args)
  await until(() => hasOpen(live.pid, "teamwork.db-wal"))
  for (const end of ["", "-wal", "-shm"]) rmSync(`${bench.home}/teamwork.db${end}`)
  await live.untilLine("err", (line) => line.includes("teamwork.db was removed or replaced while it was in use"))
  expect(await live.exited).toBe(1)
})

it("withdrawing evidence renews the lease, as every write of the owner does", async () => {
  using bench = await makeProject("One")
  const claimed = await bench.ok<{ lease_until: string }>("task", "claim", "1", "--owner", "w1")
  await bench.ok("evidence", "add", "1", "--add-evidence", "looked at it") // by a person: renews nothing
  await bench.ok("evidence", "withdraw", "1", "1", "--owner", "w1")
  const task = await bench.ok<{ lease_until: string }>("task", "get", "1")
  expect(Date.parse(task.lease_until)).toBeGreaterThan(Date.parse(claimed.lease_until))
})

it("a refused deletion names only ways that work", async () => {
  using bench = await makeProject("One")
  await bench.ok("task", "claim", "1", "--owner", "w1")
  expect(await bench.refused("task.delete_refused", "task", "delete", "1")).not.toContain("skip it with")
})

function hasOpen(pid: number, name: string): boolean {
  const folder = `/proc/${pid}/fd`
  return readdirSync(folder).some((fd) => {
    try {
      return readlinkSync(`${folder}/${fd}`).endsWith(name)
    } catch {
      return false // it was closed meanwhile
    }
  })
}
