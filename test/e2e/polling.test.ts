// Commands that wait: what they print on the way, what wakes them and what ends them (R079-R082, R119, R268).
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { type Bench, type Data, type Live, makeBench, TEST_TIMEOUT_MS, until } from "./bench.ts"

setDefaultTimeout(TEST_TIMEOUT_MS)

const FOREVER = "600"
const said = (text: string) => (line: string) => /^\[\d\d:\d\d:\d\d\] /.test(line) && line.slice(11) === text
const answer = (live: Live) => JSON.parse(live.out.at(-1) ?? "null") as { status: string; data: Data }

async function makeProject(): Promise<Bench> {
  const bench = makeBench()
  await bench.ok("project", "create", "--goal", "Search page")
  return bench
}

describe("worker setup --loop", () => {
  it("starts before the project, tells what it waits for, and ends with a task", async () => {
    using bench = makeBench()
    await using live = bench.start(["worker", "setup", "--loop", "--poll-interval", "0.1"])
    const waiting = said("Waiting for project shop/main...")
    await until(() => live.err.filter(waiting).length >= 2)
    await bench.ok("project", "create", "--goal", "x")
    await live.untilLine("err", said("Project found: shop/main"))
    await until(() => live.err.filter(said("No available tasks (role: any). Waiting 0.1s...")).length >= 2)
    await bench.ok("task", "create", "First things first")
    expect(await live.exited).toBe(0)
    expect(live.err.slice(-2).map((line) => line.slice(11))).toEqual([
      "Found 1 open tasks. Starting worker...",
      'Found task 1: "First things first"',
    ])
    expect(live.err.filter(said("Project found: shop/main"))).toHaveLength(1)
    expect(live.err.every((line) => /^\[([01]\d|2[0-3]):[0-5]\d:[0-5]\d\] \S/.test(line))).toBe(true)
    expect(live.out).toHaveLength(1)
    expect(answer(live)).toMatchObject({
      status: "success",
      data: { reason: "found", available: 1, next: { id: "1" } },
    })
  })

  it("wakes at once, however long it would wait, and only for its own role", async () => {
    using bench = await makeProject()
    await using live = bench.start(["worker", "setup", "--loop", "--poll-interval", FOREVER, "--role", "docs"])
    await live.untilLine("err", said(`No available tasks (role: docs). Waiting ${FOREVER}s...`))
    await bench.ok("task", "create", "Not for it", "--role", "backend")
    await bench.ok("task", "create", "For it", "--role", "docs")
    expect(await live.exited).toBe(0)
    expect(answer(live).data).toMatchObject({ reason: "found", next: { id: "2" }, worker: { role: "docs" } })
  })

  it("finds a task at once, and says so", async () => {
    using bench = await makeProject()
    await bench.ok("task", "create", "Ready")
    const result = await bench.run(["worker", "setup", "--loop", "--poll-interval", FOREVER, "--format", "table"])
    expect(result).toMatchObject({ exitCode: 0, stdout: 'Worker w1. Next: task 1: "Ready" (1 available)\n' })
    expect(result.stderr.split("\n").map((line) => line.slice(11))).toEqual([
      "Project found: shop/main",
      "Found 1 open tasks. Starting worker...",
      'Found task 1: "Ready"',
      "",
    ])
  })

  it("finds a task whose lease ran out, though nobody writes anything then", async () => {
    using bench = makeBench()
    await bench.ok("project", "create", "--goal", "x")
    await bench.ok("task", "create", "Paint")
    await bench.ok("task", "claim", "1", "--owner", "w1", "--lease-seconds", "1")
    await using live = bench.start(["worker", "setup", "--worker-id", "w2", "--loop", "--poll-interval", FOREVER])
    expect(await live.exited).toBe(0)
    expect(answer(live).data).toMatchObject({ reason: "found", next: { id: "1" } })
  })

  it("ends on Ctrl+C, also while there is no project", async () => {
    using bench = makeBench()
    for (const expected of [
      "Waiting for project shop/main...",
      `No available tasks (role: any). Waiting ${FOREVER}s...`,
    ]) {
      await using live = bench.start(["worker", "setup", "--loop", "--poll-interval", FOREVER])
      await live.untilLine("err", said(expected))
      expect(await live.stop("SIGINT")).toBe(0)
      expect(answer(live).data).toMatchObject({ reason: "interrupted", next: null })
      if (expected.startsWith("Waiting")) await bench.ok("project", "create", "--goal", "x")
    }
  })

  it("ends when the project is complete, unless told to keep polling", async () => {
    using bench = await makeProject()
    await bench.ok("task", "create", "One")
    await bench.ok("task", "update", "1", "--status", "skipped")
    await using first = bench.start(["worker", "setup", "--loop", "--poll-interval", FOREVER])
    await using second = bench.start(["worker", "setup", "--loop", "--poll-interval", "0.1", "--keep-polling"])
    await first.untilLine("err", (line) => line.includes("No available tasks"))
    await second.untilLine("err", (line) => line.includes("No available tasks"))
    await bench.ok("verdict", "record", "--scope", "final", "--status", "passed")
    expect(await first.exited).toBe(0)
    expect(answer(first).data).toMatchObject({ reason: "complete", next: null })
    const before = second.err.length
    await until(() => second.err.length >= before + 2)
    expect(second.out).toEqual([])
    // New work in a complete project is work again.
    await bench.ok("task", "create", "One more")
    expect(await second.exited).toBe(0)
    expect(answer(second).data).toMatchObject({ reason: "found" })
  })

  it("ends when it is asked to shut down", async () => {
    using bench = await makeProject()
    await using live = bench.start(["worker", "setup", "--loop", "--poll-interval", FOREVER, "--worker-id", "w1"])
    await live.untilLine("err", (line) => line.includes("No available tasks"))
    const payload = '{"request_id":"r1","reason":"enough"}'
    await bench.ok(
      "mailbox",
      "send",
      "--from",
      "lead",
      "--to",
      "w1",
      "--type",
      "shutdown_request",
      "--payload",
      payload,
    )
    expect(await live.exited).toBe(0)
    expect(answer(live).data).toMatchObject({ reason: "shutdown" })
  })

  it("without --loop says what there is and ends", async () => {
    using bench = makeBench()
    expect(await bench.refused("team.not_found", "worker", "setup")).toContain("project shop/main does not exist")
    await bench.ok("project", "create", "--goal", "x")
    expect(await bench.ok("worker", "setup", "--role", "docs")).toMatchObject({
      reason: "none",
      available: 0,
      next: null,
    })
    expect(await bench.text("worker", "setup", "--role", "docs")).toBe("Worker w2. No tasks for role docs\n")
  })
})

describe("project status --watch", () => {
  it("shows a change made by another process, once", async () => {
    using bench = await makeProject()
    await using live = bench.start(["project", "status", "--watch"])
    const total = (line: string) => (JSON.parse(line) as { data: { stats: { total: number } } }).data.stats.total
    await live.untilLine("out", (line) => total(line) === 0)
    await bench.ok("task", "create", "One")
    await live.untilLine("out", (line) => total(line) === 1)
    await bench.ok("loop-state", "--start", "--terminal-id", "t1") // a commit that changes nothing here
    await bench.ok("task", "create", "Two")
    await live.untilLine("out", (line) => total(line) === 2)
    expect(await live.stop("SIGINT")).toBe(0)
    expect(live.out.map(total)).toEqual([0, 1, 2])
  })

  it("gives people the table, without codes when it is no terminal, and one field where asked", async () => {
    using bench = await makeProject()
    await using table = bench.start(["project", "status", "--watch", "--format", "table"])
    await using field = bench.start(["project", "status", "--watch", "--field", "stats.open", "--format", "table"])
    await table.untilLine("out", (line) => line.includes("0/0 done"))
    await field.untilLine("out", (line) => line === "0")
    await bench.ok("task", "create", "One")
    await table.untilLine("out", (line) => line.includes("0/1 done"))
    await field.untilLine("out", (line) => line === "1")
    expect(await table.stop("SIGTERM")).toBe(0)
    expect(await field.stop("SIGINT")).toBe(0)
    expect(table.out.join("\n")).not.toContain("\u001b")
    expect(field.out).toEqual(["0", "1"])
  })
})

describe("events tail --follow", () => {
  it("shows what happened before and everything that comes, each event once", async () => {
    using bench = await makeProject()
    await using live = bench.start(["events", "tail", "--follow"])
    await live.untilLine("out", (line) => line.includes("team.created"))
    for (const title of ["One", "Two", "Three"]) await bench.ok("task", "create", title)
    await live.untilLine("out", (line) => line.includes('"Three"'))
    expect(await live.stop("SIGINT")).toBe(0)
    const events = live.out.map((line) => JSON.parse(line) as { type: string; seq: number })
    expect(events.map((event) => event.type)).toEqual(["team.created", ...Array(3).fill("task.created")])
    expect(new Set(events.map((event) => event.seq)).size).toBe(4)
  })

  it("can be limited to a type, and printed for people", async () => {
    using bench = await makeProject()
    await using live = bench.start(["events", "tail", "--follow", "--type", "task.claimed", "--format", "table"])
    await bench.ok("task", "create", "One")
    await bench.ok("task", "claim", "1", "--owner", "w1")
    await live.untilLine("out", (line) => line.includes("task.claimed"))
    await live.stop("SIGINT")
    expect(live.out).toHaveLength(1)
    expect(live.out[0]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ {2}w1 {2}task\.claimed {2}task=1 token=1$/)
  })

  it("goes on from a cursor without losing or repeating anything", async () => {
    using bench = await makeProject()
    for (const title of ["One", "Two", "Three"]) await bench.ok("task", "create", title)
    const titles: unknown[] = []
    let after = "0"
    for (;;) {
      const page = await bench.ok<{ events: { data: Data; type: string }[]; cursor: string }>(
        ...["events", "tail", "--after", after, "--limit", "1"],
      )
      if (page.events.length === 0) break
      titles.push(page.events[0]?.data.title ?? page.events[0]?.type)
      after = page.cursor
    }
    expect(titles).toEqual(["team.created", "One", "Two", "Three"])
  })
})

describe("a mailbox (R115-R119)", () => {
  it("filters by type and by what was read", async () => {
    using bench = await makeProject()
    await bench.ok("worker", "setup", "--worker-id", "w2")
    await bench.ok("mailbox", "send", "--from", "w1", "--to", "w2", "--message", "one")
    await bench.ok(
      "mailbox",
      "send",
      "--from",
      "w1",
      "--to",
      "w2",
      "--type",
      "idle_notification",
      "--payload",
      '{"worker_id":"w1"}',
    )
    const read = async (...flags: string[]) =>
      (await bench.ok<Data[]>("mailbox", "read", "w2", ...flags)).map((message) => [message.type, message.read])
    expect(await read()).toEqual([
      ["text", false],
      ["idle_notification", false],
    ])
    expect(await read("--type", "text", "--mark-read")).toEqual([["text", false]])
    expect(await read()).toEqual([
      ["text", true],
      ["idle_notification", false],
    ])
    expect(await read("--unread-only")).toEqual([["idle_notification", false]])
    expect(await read("--unread-only", "--type", "text")).toEqual([])
    expect(await read("--limit", "1")).toEqual([["text", true]])
    expect(await bench.ok<Data[]>("mailbox", "read", "nobody")).toEqual([])
  })

  it("can be waited for, at once or until the time is over", async () => {
    using bench = await makeProject()
    expect(await bench.ok<Data[]>("mailbox", "poll", "w2", "--timeout", "0.05")).toEqual([])
    await using live = bench.start(["mailbox", "poll", "w2", "--timeout", FOREVER, "--mark-read"])
    for (const id of ["w2", "w9"]) await bench.ok("worker", "setup", "--worker-id", id)
    await bench.ok("mailbox", "send", "--from", "w1", "--to", "w9", "--message", "not for w2")
    await bench.ok("mailbox", "send", "--from", "w1", "--to", "w2", "--message", "for w2")
    expect(await live.exited).toBe(0)
    expect(answer(live).data).toMatchObject([{ to: "w2", payload: { message: "for w2" } }])
    expect(await bench.ok<Data[]>("mailbox", "read", "w2", "--unread-only")).toEqual([])
  })

  it("gets a message to everybody from the lead only", async () => {
    using bench = await makeProject()
    const everybody = ["--to", "all", "--message", "Stop"]
    await bench.refused("worker.not_found", "mailbox", "send", "--from", "lead", ...everybody)
    for (const id of ["w1", "w2"]) await bench.ok("worker", "setup", "--worker-id", id)
    await bench.refused("message.not_allowed", "mailbox", "send", "--from", "w1", ...everybody)
    expect(await bench.ok<Data[]>("mailbox", "send", "--from", "team-lead", ...everybody)).toMatchObject([
      { from: "orchestrator", to: "w1" },
      { from: "orchestrator", to: "w2" },
    ])
    for (const id of ["w1", "w2"]) expect(await bench.ok<Data[]>("mailbox", "read", id)).toHaveLength(1)
  })

  it("loses nothing when many send at once", async () => {
    using bench = await makeProject()
    await bench.ok("worker", "setup", "--worker-id", "w2")
    const texts = Array.from({ length: 10 }, (_, index) => `message ${index}`)
    await Promise.all(texts.map((text) => bench.ok("mailbox", "send", "--from", "w1", "--to", "w2", "--message", text)))
    const messages = await bench.ok<{ payload: { message: string }; id: string }[]>("mailbox", "read", "w2")
    expect(messages.map((message) => message.payload.message).sort()).toEqual(texts)
    expect(new Set(messages.map((message) => message.id)).size).toBe(10)
  })
})
