// Following a team at work: lines, events for programs, and a screen that is drawn in place.

import { afterAll, beforeAll, describe, expect, it, setDefaultTimeout } from "bun:test"
import { appendFileSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { parseTaskId, parseWorkerId } from "../../src/kernel/ids.ts"
import { systemClock } from "../../src/lib/clock.ts"
import type { Context } from "../../src/store/operation.ts"
import { openSqliteStore } from "../../src/store/sqlite/store.ts"
import { noteRunEnded, noteRunStarted, noteStep } from "../../src/tasks/operations/note-run.ts"
import { endLead, takeLead } from "../../src/teams/operations/lead-team.ts"
import { noteWorkerStarted } from "../../src/workers/operations/worker-life.ts"
import { context } from "../support/stores.ts"
import { type Bench, type Data, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"
import { prepareShop } from "./command-cases.ts"
import { END, HAS_TMUX, openPane, WHY_NO_TMUX } from "./pane.ts"

setDefaultTimeout(TEST_TIMEOUT_MS)

const SHOP = { project: "shop", team: "main" }

let shop: Bench
beforeAll(async () => {
  shop = makeBench()
  await prepareShop(shop)
})
afterAll(() => shop[Symbol.dispose]())

/** What the engine would write, from this process. */
async function connect(bench: Bench): Promise<Context & AsyncDisposable> {
  const store = await openSqliteStore({ path: join(bench.home, "teamwork.db"), clock: systemClock })
  return { ...context(store), [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
}

const lead = (engine: Context) =>
  takeLead(engine, { ...SHOP, holder: "here:1", leaseMs: 60_000, settings: "{}", isGone: () => false })
const step = (engine: Context, name: string) =>
  noteStep(engine, { ...SHOP, task: parseTaskId("1"), attempt: 1, worker: parseWorkerId("w1"), step: name })
const startWorker = (engine: Context, worker: string) =>
  noteWorkerStarted(engine, {
    ...SHOP,
    worker: parseWorkerId(worker),
    role: "backend",
    runtime: "child",
    machine: "here",
    pid: 1,
    process_start: "1",
  })

const isStamped = (text: string) => (line: string) => new RegExp(`^\\[\\d\\d:\\d\\d:\\d\\d\\] ${text}$`).test(line)

describe("teamwork watch in a pipe", () => {
  it("prints a line for what matters, until the run ends", async () => {
    using bench = makeBench(shop)
    await using engine = await connect(bench)
    const held = await lead(engine)
    await using live = bench.start(["watch"])
    await live.untilLine("out", isStamped("shop/main: EXECUTION, 1/4 tasks done"))
    await bench.ok("task", "claim", "4", "--owner", "w3")
    await live.untilLine("out", isStamped("task 4 claimed by w3"))
    await step(engine, "gate")
    await bench.ok("mailbox", "send", "--from", "w1", "--to", "orchestrator", "--message", "Hello")
    await bench.ok("task", "update", "1", "--owner", "w1", "--status", "resolved")
    await live.untilLine("out", isStamped("task 1 resolved by w1"))
    await endLead(engine, held, "done")
    expect(await live.exited).toBe(0)
    expect(live.out.slice(1).map((line) => line.replace(/^\[.*?\] /, ""))).toEqual([
      ...["task 4 claimed by w3", "task 1 resolved by w1", "the run is done"],
      "shop/main is done, 2/4 tasks done; see: teamwork report",
    ])
    expect(live.err).toEqual([])
  })

  it("tells of steps when asked to", async () => {
    using bench = makeBench(shop)
    await using engine = await connect(bench)
    await using live = bench.start(["watch", "--steps"])
    await live.untilLine("out", isStamped("shop/main: EXECUTION, 1/4 tasks done"))
    await step(engine, "gate")
    await live.untilLine("out", isStamped("task 1: gate \\(w1\\)"))
  })

  it("prints events for programs, as events tail does, and how it ended", async () => {
    using bench = makeBench(shop)
    await using engine = await connect(bench)
    const held = await lead(engine)
    const { cursor } = await bench.ok("events", "tail", "--limit", "1")
    await using live = bench.start(["watch", "--json"])
    // The first look is over when the first event after it comes out.
    const first = live.untilLine("out", () => true)
    for (let tries = 0; live.out.length === 0 && tries < 1000; tries++) {
      await bench.ok("task", "claim", "4", "--owner", "w3")
      await bench.ok("task", "release", "4", "--owner", "w3")
    }
    await first
    await endLead(engine, held, "interrupted")
    expect(await live.exited).toBe(1)
    const { events } = await bench.ok<{ events: Data[] }>(
      "events",
      "tail",
      "--limit",
      "9999",
      "--after",
      String(cursor),
    )
    const lines = live.out.map((line) => JSON.parse(line) as Data)
    const shown = lines.slice(0, -1)
    expect(shown).not.toEqual([])
    expect(shown).toEqual(events.slice(-shown.length))
    expect(lines.at(-1)).toEqual({
      status: "success",
      data: { ...SHOP, run: 1, end: "interrupted", phase: "EXECUTION", status: "active", done: 1, total: 4 },
    })
  })

  it("ends at once when the team is over, with a code that says how", async () => {
    using bench = makeBench(shop)
    await using engine = await connect(bench)
    await endLead(engine, await lead(engine), "failed")
    const result = await bench.run(["watch"])
    expect(result).toMatchObject({ exitCode: 1, stderr: "" })
    expect(result.stdout).toEndWith("shop/main ended: failed, 1/4 tasks done; see: teamwork report\n")
  })

  it("leaves the team alone when it is interrupted", async () => {
    using bench = makeBench(shop)
    await using live = bench.start(["watch"])
    await live.untilLine("out", isStamped("shop/main: .*"))
    const before = bench.dump()
    expect(await live.stop("SIGINT")).toBe(0)
    expect(live.out.at(-1)).toBe("shop/main goes on, 1/4 tasks done; see: teamwork report")
    expect(bench.dump()).toEqual(before)
  })

  it("says in a line that there is no such team", async () => {
    using bench = makeBench()
    expect(await bench.refused("team.not_found", "watch")).toContain("project shop/main does not exist")
  })
})

describe.skipIf(!HAS_TMUX)(`teamwork watch at a terminal${WHY_NO_TMUX}`, () => {
  const count = (screen: string, text: string) => screen.split(text).length - 1
  /** The last line is there as well: what is drawn comes to the terminal in parts. */
  const isWhole = (screen: string) => screen.includes("Ctrl+C ends the watching")

  it("shows what an agent says while its recording grows", async () => {
    using bench = makeBench(shop)
    await using engine = await connect(bench)
    await lead(engine)
    await startWorker(engine, "w1")
    using pane = openPane(bench, 140, "teamwork watch")
    const run = { ...SHOP, run: "1-1-1", task: parseTaskId("1"), worker: "w1", agent: "claude" }
    await noteRunStarted(engine, { ...run, attempt: 1, model: "sonnet", turn: 1 })
    const folder = join(bench.home, "runs/shop/main/1-1-1")
    mkdirSync(folder, { recursive: true })
    const record = (event: object) => appendFileSync(join(folder, "events.jsonl"), `${JSON.stringify(event)}\n`)
    record({ at: 1, type: "text", text: "Looking for the column." })
    await pane.until((screen) => /^w1 +backend .* Looking for the column\.$/m.test(screen))
    record({ at: 2, type: "tool_use", id: "a", name: "Edit", files: ["src/items.ts"], input: "{}" })
    await pane.until((screen) => /^w1 +backend .* Edit src\/items\.ts$/m.test(screen))
  })

  it("draws in place, and leaves the end in the scrollback", async () => {
    using bench = makeBench(shop)
    await using engine = await connect(bench)
    const held = await lead(engine)
    await startWorker(engine, "w1")
    using pane = openPane(bench, 100, "echo before; teamwork watch; echo code $?")
    await pane.until((screen) => /^w1 +backend +1 Schema +working/m.test(screen))
    await step(engine, "agent")
    const run = { ...SHOP, run: "1-1-1", task: parseTaskId("1"), worker: "w1", agent: "claude" }
    await noteRunStarted(engine, { ...run, attempt: 1, model: "sonnet", turn: 1 })
    const busy = await pane.until(
      (screen) => /^w1 +backend +1 Schema +agent +\d+s +claude sonnet +\d+s$/m.test(screen) && isWhole(screen),
    )
    expect(busy).toStartWith("before\nshop/main  EXECUTION  ")
    expect(count(busy, "shop/main")).toBe(1)
    expect(busy).toContain("Ctrl+C ends the watching and leaves the team alone")
    await noteRunEnded(engine, {
      ...{ ...run, reason: "done", error: null, session: null, duration_ms: 1, cached_tokens: 0 },
      ...{ input_tokens: 1500, output_tokens: 500, dollars: 0.5, dollars_are_estimated: true },
    })
    await pane.until((screen) => screen.includes("about $0.50, 2.0k tokens"))
    // Time passes though nothing happens.
    const seconds = (screen: string) => Number(/EXECUTION {2}(\d+)s/.exec(screen)?.[1])
    const before = seconds(pane.screen())
    await pane.until((screen) => seconds(screen) > before)
    await endLead(engine, held, "failed")
    const end = await pane.until((screen) => screen.includes(END))
    expect(end).toStartWith("before\nshop/main  EXECUTION, ended: failed  ")
    expect(count(end, "WORKER")).toBe(1)
    expect(end).not.toContain("Ctrl+C")
    expect(end).toContain(
      "the run ended: failed\nshop/main ended: failed, 1/4 tasks done; see: teamwork report\ncode 1\n",
    )
  })

  it("follows the size of the terminal", async () => {
    using bench = makeBench(shop)
    await using engine = await connect(bench)
    await startWorker(engine, "w1")
    using pane = openPane(bench, 100, "teamwork watch", {}, 30)
    await pane.until((screen) => /^WORKER +ROLE +TASK +STEP +FOR +AGENT +SEEN$/m.test(screen))
    pane.resize(50, 30)
    const narrow = await pane.until((screen) => /^WORKER +TASK +STEP +FOR$/m.test(screen) && isWhole(screen))
    expect(count(narrow, "WORKER")).toBe(1)
    expect(count(narrow, "shop/main")).toBe(1)
    pane.resize(50, 6)
    const low = await pane.until(
      (screen) => !screen.includes("Waves") && screen.includes("shop/main") && isWhole(screen),
    )
    expect(low.trimEnd().split("\n").length).toBeLessThanOrEqual(5)
    pane.resize(100, 30)
    const wide = await pane.until(
      (screen) => /^WORKER +ROLE +TASK +STEP +FOR +AGENT +SEEN$/m.test(screen) && isWhole(screen),
    )
    expect(wide).toContain("Waves  1 ▶ 1/3")
    pane.press("C-c")
    await pane.until((screen) => screen.includes(`see: teamwork report\n${END}`))
  })

  it("has colours, and none with NO_COLOR", async () => {
    using bench = makeBench(shop)
    using colored = openPane(bench, 100, "teamwork watch")
    using plain = openPane(bench, 100, "teamwork watch", { NO_COLOR: "1" })
    const isDrawn = (screen: string) => screen.includes("Ctrl+C")
    await Promise.all([colored.until(isDrawn), plain.until(isDrawn)])
    expect(colored.screen(true)).toContain("\u001b[1mshop/main")
    expect(plain.screen(true)).not.toContain("\u001b")
  })

  it("prints lines where a terminal can do no more", async () => {
    using bench = makeBench(shop)
    using pane = openPane(bench, 100, "TERM=dumb teamwork watch")
    const shown = await pane.until((screen) => screen.includes("tasks done"))
    expect(shown).toMatch(/^\[\d\d:\d\d:\d\d\] shop\/main: EXECUTION, 1\/4 tasks done\n/)
  })
})
