// What `doctor` says and mends of workers that are gone: their processes, panes, claims and worktrees.

import { afterEach, beforeEach, describe, expect, it } from "bun:test"
import { existsSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { parseWorkerId } from "../../src/kernel/ids.ts"
import { systemClock } from "../../src/lib/clock.ts"
import { identityOf } from "../../src/lib/process/process-identity.ts"
import { workerMark } from "../../src/lib/process/worker-mark.ts"
import type { Context } from "../../src/store/operation.ts"
import { openSqliteStore } from "../../src/store/sqlite/store.ts"
import { noteWorkerExited, noteWorkerSpawned, noteWorkerStarted } from "../../src/workers/operations/worker-life.ts"
import { makeChildRuntime } from "../../src/workers/runtimes/child/make-child-runtime.ts"
import type { Runtime } from "../../src/workers/runtimes/port.ts"
import { makeTmuxRuntime } from "../../src/workers/runtimes/tmux/make-tmux-runtime.ts"
import { processesWith, readProcessStat } from "../support/processes.ts"
import { sandboxEnv } from "../support/sandbox.ts"
import { context as contextOf } from "../support/stores.ts"
import { type Bench, git, makeBench, TEST_TIMEOUT_MS, until } from "./bench.ts"

const NAME = { project: "shop", team: "main" }

/** Whether what the worker started has a session of its own by now, and so outlives it. */
const hasOrphan = (mark: string, worker: number) =>
  processesWith(mark).some((pid) => readProcessStat(pid).session === Number(pid) && Number(pid) !== worker)

describe("doctor and lost workers", () => {
  let bench: Bench
  let context: Context
  const open: Runtime[] = []
  beforeEach(async () => {
    bench = makeBench()
    git(bench.cwd, "init", "--quiet", "--initial-branch=main")
    git(
      bench.cwd,
      "-c",
      "user.name=T",
      "-c",
      "user.email=t@example.com",
      "commit",
      "--quiet",
      "--allow-empty",
      "-m",
      "S",
    )
    await bench.ok("project", "create", "--goal", "Search page")
    await bench.ok("task", "create", "--id", "1", "--title", "Work")
    context = contextOf(await openSqliteStore({ path: join(bench.home, "teamwork.db"), clock: systemClock }))
  }, TEST_TIMEOUT_MS)
  afterEach(async () => {
    for (const runtime of open.splice(0)) {
      for (const worker of ["w1", "w2"]) await runtime.stop(worker, null, { graceMs: 0 })
      await runtime[Symbol.asyncDispose]()
    }
    await context.store[Symbol.asyncDispose]()
    bench[Symbol.dispose]()
  })

  const start = async (name: string, kind: Runtime["name"], line = "(setsid sleep 600 &); exec sleep 600") => {
    const worker = parseWorkerId(name)
    const setup = { owner: [bench.home, "shop", "main"] as const, clock: systemClock, env: sandboxEnv() }
    const runtime = kind === "tmux" ? makeTmuxRuntime(setup) : makeChildRuntime(setup)
    open.push(runtime)
    const launch = { worker, title: worker, command: ["sh", "-c", line], cwd: bench.cwd, env: sandboxEnv() }
    const { pid, pane } = await runtime.start({ ...launch, logFile: join(bench.home, `${worker}.log`) })
    const process = { pid, process_start: identityOf(pid).start }
    await noteWorkerStarted(context, { ...NAME, worker, role: null, runtime: kind, machine: hostname(), ...process })
    const spawned = { worker, runtime: kind, machine: hostname(), ...process }
    await noteWorkerSpawned(context, { ...NAME, by: "person", pane, ...spawned })
    return { pid, pane }
  }
  type Found = { check: string; status: string; detail: string; fixed: boolean }
  const doctor = async (...flags: string[]) => {
    const { findings } = await bench.ok<{ findings: Found[] }>("doctor", ...flags)
    return findings.filter(({ check, detail }) => check.endsWith(": workers") || /belong to no worker/.test(detail))
  }
  const check = "shop/main: workers"

  it("says nothing where no worker ever ran, and that all is well of one that runs", async () => {
    expect(await doctor()).toEqual([])
    await start("w1", "child")
    expect(await doctor("--fix")).toEqual([
      { check, status: "ok", detail: "1 at work here, nothing left over", fixed: false },
    ])
  })

  it.each(["child", "tmux"] as const)("buries a worker that was killed (%s)", async (kind) => {
    const { pid } = await start("w1", kind)
    await bench.ok("worktree", "create", "--worker-id", "w1")
    await bench.ok("task", "claim", "--id", "1", "--owner", "w1")
    const mark = workerMark(bench.home, "shop", "main", "w1")
    await until(() => hasOrphan(mark, pid))
    process.kill(pid, "SIGKILL")
    const lost = { check, status: "warning", detail: "died and did not report it: w1" }
    await until(async () => (await doctor())[0]?.status === "warning")
    expect(await doctor()).toEqual([{ ...lost, fixed: false }])
    expect(processesWith(mark)).toHaveLength(1)
    expect(await bench.ok("task", "get", "1")).toMatchObject({ status: "in_progress" })
    expect(await doctor("--fix")).toEqual([{ ...lost, fixed: true }])
    expect(processesWith(mark)).toEqual([])
    expect(await bench.ok("task", "get", "1")).toMatchObject({ status: "open", claimed_by: null })
    expect(await bench.ok("swarm", "status")).toMatchObject({
      workers: [{ id: "w1", status: "dead", pane: null, worktree: null }],
    })
    expect(await bench.ok("worktree", "list")).toEqual([] as never)
    expect(await doctor()).toEqual([{ check, status: "ok", detail: "0 at work here, nothing left over", fixed: false }])
  })

  it("ends what a worker left that ended", async () => {
    const { pid } = await start("w1", "child")
    await until(() => hasOrphan(workerMark(bench.home, "shop", "main", "w1"), pid))
    process.kill(pid, "SIGKILL")
    await noteWorkerExited(context, { ...NAME, by: "w1", worker: parseWorkerId("w1"), reason: "done", detail: null })
    const detail = expect.stringMatching(/^w1 ended and left process \d+(?:, process \d+)*$/)
    expect(await doctor()).toEqual([{ check, status: "warning", detail, fixed: false }])
    expect(await doctor("--fix")).toEqual([{ check, status: "warning", detail, fixed: true }])
    expect(processesWith(workerMark(bench.home, "shop", "main", "w1"))).toEqual([])
  })

  it("ends panes of a team that is forgotten", async () => {
    const { pane } = await start("w1", "tmux", "exec sleep 600")
    await bench.ok("project", "clean", "--purge", "--force")
    const stray = {
      check: "tmux",
      status: "warning",
      detail: `belong to no worker: pane ${pane} of teamwork-shop (shop/main/w1)`,
    }
    expect(await doctor()).toEqual([{ ...stray, fixed: false }])
    expect(await doctor("--fix")).toEqual([{ ...stray, fixed: true }])
    expect(await doctor()).toEqual([])
    expect(existsSync(join(bench.home, "w1.log"))).toBe(true)
  })
})
