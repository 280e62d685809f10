import { describe, expect, it } from "bun:test"
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { makeScratch, sandboxEnv } from "../../../test/support/sandbox.ts"
import { AppError } from "../../kernel/errors.ts"
import { systemClock } from "../../lib/clock.ts"
import { systemProcesses } from "../../lib/process/process.ts"
import { identityOf } from "../../lib/process/process-identity.ts"
import { workerMark } from "../../lib/process/worker-mark.ts"
import { sleep } from "../../lib/sleep.ts"
import { makeMask } from "../../lib/text/mask-secrets.ts"
import { fingerprint } from "./fingerprint.ts"
import { plainCommand, shellCommand } from "./gate-command.ts"
import { removeOldResults } from "./remove-old-results.ts"
import { type CommandResult, type Runner, runCommand, type Site } from "./run-command.ts"

interface Place extends Disposable {
  readonly home: string
  readonly folder: string
  readonly site: Site
  runner(more?: Partial<Runner>): Runner
  run(line: string, more?: Partial<Runner>, site?: Partial<Site>): Promise<CommandResult>
  /** How often a command that calls `COUNT` ran. */
  count(): number
}

/** Notes each run in a file outside of the folder that is judged. */
const COUNT = 'echo run >> "$COUNTER"'

function makePlace(): Place {
  const scratch = makeScratch("gates")
  const [home, folder, counter] = ["home", "tree", "counter"].map((name) => join(scratch.path, name)) as [
    string,
    string,
    string,
  ]
  mkdirSync(folder)
  const site: Site = { tree: "t".repeat(40), inUse: folder, folder: async () => folder }
  const runner = (more: Partial<Runner> = {}): Runner => ({
    ...{ processes: systemProcesses, clock: systemClock, sleep, home, mask: makeMask({}) },
    env: { ...sandboxEnv(), COUNTER: counter },
    ...{ timeoutMs: 20_000, preparation: "", maxBytes: 1_000_000, again: false, signal: new AbortController().signal },
    ...more,
  })
  return {
    ...{ home, folder, site, runner },
    run: (line, more, other) => runCommand(runner(more), { ...site, ...other }, shellCommand("test", line)),
    count: () => (existsSync(counter) ? readFileSync(counter, "utf8").trim().split("\n").length : 0),
    [Symbol.dispose]: () => scratch[Symbol.dispose](),
  }
}

describe("a command of a gate", () => {
  it("ends well or badly, with the end of its output and all of it in a file", async () => {
    using place = makePlace()
    const good = await place.run("echo out; echo err >&2")
    expect(good).toMatchObject({ hasPassed: true, exitCode: 0, ending: "exited with 0", isCached: false })
    expect(good.tail.split("\n").sort()).toEqual(["", "err", "out"])
    const bad = await place.run("seq 1 20000; exit 3")
    expect(bad).toMatchObject({ hasPassed: false, exitCode: 3, ending: "exited with 3" })
    expect(bad.tail).toEndWith("\n19999\n20000\n")
    expect(bad.tail.length).toBeLessThanOrEqual(8 * 1024)
    expect(readFileSync(bad.outputFile, "utf8")).toBe(
      `${Array.from({ length: 20_000 }, (_, at) => at + 1).join("\n")}\n`,
    )
    expect(bad.outputFile).toStartWith(join(place.home, "gates"))
  })

  it("runs in its folder of the tree", async () => {
    using place = makePlace()
    mkdirSync(join(place.folder, "web"))
    const result = await runCommand(place.runner(), place.site, plainCommand("build", ["pwd"], "web"))
    expect(result.tail).toBe(`${join(place.folder, "web")}\n`)
  })

  it("keeps no more of its output than it may", async () => {
    using place = makePlace()
    const { outputFile } = await place.run("seq 1 20000", { maxBytes: 10_000 })
    const text = readFileSync(outputFile, "utf8")
    expect(text.length).toBeLessThan(11_000)
    expect(text).toMatch(/^\[\d+ bytes left out\]\n/)
    expect(text).toEndWith("\n20000\n")
  })

  it("shows no secret, wherever its lines and pieces end", async () => {
    using place = makePlace()
    const mask = makeMask({ SERVICE_TOKEN: "hunter2hunter2" })
    const key = "-----BEGIN RSA PRIVATE KEY-----\\nMIIabc\\nxyz=\\n-----END RSA PRIVATE KEY-----"
    const { tail, outputFile } = await place.run(
      `printf 'a hunter2'; sleep 0.1; printf 'hunter2 b\\n'; printf -- '${key}\\nafter\\n'; printf 'ghp_%036d' 1`,
      { mask },
    )
    for (const text of [tail, readFileSync(outputFile, "utf8")]) {
      expect(text).toBe("a *** b\n***\n***\n***\n***\nafter\n***\n")
    }
  })

  it("gets only the environment it is given", async () => {
    using place = makePlace()
    process.env.SOME_API_KEY = "not for commands"
    const { tail } = await place.run("env")
    delete process.env.SOME_API_KEY
    const names = tail
      .trim()
      .split("\n")
      .map((line) => line.split("=")[0])
    expect(names).not.toContain("SOME_API_KEY")
    expect(names).toContain("COUNTER")
  })

  it("says clearly that it could not be started, took too long or was killed, and runs no failure a third time (I13)", async () => {
    using place = makePlace()
    // Not counted by itself: it may be stopped before it comes to that.
    let slow = 0
    const run: Runner["processes"]["run"] = (request) => {
      slow++
      return systemProcesses.run(request)
    }
    const missing = () => runCommand(place.runner(), place.site, plainCommand("lint", ["no-such-program", "x"], ""))
    for (const time of [1, 2, 3]) {
      expect(await missing()).toMatchObject({
        ...{ hasPassed: false, exitCode: null, isCached: false },
        ending: "could not be started: no-such-program is not installed, or not on the PATH",
      })
      expect(await place.run("sleep 60", { timeoutMs: 200, processes: { run } })).toMatchObject({
        ...{ hasPassed: false, exitCode: null, isCached: time > 1, ending: "was stopped after 0.2 s, its time limit" },
      })
      expect(await place.run(`${COUNT}; kill -9 $$`)).toMatchObject({
        ...{ hasPassed: false, exitCode: null, isCached: time > 2, ending: "was killed by SIGKILL" },
      })
    }
    expect([slow, place.count()]).toEqual([1, 2])
    await place.run("sleep 60", { timeoutMs: 300, processes: { run } })
    expect(slow).toBe(2)
    expect(await place.run("no-such-program")).toMatchObject({
      ...{ exitCode: 127, missing: "no-such-program" },
      ending: "exited with 127: no-such-program was not found",
    })
    expect(await place.run("./no-such-file")).toMatchObject({
      exitCode: 127,
      ending: "exited with 127: ./no-such-file was not found",
    })
    // The shell says which one it missed, also deep inside of what the line calls.
    expect(await place.run("sh -c 'cd . ; frobnicate --all'")).toMatchObject({
      ending: "exited with 127: frobnicate was not found",
    })
  })

  it("F001: takes no program for missing where tests ran: one of them may have printed that", async () => {
    using place = makePlace()
    const said = "python3: No module named shop"
    const tap = `printf 'TAP version 13\\nok 1 - a\\nnot ok 2 - b\\n1..2\\n${said}\\n'; exit 1`
    const ran = await place.run(tap)
    expect(ran).toMatchObject({ exitCode: 1, tests: { failed: ["b"] } })
    expect(ran.missing).toBeUndefined()
    expect(await place.run(`echo '${said}'; exit 1`)).toMatchObject({ missing: "shop" })
  })

  it("tells flaky from broken by one more run, and remembers the answer (I13)", async () => {
    using place = makePlace()
    const twice = (line: string) => runCommand(place.runner(), place.site, shellCommand("test", line), { twice: true })
    const mark = join(place.folder, "mark")
    const flaky = `${COUNT}; test -f ${mark} || { touch ${mark}; printf '1..1\\nnot ok 1 - by chance\\n'; exit 1; }`
    expect(await place.run(flaky)).toMatchObject({ hasPassed: false, runs: 1, tests: { failed: ["by chance"] } })
    for (const isCached of [false, true])
      expect(await twice(flaky)).toMatchObject({ hasPassed: true, runs: 2, flaky: ["by chance"], isCached })
    expect(await place.run(flaky)).toMatchObject({ hasPassed: true, isCached: true })
    expect(place.count()).toBe(2)
    const broken = `${COUNT}; exit 3`
    await place.run(broken)
    for (const isCached of [false, true, true])
      expect(await twice(broken)).toMatchObject({ hasPassed: false, exitCode: 3, runs: 2, isCached })
    expect(place.count()).toBe(4)
  })

  it("hands a line to the shell as one argument, and nothing else to any shell", async () => {
    using place = makePlace()
    const victim = join(place.folder, "victim")
    writeFileSync(victim, "")
    const odd = `$(rm ${victim}); rm ${victim}\n-rf`
    const plain = await runCommand(place.runner(), place.site, plainCommand("test", ["printf", "%s", odd], ""))
    expect(plain.tail).toBe(`${odd}\n`)
    expect(existsSync(victim)).toBe(true)
    expect((await place.run("echo one | tr a-z A-Z && echo $((1+1))")).tail).toBe("ONE\n2\n")
  })

  it("is interrupted without a result", async () => {
    using place = makePlace()
    const stopped = new AbortController()
    const started = join(place.folder, "started")
    const running = place.run(`touch ${started}; sleep 60`, { signal: stopped.signal })
    const deadline = performance.now() + 10_000
    while (!existsSync(started) && performance.now() < deadline) await Bun.sleep(5)
    stopped.abort()
    expect(await running.catch((error) => error)).toMatchObject({ code: "gate.cancelled" })
    expect(await place.run("true", { signal: stopped.signal }).catch((error) => error)).toBeInstanceOf(AppError)
  })
})

describe("a command on an unchanged tree", () => {
  it("is not run again, whether it ended well or badly", async () => {
    using place = makePlace()
    const good = await place.run(`${COUNT}; echo fine`)
    const bad = await place.run(`${COUNT}; echo broken; exit 2`)
    expect(place.count()).toBe(2)
    let opened = 0
    const folder = async () => {
      opened++
      return place.folder
    }
    expect(await place.run(`${COUNT}; echo fine`, {}, { folder })).toEqual({ ...good, isCached: true })
    expect(await place.run(`${COUNT}; echo broken; exit 2`, {}, { folder })).toEqual({ ...bad, isCached: true })
    expect({ count: place.count(), opened }).toEqual({ count: 2, opened: 0 })
  })

  it("is run again when asked to, and that counts from then on", async () => {
    using place = makePlace()
    const flaky = `${COUNT}; test $(wc -l < "$COUNTER") -gt 1`
    expect(await place.run(flaky)).toMatchObject({ exitCode: 1 })
    expect(await place.run(flaky)).toMatchObject({ exitCode: 1, isCached: true })
    expect(await place.run(flaky, { again: true })).toMatchObject({ exitCode: 0, isCached: false })
    expect(await place.run(flaky)).toMatchObject({ exitCode: 0, isCached: true })
    expect(place.count()).toBe(2)
  })

  it("is run for another tree, command, folder or environment", async () => {
    using place = makePlace()
    await place.run(COUNT)
    await place.run(COUNT, {}, { tree: "u".repeat(40) })
    await place.run(`${COUNT} `)
    await runCommand(place.runner(), place.site, { ...shellCommand("test", COUNT), folder: "." })
    await place.run(COUNT, { env: { ...place.runner().env, FEATURE: "on" } })
    expect(place.count()).toBe(5)
    await place.run(COUNT, { env: { ...place.runner().env, TERM: "other" } })
    expect(place.count()).toBe(5)
  })

  it("is run once for one set-up of fresh checkouts, and holds for a worktree that has the same installed", async () => {
    using place = makePlace()
    const fresh = { inUse: null, setup: { key: "lock 1", isHere: true } }
    await place.run(COUNT, {}, fresh)
    expect(await place.run(COUNT, {}, fresh)).toMatchObject({ isCached: true })
    expect(await place.run(COUNT, {}, { setup: { key: "lock 1", isHere: true } })).toMatchObject({ isCached: true })
    expect(place.count()).toBe(1)
    // Nothing is installed here, but in a fresh checkout there would be.
    await place.run(COUNT, {}, { setup: { key: "lock 1", isHere: false } })
    await place.run(COUNT, {}, { inUse: null, setup: { key: "lock 1", isHere: false } })
    await place.run(COUNT, {}, { inUse: null, setup: { key: "lock 2", isHere: true } })
    expect(place.count()).toBe(4)
  })

  it("gets the environment of its checkout, which is no part of what its result is kept by", async () => {
    using place = makePlace()
    const around = (port: string) => ({
      surround: (env: Readonly<Record<string, string>>) => ({ ...env, TEAMWORK_PORT: port }),
    })
    expect((await place.run('echo "$TEAMWORK_PORT"', around("21000"))).tail).toBe("21000\n")
    expect(await place.run('echo "$TEAMWORK_PORT"', around("21020"))).toMatchObject({ isCached: true })
  })

  it("is run once by all who ask at the same time", async () => {
    using place = makePlace()
    const results = await Promise.all(Array.from({ length: 8 }, () => place.run(`${COUNT}; sleep 0.2; echo done`)))
    expect(place.count()).toBe(1)
    expect(results.map((result) => result.tail)).toEqual(Array(8).fill("done\n"))
    expect(results.filter((result) => !result.isCached)).toHaveLength(1)
  })

  it("is run by another when whoever ran it died, or when its result cannot be read", async () => {
    using place = makePlace()
    const { outputFile } = await place.run(COUNT)
    const folder = join(outputFile, "..")
    writeFileSync(join(folder, "running.json"), JSON.stringify({ ...identityOf(process.pid), start: "long ago" }))
    writeFileSync(join(folder, "result.json"), "{half")
    expect(await place.run(COUNT)).toMatchObject({ isCached: false, hasPassed: true })
    expect(place.count()).toBe(2)
    expect(readdirSync(folder).sort()).toEqual(["output.txt", "result.json"])
  })
})

describe("the fingerprint", () => {
  const PATH = sandboxEnv().PATH ?? ""
  const print = (line: string, folder: string | null, env: Record<string, string> = { PATH }) =>
    fingerprint(shellCommand("test", line), env, folder)

  it("goes by the programs that the command names", () => {
    using scratch = makeScratch()
    const env = { PATH: `${scratch.path}:${PATH}` }
    const before = print("cd x && mytool --fast", null, env)
    writeFileSync(join(scratch.path, "mytool"), "#!/bin/sh\n", { mode: 0o755 })
    const after = print("cd x && mytool --fast", null, env)
    expect(after).not.toBe(before)
    utimesSync(join(scratch.path, "mytool"), 1, 1)
    expect(print("cd x && mytool --fast", null, env)).not.toBe(after)
    expect(print("true", null, env)).toBe(print("true", null, env))
  })

  it("goes by the environment, whoever's worker it is", () => {
    const env = { PATH, LANG: "C" }
    expect(print("true", null, { ...env, LANG: "de" })).not.toBe(print("true", null, env))
    expect(print("true", null, { ...env, [workerMark("w1")]: "1" })).toBe(print("true", null, env))
  })

  it("goes by what is installed and set in the folder, the same in two folders with the same", () => {
    using scratch = makeScratch()
    const [a, b] = ["a", "b"].map((name) => join(scratch.path, name)) as [string, string]
    const all = () => [print("npm test", a), print("npm test", b)]
    for (const folder of [a, b]) mkdirSync(join(folder, "node_modules"), { recursive: true })
    writeFileSync(join(a, "node_modules/.package-lock.json"), "{}")
    expect(all()[0]).not.toBe(all()[1])
    writeFileSync(join(b, "node_modules/.package-lock.json"), "{}")
    expect(all()[0]).toBe(all()[1])
    writeFileSync(join(b, ".env.test"), "X=1")
    expect(all()[0]).not.toBe(all()[1])
    rmSync(join(b, ".env.test"))
    mkdirSync(join(b, ".venv/lib/python3.12/site-packages"), { recursive: true })
    const one = print("npm test", b)
    utimesSync(join(b, ".venv/lib/python3.12/site-packages"), 5, 5)
    expect(print("npm test", b)).not.toBe(one)
    symlinkSync("/nowhere", join(a, ".env"))
    expect(print("npm test", a)).toBe(all()[0] ?? "")
  })
})

describe("old results", () => {
  const DAY_MS = 86_400_000

  it("are removed, but not one that is being made", async () => {
    using place = makePlace()
    const [old, running, fresh] = [await place.run("echo 1"), await place.run("echo 2"), await place.run("echo 3")]
    const folders = [old, running, fresh].map((result) => join(result.outputFile, ".."))
    const [first = "", second = ""] = folders
    writeFileSync(join(second, "running.json"), JSON.stringify(identityOf(process.pid)))
    const longAgo = (Date.now() - 20 * DAY_MS) / 1000
    for (const folder of [first, second])
      for (const name of readdirSync(folder)) utimesSync(join(folder, name), longAgo, longAgo)
    const remove = (dryRun: boolean, maxAgeDays = 14) =>
      removeOldResults(place.home, { maxAgeDays, now: Date.now(), dryRun })
    expect(remove(false, 0)).toEqual({ count: 0, bytes: 0 })
    expect(remove(true)).toMatchObject({ count: 1, bytes: expect.any(Number) })
    expect(folders.map(existsSync)).toEqual([true, true, true])
    expect(remove(false).bytes).toBeGreaterThan(0)
    expect(folders.map(existsSync)).toEqual([false, true, true])
    expect(removeOldResults(join(place.home, "nowhere"), { maxAgeDays: 1, now: 0, dryRun: false }).count).toBe(0)
  })
})
