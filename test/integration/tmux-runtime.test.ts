// What only tmux has: panes with titles, a layout, a session that can get lost. The rest is in contract/runtime.test.ts.
import { afterEach, beforeEach, describe, expect, it } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { systemClock } from "../../src/lib/clock.ts"
import { quoteArgument } from "../../src/lib/text/quote-argument.ts"
import type { Runtime, WorkerExit, WorkerLaunch } from "../../src/workers/runtimes/port.ts"
import { makeTmuxRuntime } from "../../src/workers/runtimes/tmux/make-tmux-runtime.ts"
import { findStrayPanes, socketOf } from "../../src/workers/runtimes/tmux/server.ts"
import { makeScratch, type Scratch, sandboxEnv } from "../support/sandbox.ts"

const WHY_NOT = Bun.which("tmux") === null ? " (tmux is not installed)" : ""
const PATIENCE_MS = 15_000
const NOW = { graceMs: 0 }

describe.skipIf(WHY_NOT !== "")(`workers in tmux${WHY_NOT}`, () => {
  let scratch: Scratch
  let runtime: Runtime
  const exits: WorkerExit[] = []
  const started = new Set<string>()
  const make = (project = "shop") =>
    makeTmuxRuntime({ owner: [scratch.path, project, "main"], clock: systemClock, env: sandboxEnv() })
  beforeEach(() => {
    scratch = makeScratch("tmux")
    runtime = make()
    exits.length = 0
    runtime.onExit((exit) => exits.push(exit))
  })
  afterEach(async () => {
    for (const worker of started) await runtime.stop(worker, null, NOW)
    started.clear()
    await runtime[Symbol.asyncDispose]()
    expect(tmux("list-sessions").stderr).toMatch(/no server|error connecting/)
    scratch[Symbol.dispose]()
  })

  const tmux = (...args: string[]) => {
    const { stdout, stderr } = Bun.spawnSync(["tmux", "-L", socketOf(scratch.path), ...args], { env: sandboxEnv() })
    return { stdout: String(stdout).trim(), stderr: String(stderr) }
  }
  const panes = (format: string) => tmux("list-panes", "-a", "-F", format).stdout.split("\n")
  const launch = (worker: string, line = "echo waiting; exec sleep 600", env = {}): WorkerLaunch => {
    started.add(worker)
    return {
      ...{ worker, title: `backend-${worker}`, command: ["sh", "-c", line], cwd: scratch.path },
      ...{ env: sandboxEnv(env), logFile: join(scratch.path, `it's ${worker} #1 100%.log`) },
    }
  }
  const screen = (pane: string | null) => tmux("capture-pane", "-p", "-S", "-", "-t", pane ?? "").stdout

  it("puts each in a pane of the project's session, under its title, tiled", async () => {
    const all = await Promise.all(["w1", "w2", "w3", "w4"].map((worker) => runtime.start(launch(worker))))
    expect(new Set(all.map(({ pane }) => pane)).size).toBe(4)
    const facts = panes("#{session_name} #{pane_title} #{window_index}").sort()
    expect(facts).toEqual(["w1", "w2", "w3", "w4"].map((worker) => `teamwork-shop backend-${worker} 0`))
    // Two by two, instead of ever smaller slices of the last one.
    expect(new Set(panes("#{pane_left}")).size).toBe(2)
    expect(new Set(panes("#{pane_top}")).size).toBe(2)
    await until(() => all.every(({ pane }) => screen(pane).includes("waiting")))
    await until(() => readFileSync(launch("w1").logFile, "utf8").includes("waiting"))
  })

  it("lets a worker say above its pane what it does", async () => {
    const { pane } = await runtime.start(
      launch("w1", String.raw`printf '\033]2;backend-w1: task 3\033\\'; exec sleep 600`),
    )
    await until(() => panes("#{pane_title}").includes("backend-w1: task 3"))
    expect(tmux("show-options", "-gv", "pane-border-status").stdout).toBe("top")
    expect(pane).toStartWith("%")
  })

  it("keeps the pane of one that crashed and starts it again in there", async () => {
    const first = await runtime.start(launch("w1", "echo so it ended; exit 9"))
    await runtime.start(launch("w2"))
    await until(() => exits.length > 0)
    expect(exits).toEqual([{ worker: "w1", code: 9, signal: null }])
    expect(panes("#{pane_id} #{pane_dead}")).toContain(`${first.pane} 1`)
    expect(screen(first.pane)).toContain("so it ended")
    expect((await runtime.findLeft(["w1"])).get("w1")).toEqual([`pane ${first.pane} of teamwork-shop`])
    const second = await runtime.start(launch("w1"))
    expect(second.pane).toBe(first.pane)
    expect(second.pid).not.toBe(first.pid)
    expect(panes("#{pane_dead}")).toEqual(["0", "0"])
  })

  it("removes the pane of one that ended well, and those of crashed ones when it is let go", async () => {
    const well = await runtime.start(launch("w1", "exit 0"))
    const badly = await runtime.start(launch("w2", "exit 1"))
    await runtime.start(launch("w3"))
    await until(() => exits.length === 2)
    await until(() => !panes("#{pane_id}").includes(well.pane ?? ""))
    expect(panes("#{pane_id}")).toContain(badly.pane ?? "")
    await runtime[Symbol.asyncDispose]()
    expect(panes("#{pane_title}")).toEqual(["backend-w3"])
  })

  it("hears that the whole session is lost, and makes it anew", async () => {
    for (const worker of ["w1", "w2"]) await runtime.start(launch(worker))
    tmux("kill-server")
    await until(() => exits.length === 2)
    expect(exits.map(({ worker }) => worker).sort()).toEqual(["w1", "w2"])
    for (const worker of ["w1", "w2"]) await runtime.start(launch(worker))
    expect(panes("#{session_name} #{pane_title}").sort()).toEqual([
      "teamwork-shop backend-w1",
      "teamwork-shop backend-w2",
    ])
  })

  it("goes on in another window where no pane fits any more", async () => {
    const names = Array.from({ length: 3 }, (_, at) => `w${at + 1}`)
    await runtime.start(launch("w1"))
    tmux("resize-window", "-t", "teamwork-shop", "-x", "10", "-y", "3")
    for (const worker of names.slice(1)) await runtime.start(launch(worker))
    expect(panes("#{pane_title}").sort()).toEqual(names.map((worker) => `backend-${worker}`))
    expect(new Set(panes("#{window_id}")).size).toBeGreaterThan(1)
  })

  it("has a command for whoever wants to look", async () => {
    expect(await runtime.attachCommand("w1")).toBeNull()
    const { pane } = await runtime.start(launch("w1"))
    await runtime.start(launch("w2"))
    const command = (await runtime.attachCommand("w1")) ?? []
    // A terminal to attach from: a pane of another server.
    const outer = ["-L", `outer-${process.pid}`, "-f", "/dev/null"]
    const env = sandboxEnv({ TERM: "xterm" })
    const line = `TMUX= ${command.map(quoteArgument).join(" ")}`
    Bun.spawnSync(["tmux", ...outer, "new-session", "-d", "-x", "100", "-y", "30", line], { env })
    try {
      const shown = () => String(Bun.spawnSync(["tmux", ...outer, "capture-pane", "-p"], { env }).stdout)
      await until(() => shown().includes("backend-w1") && shown().includes("backend-w2"))
      expect(tmux("display-message", "-p", "-t", "teamwork-shop", "#{pane_id}").stdout).toBe(pane ?? "")
    } finally {
      Bun.spawnSync(["tmux", ...outer, "kill-server"], { env })
    }
  })

  it("F049: lets Ctrl+C only end the looking", async () => {
    const { pane, pid, processStart } = await runtime.start(launch("w1", "echo waiting; exec cat"))
    const command = (await runtime.attachCommand("w1")) ?? []
    const outer = ["-L", `outer-${process.pid}`, "-f", "/dev/null"]
    const env = sandboxEnv({ TERM: "xterm" })
    const line = `TMUX= ${command.map(quoteArgument).join(" ")}; echo left; exec cat`
    Bun.spawnSync(["tmux", ...outer, "new-session", "-d", "-x", "160", "-y", "30", line], { env })
    try {
      const shown = () => String(Bun.spawnSync(["tmux", ...outer, "capture-pane", "-p"], { env }).stdout)
      await until(() => shown().includes("waiting") && shown().includes("Ctrl+C leaves"))
      Bun.spawnSync(["tmux", ...outer, "send-keys", "C-c"], { env })
      await until(() => shown().includes("left"))
    } finally {
      Bun.spawnSync(["tmux", ...outer, "kill-server"], { env })
    }
    // Sent to the pane itself, it is a letter like others and no signal.
    tmux("send-keys", "-t", pane ?? "", "C-c", "Enter")
    tmux("send-keys", "-t", pane ?? "", "still here", "Enter")
    await until(() => screen(pane).split("still here").length > 2)
    expect(runtime.isRunning({ pid, processStart })).toBe(true)
    expect(exits).toEqual([])
  })

  it("shows nobody on a command line what a worker knows", async () => {
    const secret = `secret-${crypto.randomUUID()}`
    const seen: string[] = []
    let isOver = false
    const watching = (async () => {
      while (!isOver) {
        seen.push(String(Bun.spawnSync(["ps", "-A", "-o", "args="]).stdout))
        await Bun.sleep(1)
      }
    })()
    await runtime.start(launch("w1", 'echo "${#KEY}"; exec sleep 600', { KEY: secret }))
    await until(() => readFileSync(launch("w1").logFile, "utf8").includes(String(secret.length)))
    isOver = true
    await watching
    expect(seen.length).toBeGreaterThan(0)
    expect(seen.join("\n")).not.toContain(secret)
    expect(tmux("list-buffers").stdout).toBe("")
  })

  it("makes a name for a session of any project", async () => {
    const other = make("my.shop")
    await other.start(launch("w1"))
    expect(panes("#{session_name}")).toEqual(["teamwork-my_shop"])
    await other.stop("w1", null, NOW)
    await other[Symbol.asyncDispose]()
  })

  it("says that tmux is missing", async () => {
    const owner = [scratch.path, "shop", "main"] as const
    await using without = makeTmuxRuntime({ owner, clock: systemClock, env: sandboxEnv({ PATH: scratch.path }) })
    expect(await without.unavailable()).toMatch(/^tmux was not found; install 3\.1 or newer, or use the runtime child$/)
    expect(await without.start(launch("w1")).catch((error) => error)).toMatchObject({ code: "runtime.unavailable" })
  })

  it("finds panes that belong to nobody, and ends them when asked to", async () => {
    await runtime.start(launch("w1"))
    await runtime.start(launch("w2"))
    tmux("new-session", "-d", "-s", "somebody", "sleep 600")
    const strays = (fix: boolean) =>
      findStrayPanes({ home: scratch.path, env: sandboxEnv() }, { isKnown: (owner) => owner === "shop/main/w1", fix })
    const expected = [
      expect.stringMatching(/^pane %\d+ of somebody$/),
      expect.stringMatching(/^pane %\d+ of teamwork-shop \(shop\/main\/w2\)$/),
    ]
    expect(await strays(false)).toEqual(expected)
    expect(panes("#{pane_id}")).toHaveLength(3)
    expect(await strays(true)).toEqual(expected)
    expect(panes("#{pane_title}")).toEqual(["backend-w1"])
    expect(await strays(true)).toEqual([])
  })
})

async function until(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`still not so: ${holds}`)
    await Bun.sleep(10)
  }
}
