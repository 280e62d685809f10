import { describe, expect, it } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { makeScratch } from "../../../test/support/sandbox.ts"
import { type RunRequest, systemProcesses } from "./process.ts"

const env = { PATH: process.env.PATH }

function shell(script: string, more: Partial<RunRequest> = {}) {
  return systemProcesses.run({ command: ["sh", "-c", script], cwd: "/", env, ...more })
}

/** Cancels the command as soon as it printed something. */
function shellUntilOutput(script: string) {
  const controller = new AbortController()
  return shell(script, { signal: controller.signal, onOutput: () => controller.abort() })
}

function sha256(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex")
}

describe("a command that ends by itself", () => {
  it("gives its code, both streams, their hash and how long it took", async () => {
    const result = await shell("echo out; echo err >&2; exit 3")
    expect(result).toMatchObject({ reason: "exited", exitCode: 3, signal: null })
    expect(result.tail.split("\n").sort()).toEqual(["", "err", "out"])
    expect(result.durationMs).toBeGreaterThanOrEqual(0)
    expect((await shell("printf hello")).outputHash).toBe(sha256("hello"))
    expect((await shell("true")).outputHash).toBe(sha256(""))
  })

  it("keeps the end of a long output and hashes all of it", async () => {
    const line = "0123456789abcde\n"
    const all = line.repeat(100_000)
    const result = await systemProcesses.run({
      command: [process.execPath, "-e", `process.stdout.write(${JSON.stringify(line)}.repeat(100000))`],
      cwd: "/",
      env,
    })
    expect(result.tail).toBe(all.slice(-64 * 1024))
    expect(result.outputHash).toBe(sha256(all))
  })

  it("shows the output as it comes", async () => {
    using scratch = makeScratch()
    const seen: string[] = []
    // The script waits for a file that we make once its first line was seen.
    const gate = join(scratch.path, "gate")
    const result = await shell(`echo first; while [ ! -e '${gate}' ]; do sleep 0.01; done; echo second`, {
      onOutput(chunk) {
        seen.push(Buffer.from(chunk).toString())
        void Bun.write(gate, "")
      },
    })
    expect(result.tail).toBe("first\nsecond\n")
    expect(seen).toEqual(["first\n", "second\n"])
  })

  it("says which signal ended it", async () => {
    expect(await shell("kill -KILL $$")).toMatchObject({ reason: "exited", exitCode: null, signal: "SIGKILL" })
  })

  it("hands down the given environment and nothing else, and an empty standard input", async () => {
    const result = await shell("cat; env | sort", { env: { ...env, GREETING: "hi" } })
    expect(result.tail).toContain("GREETING=hi")
    expect(result.tail).not.toContain("HOME=")
  })

  it("is told from one that cannot be started", async () => {
    for (const request of [{ command: ["no-such-program-here"] }, { command: ["true"], cwd: "/no/such/folder" }])
      expect(await systemProcesses.run({ cwd: "/", env, ...request })).toMatchObject({
        reason: "not-found",
        exitCode: null,
        signal: null,
        tail: "",
      })
  })
})

describe("what a command leaves running", () => {
  it("does not keep the run waiting, and is stopped", async () => {
    using scratch = makeScratch()
    const pidFile = join(scratch.path, "pid")
    const result = await shell(`sleep 600 & echo $! >'${pidFile}'; echo done`)
    expect(result).toMatchObject({ reason: "exited", exitCode: 0, tail: "done\n" })
    await goneSoon(pidFile)
  })

  it("may print for a moment", async () => {
    expect((await shell("(sleep 0.1; echo late) & echo early")).tail).toBe("early\nlate\n")
  })

  it("does not keep the run waiting from a session of its own either", async () => {
    using scratch = makeScratch()
    const pidFile = join(scratch.path, "pid")
    const result = await systemProcesses.run({ command: detached(pidFile, false), cwd: "/", env })
    expect(result).toMatchObject({ reason: "exited", exitCode: 0 })
    // It got away, as a daemon does; nobody but us may end it.
    process.kill(Number(readFileSync(pidFile, "utf8")), "SIGKILL")
  })
})

describe("a command that is stopped", () => {
  it("at its time limit ends with its whole tree", async () => {
    using scratch = makeScratch()
    const pidFile = join(scratch.path, "pid")
    const result = await shell(`(sleep 600 & echo $! >'${pidFile}'; wait) & echo started; wait`, { timeoutMs: 3000 })
    expect(result).toMatchObject({ reason: "timed-out", tail: "started\n" })
    expect(result.durationMs).toBeGreaterThanOrEqual(2999)
    await goneSoon(pidFile)
  })

  it("takes a child with a session of its own along", async () => {
    using scratch = makeScratch()
    const pidFile = join(scratch.path, "pid")
    const controller = new AbortController()
    const running = systemProcesses.run({
      command: detached(pidFile, true),
      cwd: "/",
      env,
      signal: controller.signal,
    })
    await until(() => existsSync(pidFile) && readFileSync(pidFile, "utf8") !== "")
    controller.abort()
    expect(await running).toMatchObject({ reason: "cancelled" })
    await goneSoon(pidFile)
  })

  it("is killed when it does not listen", async () => {
    const result = await shellUntilOutput('trap "" TERM; echo deaf; while :; do sleep 0.05; done')
    expect(result).toMatchObject({ reason: "cancelled", exitCode: null, signal: "SIGKILL", tail: "deaf\n" })
  })

  it("may use its last moment", async () => {
    const result = await shellUntilOutput('trap "echo bye; exit 7" TERM; echo ready; while :; do sleep 0.02; done')
    expect(result).toMatchObject({ reason: "cancelled", exitCode: 7 })
    expect(result.tail).toContain("bye")
  })

  it("by a signal that fired before ends at once", async () => {
    const signal = AbortSignal.abort()
    expect(await shell("sleep 600", { signal })).toMatchObject({ reason: "cancelled" })
  })
})

/** A program that starts another in a session of its own, with our pipes, and then ends or waits. */
function detached(pidFile: string, waits: boolean): string[] {
  const script = `
    const child = require("node:child_process").spawn("sleep", ["600"], { detached: true, stdio: "inherit" })
    require("node:fs").writeFileSync(${JSON.stringify(pidFile)}, String(child.pid))
    ${waits ? "setInterval(() => {}, 1000)" : "process.exit(0)"}`
  return [process.execPath, "-e", script]
}

async function goneSoon(pidFile: string): Promise<void> {
  const pid = Number(readFileSync(pidFile, "utf8"))
  await until(() => !isAlive(pid))
}

/** A zombie waits only for somebody to ask how it ended. */
function isAlive(pid: number): boolean {
  const { stdout } = Bun.spawnSync(["ps", "-o", "stat=", "-p", String(pid)])
  const state = stdout.toString().trim()
  return state !== "" && !state.startsWith("Z")
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000
  while (!condition()) {
    if (performance.now() > deadline) throw new Error("waited in vain")
    await Bun.sleep(5)
  }
}
