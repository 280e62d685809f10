// What both runtimes must do, with real processes. Workers are played by lines of shell.
import { afterEach, describe, expect, it } from "bun:test"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { isRunning } from "../../src/lib/process/process-identity.ts"
import { workerMark } from "../../src/lib/process/worker-mark.ts"
import type {
  Owner,
  Runtime,
  StartedWorker,
  WorkerExit,
  WorkerLaunch,
  WorkerProcess,
} from "../../src/workers/runtimes/port.ts"
import { processesWith, readProcessStat } from "../support/processes.ts"
import { makeScratch, type Scratch, sandboxEnv } from "../support/sandbox.ts"

export interface RuntimeUnderTest {
  readonly name: Runtime["name"]
  /** Why it cannot be tried here. */
  readonly skipped: string | null
  make(owner: Owner): Runtime
  /** What is left of it, in words, when all workers of this owner are stopped. */
  leftOf(owner: Owner): string[]
}

const STARTER = join(import.meta.dir, "../fixtures/runtime/starter.ts")
const PATIENCE_MS = 15_000
const W1 = "w1"

export function runtimeContract({ name, skipped, make, leftOf }: RuntimeUnderTest) {
  const title = skipped === null ? `${name} runtime` : `${name} runtime (${skipped})`
  describe.skipIf(skipped !== null)(title, () => {
    let bench: Bench
    const open = () => {
      bench = makeBench(make)
      return bench
    }
    afterEach(async () => {
      await bench.close()
      expect(leftOf(bench.owner)).toEqual([])
    })

    it("can be used here", async () => {
      expect(await open().runtime.unavailable()).toBeNull()
    })

    it("starts a worker, in a session of its own, whose output goes to its log", async () => {
      const { runtime, launch, log } = open()
      const started = await runtime.start(launch("echo out; echo err >&2; exec sleep 60"))
      expect(runtime.isRunning(started)).toBe(true)
      // Whoever writes the log may come to it later than the worker, and in parts.
      await until(() => /err\r?\n$/.test(log()))
      expect(log()).toMatch(/^--- w1 starts, \d{4}-\d\d-\d\dT[\d:.]+Z\r?\nout\r?\nerr\r?\n$/)
      expect(readProcessStat(String(started.pid)).session).not.toBe(readProcessStat("self").session)
      expect(statSync(bench.logFile).mode & 0o077).toBe(0)
    })

    it("hands command, environment and folder down as they are", async () => {
      const { runtime, launch, scratch } = open()
      const out = join(scratch.path, "out file")
      const odd = ["it's", 'a "b"', "#{pane_id} %H $HOME $(id) `id`", "two\nlines", "end;", ";", "", "-x", "\\", "ü"]
      const write = `import { renameSync, writeFileSync } from "node:fs"
        const { ODD, EMPTY, LEAK } = process.env
        const seen = { args: process.argv.slice(3), ODD, EMPTY, LEAK, cwd: process.cwd() }
        writeFileSync("draft", JSON.stringify(seen))
        renameSync("draft", process.argv[2])`
      const script = join(scratch.path, "write.ts")
      writeFileSync(script, write)
      const ODD = odd.join("|")
      const env = { ...sandboxEnv(), ODD, EMPTY: "", LEAK: undefined }
      await runtime.start({ ...launch(""), command: [process.execPath, script, out, ...odd], env })
      await until(() => existsSync(out))
      expect(JSON.parse(readFileSync(out, "utf8"))).toEqual({ args: odd, ODD, EMPTY: "", cwd: scratch.path })
    })

    it("tells the code with which a worker ends", async () => {
      const { runtime, launch, exits } = open()
      await runtime.start(launch("exit 3"))
      await until(() => exits.length > 0)
      expect(exits).toEqual([{ worker: W1, code: 3, signal: null }])
    })

    it("tells that a worker was killed", async () => {
      const { runtime, launch, exits } = open()
      const started = await runtime.start(launch("exec sleep 60"))
      process.kill(started.pid, "SIGKILL")
      await until(() => exits.length > 0)
      expect(exits).toEqual([{ worker: W1, code: null, signal: "SIGKILL" }])
      expect(runtime.isRunning(started)).toBe(false)
    })

    it("refuses a program or a folder that is not there", async () => {
      const { runtime, launch } = open()
      const nobody = { ...launch(""), command: ["no-such-program"] }
      const nowhere = { ...launch("true"), cwd: "/no/such/folder" }
      const failed = { code: "runtime.failed" }
      expect(await reasonOf(runtime.start(nobody))).toMatchObject({
        ...failed,
        message: "w1 cannot be started: no-such-program was not found",
      })
      expect(await reasonOf(runtime.start(nowhere))).toMatchObject({
        ...failed,
        message: "w1 cannot be started: /no/such/folder is not a folder",
      })
    })

    it("asks a worker to end, and leaves nothing that it started", async () => {
      const { runtime, launch, log, exits, mark } = open()
      const orphan = "(setsid sleep 600 &)"
      const started = await runtime.start(
        launch(`trap 'echo bye; exit 7' TERM; ${orphan}; echo ready; while :; do sleep 0.05; done`),
      )
      await until(() => log().includes("ready"))
      expect(processesWith(mark).length).toBeGreaterThanOrEqual(2)
      await runtime.stop(W1, started, { graceMs: PATIENCE_MS })
      expect(processesWith(mark)).toEqual([])
      await until(() => log().includes("bye"))
      await until(() => exits.length > 0)
      expect(exits).toEqual([{ worker: W1, code: 7, signal: null }])
    })

    it("ends a worker that does not listen with its whole tree when its time is up", async () => {
      const { runtime, launch, log, mark, scratch } = open()
      const pidFile = join(scratch.path, "pid")
      // One that nothing in its environment ties to the worker, and that ignores the polite request as well.
      const hidden = `env -i /bin/sh -c 'trap "" TERM HUP; echo $$ > "${pidFile}"; while :; do sleep 0.1; done' &`
      const started = await runtime.start(
        launch(`trap '' TERM HUP; ${hidden} (setsid sleep 600 &); echo ready; while :; do sleep 0.05; done`),
      )
      await until(() => log().includes("ready") && existsSync(pidFile) && readFileSync(pidFile, "utf8") !== "")
      const before = performance.now()
      await runtime.stop(W1, started, { graceMs: 300 })
      expect(performance.now() - before).toBeGreaterThanOrEqual(290)
      expect(processesWith(mark)).toEqual([])
      expect(readProcessStat(readFileSync(pidFile, "utf8").trim()).state).toBe("Z") // gone, or only its parent has not noticed
      expect(runtime.isRunning(started)).toBe(false)
    })

    it("may be asked twice to stop, and to stop what never was", async () => {
      const { runtime, launch } = open()
      const started = await runtime.start(launch("exec sleep 60"))
      await Promise.all([runtime.stop(W1, started, NOW), runtime.stop(W1, started, NOW)])
      await runtime.stop(W1, started, NOW)
      await runtime.stop("w99", null, NOW)
    })

    it("keeps workers apart", async () => {
      const { runtime, launch } = open()
      const [one, two] = [
        await runtime.start(launch("exec sleep 60")),
        await runtime.start(launch("exec sleep 60", "w2")),
      ]
      await runtime.stop(W1, one, NOW)
      expect(runtime.isRunning(two)).toBe(true)
      await runtime.stop("w2", two, NOW)
    })

    it("tells what a worker left, and ends it before the worker is started again", async () => {
      const { runtime, launch, log, mark, exits } = open()
      const first = await runtime.start(launch("(setsid sleep 600 &); echo ready; exec sleep 600"))
      // Only what has a session of its own by now outlives the terminal.
      await until(() =>
        processesWith(mark).some((pid) => readProcessStat(pid).session === Number(pid) && Number(pid) !== first.pid),
      )
      process.kill(first.pid, "SIGKILL")
      await until(() => exits.length > 0)
      const [orphan = ""] = processesWith(mark)
      const left = await runtime.findLeft([W1, "w2"])
      expect([...left.keys()]).toEqual([W1])
      expect(left.get(W1)).toContain(`process ${orphan}`)
      const second = await runtime.start(launch("echo again; exec sleep 600"))
      await until(() => log().includes("again"))
      await until(() => processesWith(mark).length === 1)
      expect(processesWith(mark)).toEqual([String(second.pid)])
      expect(log().match(/--- w1 starts/g)).toHaveLength(2)
    })

    it("cuts a log that grew too long", async () => {
      const { runtime, launch, log, logFile } = open()
      writeFileSync(logFile, "an old line\n".repeat(500_000))
      await runtime.start(launch("echo new; exec sleep 60"))
      await until(() => log().includes("new"))
      expect(statSync(logFile).size).toBeLessThan(4_000_000)
      expect(log()).toMatch(/^\[\d+ bytes left out\]\nan old line\n/)
    })

    it("keeps a worker out of reach of Ctrl+C, and finds it again", async () => {
      const { runtime, launch } = open()
      await using starter = await startElsewhere(bench, name, launch("exec sleep 600"))
      // What a terminal does on Ctrl+C: everybody in the foreground group gets it.
      process.kill(-starter.pid, "SIGINT")
      await starter.exited
      expect(isRunning({ pid: starter.worker.pid, start: starter.worker.processStart })).toBe(true)
      expect(runtime.isRunning(starter.worker)).toBe(true)
    })

    it("adopts a worker whose orchestrator was killed, hears of its end and stops it", async () => {
      const { runtime, launch, exits, mark } = open()
      await using starter = await startElsewhere(bench, name, launch("exec sleep 600"))
      process.kill(starter.pid, "SIGKILL")
      await starter.exited
      runtime.watch(W1, starter.worker)
      expect(runtime.isRunning(starter.worker)).toBe(true)
      process.kill(starter.worker.pid, "SIGKILL")
      await until(() => exits.length > 0)
      expect(exits).toMatchObject([{ worker: W1, code: null }])

      await using another = await startElsewhere(bench, name, launch("exec sleep 600"))
      process.kill(another.pid, "SIGKILL")
      runtime.watch(W1, another.worker)
      await runtime.stop(W1, another.worker, { graceMs: PATIENCE_MS })
      expect(processesWith(mark)).toEqual([])
      await until(() => exits.length > 1)
    })

    it("hears of the end of an adopted worker that was gone already", async () => {
      const { runtime, exits } = open()
      runtime.watch(W1, { pid: 999_999_999, processStart: "never" })
      await until(() => exits.length > 0)
      expect(exits).toEqual([{ worker: W1, code: null, signal: null }])
    })

    it("leaves its workers running when it is let go", async () => {
      const { runtime, launch } = open()
      const started = await runtime.start(launch("exec sleep 600"))
      await runtime[Symbol.asyncDispose]()
      expect(isRunning({ pid: started.pid, start: started.processStart })).toBe(true)
    })
  })
}

const NOW = { graceMs: 0 }

interface Bench {
  readonly owner: Owner
  readonly runtime: Runtime
  readonly scratch: Scratch
  readonly logFile: string
  readonly exits: WorkerExit[]
  readonly mark: string
  log(): string
  launch(line: string, worker?: string): WorkerLaunch
  close(): Promise<void>
}

function makeBench(make: RuntimeUnderTest["make"]): Bench {
  const scratch = makeScratch("runtime")
  const owner = [scratch.path, "shop", "main"] as const
  const runtime = make(owner)
  const exits: WorkerExit[] = []
  runtime.onExit((exit) => exits.push(exit))
  const logFile = join(scratch.path, "w1.log")
  return {
    ...{ owner, runtime, scratch, logFile, exits, mark: workerMark(...owner, W1) },
    log: () => (existsSync(logFile) ? readFileSync(logFile, "utf8") : ""),
    launch: (line, worker = W1) => ({
      ...{ worker, title: `backend-${worker}`, command: ["sh", "-c", line], env: sandboxEnv(), cwd: scratch.path },
      logFile: join(scratch.path, `${worker}.log`),
    }),
    async close() {
      for (const worker of [W1, "w2"]) await runtime.stop(worker, null, NOW)
      await runtime[Symbol.asyncDispose]()
      scratch[Symbol.dispose]()
    },
  }
}

/** Another process starts the worker, as an orchestrator does, and then waits. */
async function startElsewhere(bench: Bench, kind: Runtime["name"], launch: WorkerLaunch) {
  const request = JSON.stringify({ kind, owner: bench.owner, launch })
  const child = Bun.spawn([process.execPath, STARTER], {
    ...{ cwd: bench.scratch.path, env: sandboxEnv(), detached: true },
    ...{ stdin: new TextEncoder().encode(request), stdout: "pipe", stderr: "inherit" },
  })
  const { value } = await child.stdout.getReader().read()
  const worker = JSON.parse(new TextDecoder().decode(value)) as StartedWorker satisfies WorkerProcess
  return {
    pid: child.pid,
    exited: child.exited,
    worker,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL")
      await child.exited
    },
  }
}

async function reasonOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    return await promise
  } catch (error) {
    return error
  }
}

async function until(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`still not so: ${holds}`)
    await Bun.sleep(10)
  }
}
