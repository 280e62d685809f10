// `teamwork logs` and `teamwork attach` as a person uses them; the recordings are written as a worker writes them.

import { afterAll, beforeAll, describe, expect, it } from "bun:test"
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { parseTaskId, parseWorkerId } from "../../src/kernel/ids.ts"
import { systemClock } from "../../src/lib/clock.ts"
import { identityOf } from "../../src/lib/process/process-identity.ts"
import type { Context } from "../../src/store/operation.ts"
import { openSqliteStore } from "../../src/store/sqlite/store.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { noteRunEnded, noteRunStarted } from "../../src/tasks/operations/note-run.ts"
import { releaseTask } from "../../src/tasks/operations/release-task.ts"
import { noteWorkerExited, noteWorkerSpawned, noteWorkerStarted } from "../../src/workers/operations/worker-life.ts"
import { makeChildRuntime } from "../../src/workers/runtimes/child/make-child-runtime.ts"
import { makeTmuxRuntime } from "../../src/workers/runtimes/tmux/make-tmux-runtime.ts"
import { sandboxEnv } from "../support/sandbox.ts"
import { context as contextOf, run } from "../support/stores.ts"
import { type Bench, makeBench, TEST_TIMEOUT_MS, until } from "./bench.ts"

const NAME = { project: "shop", team: "main" }
const AT = Date.parse("2026-01-02T03:04:05.000Z")

describe("logs", () => {
  let bench: Bench
  let context: Context
  beforeAll(async () => {
    bench = makeBench()
    await bench.ok("project", "create", "--goal", "Search page")
    for (const id of ["1", "2", "3", "4"]) await bench.ok("task", "create", "--id", id, "--title", "Work")
    context = contextOf(await openSqliteStore({ path: join(bench.home, "teamwork.db"), clock: systemClock }))
    await started("1-1-1", "1", 1)
    record("1-1-1", [{ type: "started", model: "opus", session: null }, say("Looking around.")])
    record("1-1-1", [{ type: "tool_use", id: "a", name: "Edit", files: ["a.ts"], input: "{}" }, ended("done")])
    await over("1-1-1", "1")
    await started("1-1-2", "1", 2)
    record("1-1-2", [say("Mending."), ended("done")])
    await over("1-1-2", "1")
  }, TEST_TIMEOUT_MS)
  afterAll(async () => {
    await context.store[Symbol.asyncDispose]()
    bench[Symbol.dispose]()
  })

  const started = (id: string, task: string, turn: number, worker = "w1") =>
    noteRunStarted(context, {
      ...{ ...NAME, run: id, task: parseTaskId(task), attempt: 1, worker, agent: "claude", model: "opus", turn },
    })
  const over = (id: string, task: string) =>
    noteRunEnded(context, {
      ...{
        ...NAME,
        run: id,
        task: parseTaskId(task),
        worker: "w1",
        agent: "claude",
        reason: "done",
        error: null,
        session: null,
      },
      ...{
        duration_ms: 1,
        input_tokens: 7,
        output_tokens: 2,
        cached_tokens: 0,
        dollars: 0.5,
        dollars_are_estimated: false,
      },
    })
  const say = (text: string) => ({ type: "text", text })
  const usage = { inputTokens: 7, outputTokens: 2, cachedTokens: 0, dollars: 0.5 }
  const ended = (reason: string) => ({
    type: "finished",
    result: { reason, error: "", durationMs: 2000, usage, filesTouched: ["a.ts"] },
  })
  const record = (id: string, events: readonly object[]) => {
    const folder = join(bench.home, "runs/shop/main", id)
    mkdirSync(folder, { recursive: true })
    for (const event of events)
      appendFileSync(join(folder, "events.jsonl"), `${JSON.stringify({ at: AT, ...event })}\n`)
  }
  const logFile = (worker: string) => {
    mkdirSync(join(bench.home, "logs/shop/main"), { recursive: true })
    return join(bench.home, `logs/shop/main/${worker}.log`)
  }

  it("replays all runs of a task, in order, as text also into a pipe", async () => {
    const { stdout, exitCode } = await bench.run(["logs", "1"])
    expect(exitCode).toBe(0)
    const time = "\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\dZ"
    expect(stdout).toMatch(
      new RegExp(
        [
          `^=== run 1-1-1: task 1, attempt 1, turn 1, claude \\(opus\\) for w1, ${time}`,
          "03:04:05 {2}started opus",
          "03:04:05 {2}Looking around\\.",
          "03:04:05 {2}-> Edit a\\.ts: \\{\\}",
          "03:04:05 {2}ended after 2 s: done",
          " {10}used 7 tokens in, 2 out, \\$0\\.5000",
          " {10}wrote a\\.ts",
          `=== run 1-1-2: task 1, attempt 1, turn 2, claude \\(opus\\) for w1, ${time}`,
          "03:04:05 {2}Mending\\.",
        ].join("\\n"),
      ),
    )
  })

  it("shows one run, one turn, or the last entries below their heading", async () => {
    expect(await bench.text("logs", "1-1-2")).toMatch(/^=== run 1-1-2: .*\n03:04:05 {2}Mending\.\n03:04:05 {2}ended/)
    expect(await bench.text("logs", "1", "--turn", "2")).not.toContain("1-1-1")
    const lines = (await bench.text("logs", "1", "--tail", "3")).split("\n")
    expect(lines[0]).toStartWith("=== run 1-1-1")
    expect(lines[1]).toContain("ended after 2 s: done")
    expect(await bench.text("logs", "1", "--turn", "7")).toBe("Nothing is recorded of turn 7 of task 1 yet.\n")
    expect(await bench.text("logs", "4")).toBe("Nothing is recorded of task 4 yet.\n")
  })

  it("gives programs the same as data", async () => {
    const { json } = await bench.run(["logs", "1", "--json"])
    expect(json<{ data: unknown }>().data).toMatchObject({
      kind: "task",
      id: "1",
      lines: [],
      runs: [
        { id: "1-1-1", turn: 1, worker: "w1", tokens: 9, reason: "done" },
        {
          id: "1-1-2",
          entries: [
            { kind: "text", text: "Mending." },
            { kind: "finished", usage: { input_tokens: 7 } },
          ],
        },
      ],
    })
  })

  it("refuses what is not there, and a turn of a worker", async () => {
    expect(await bench.refused("log.not_found", "logs", "nobody")).toBe(
      '"nobody" is not a task, worker or run of shop/main; see: teamwork task list, or teamwork swarm status',
    )
    await bench.ok("worker", "setup", "--worker-id", "w8")
    expect(await bench.refused("usage", "logs", "w8", "--turn", "1")).toContain("--turn is for a task or a run")
    expect(await bench.refused("input.invalid", "logs", "1", "--tail", "0")).toContain("--tail")
    expect(await bench.refused("input.invalid", "logs", "1", "--turn", "x")).toContain("--turn")
  })

  it("says of a run that was cut off, or whose recording is gone, that nobody saw its end", async () => {
    await noteWorkerStarted(context, { ...NAME, ...processOf("w5", 999_999_999) })
    await started("4-1-1", "4", 1, "w5")
    record("4-1-1", [say("Half")])
    appendFileSync(join(bench.home, "runs/shop/main/4-1-1/events.jsonl"), '{"at":5,"type":"te')
    expect(await bench.text("logs", "4-1-1")).toEndWith("Half\n")
    await noteWorkerExited(context, {
      ...NAME,
      by: "teamwork",
      worker: parseWorkerId("w5"),
      reason: "lost",
      detail: null,
    })
    expect(await bench.text("logs", "4-1-1")).toEndWith("Half\n          cut off: its end was not recorded\n")
    rmSync(join(bench.home, "runs/shop/main/4-1-1"), { recursive: true })
    expect(await bench.text("logs", "4-1-1")).toEndWith("\n          nothing of it is recorded here\n")
  })

  it("follows a run until it is over, without missing its end", async () => {
    await started("2-1-1", "2", 1)
    await using live = bench.start(["logs", "2-1-1", "--follow"])
    await live.untilLine("out", (line) => line.startsWith("=== run 2-1-1"))
    record("2-1-1", [say("one")]) // its folder came after we began to look
    await live.untilLine("out", (line) => line.endsWith("one"))
    record("2-1-1", [say("two")])
    await live.untilLine("out", (line) => line.endsWith("two"))
    record("2-1-1", [ended("done")])
    await over("2-1-1", "2")
    expect(await live.exited).toBe(0)
    expect(live.out.filter((line) => /one$|two$|: done$/.test(line))).toHaveLength(3)
  })

  it("follows a task from turn to turn, as JSON lines where that is asked for", async () => {
    const task = parseTaskId("3")
    await using live = bench.start(["logs", "3", "--follow", "--json"])
    await run(context, claimTask, { ...NAME, id: "3", owner: "w1" })
    await started("3-1-1", "3", 1)
    record("3-1-1", [say("first"), ended("done")])
    await over("3-1-1", "3")
    await live.untilLine("out", (line) => line.includes('"finished"'))
    await started("3-1-2", "3", 2)
    record("3-1-2", [say("second")])
    const line = await live.untilLine("out", (each) => each.includes("second"))
    expect(JSON.parse(line)).toEqual({ type: "entry", run: "3-1-2", entry: { at: AT, kind: "text", text: "second" } })
    record("3-1-2", [ended("done")])
    await over("3-1-2", "3")
    await bench.ok("task", "update", "--id", task, "--owner", "w1", "--status", "resolved")
    expect(await live.exited).toBe(0)
  })

  it("ends on Ctrl+C, and changes nothing by that", async () => {
    await started("2-1-2", "2", 2)
    await using live = bench.start(["logs", "2", "--follow"])
    await live.untilLine("out", (line) => line.startsWith("=== run 2-1-2"))
    const before = bench.dump()
    expect(await live.stop()).toBe(0)
    expect(bench.dump()).toEqual(before)
  })

  const processOf = (worker: string, pid: number, runtime = "child") => ({
    ...{
      worker: parseWorkerId(worker),
      role: null,
      runtime,
      machine: hostname(),
      pid,
      process_start: identityOf(pid).start || "gone",
    },
  })

  it("shows what a worker printed, without its colours, and the runs it made", async () => {
    await noteWorkerStarted(context, { ...NAME, ...processOf("w1", 999_999_999) })
    writeFileSync(logFile("w1"), "--- w1 starts\n\u001b[31mred\u001b[0m\r\nlast\n")
    const text = await bench.text("logs", "w1")
    expect(text).toStartWith("--- w1 starts\nred\nlast\n=== run 1-1-1: ")
    expect(await bench.text("logs", "w1", "--tail", "1")).toStartWith("last\n=== run")
    expect(await bench.ok("logs", "w1", "--json")).toMatchObject({ kind: "worker", lines: expect.any(Array) })
  })

  it("attaches to a worker by following its log, until that ends", async () => {
    const setup = { owner: [bench.home, "shop", "main"] as const, clock: systemClock, env: sandboxEnv() }
    await using runtime = makeChildRuntime(setup)
    const launch = { worker: "w6", title: "x", command: ["sh", "-c", "echo hello; exec sleep 600"], cwd: bench.cwd }
    const { pid, processStart } = await runtime.start({ ...launch, env: sandboxEnv(), logFile: logFile("w6") })
    await noteWorkerStarted(context, { ...NAME, ...processOf("w6", pid) })
    await using live = bench.start(["attach", "w6"])
    await live.untilLine("out", (line) => line === "hello")
    expect(await live.stop()).toBe(0)
    expect(runtime.isRunning({ pid, processStart })).toBe(true)
    await using again = bench.start(["attach", "--worker", "w6"])
    await again.untilLine("out", (line) => line === "hello")
    await runtime.stop("w6", { pid, processStart }, { graceMs: 0 })
    expect(await again.exited).toBe(0)
    expect(await bench.refused("worker.unavailable", "attach", "w6")).toBe(
      "w6 does not run; see what it did with: teamwork logs w6",
    )
    expect(await bench.refused("worker.not_found", "attach", "w77")).toContain("teamwork swarm status")
  })

  it.skipIf(Bun.which("tmux") === null)("prints where there is no terminal how to attach to a pane", async () => {
    const env = sandboxEnv()
    const setup = { owner: [bench.home, "shop", "main"] as const, clock: systemClock, env }
    await using runtime = makeTmuxRuntime(setup)
    const launch = { worker: "w7", title: "x", command: ["sleep", "600"], cwd: bench.cwd, env, logFile: logFile("w7") }
    const { pid, pane } = await runtime.start(launch)
    await noteWorkerStarted(context, { ...NAME, ...processOf("w7", pid, "tmux") })
    const { role: _, ...spawned } = processOf("w7", pid, "tmux")
    await noteWorkerSpawned(context, { ...NAME, ...spawned, by: "person", pane })
    const { stdout } = await bench.run(["attach", "w7"])
    expect(stdout).toMatch(
      /^tmux -u -L teamwork-[0-9a-f]{12} attach-session -t =teamwork-shop ';' select-window -t %\d+ ';' select-pane -t %\d+\n$/,
    )
    expect(await bench.ok("attach", "w7", "--json")).toMatchObject({ worker: "w7", command: expect.any(Array) })
    await runtime.stop("w7", null, { graceMs: 0 })
  })

  it("has nothing to follow of a worker that does not run", async () => {
    await run(context, releaseTask, { ...NAME, id: "2" })
    const { stdout, exitCode } = await bench.run(["logs", "w1", "--follow"])
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("last\n") })
    await until(() => true)
  })
})
