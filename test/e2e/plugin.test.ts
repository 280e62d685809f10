// Setting up Claude Code through its own plugin commands, from a checkout and from the built program.
import { afterAll, beforeAll, describe, expect, it, setDefaultTimeout } from "bun:test"
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { makeScratch, type Scratch, sandboxEnv } from "../support/sandbox.ts"
import { type Bench, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"

setDefaultTimeout(TEST_TIMEOUT_MS)

const ROOT = join(import.meta.dir, "../..")
const PLUGIN = join(ROOT, "plugin")
const SYSTEM_PATH = ["/usr/bin", "/bin"]

/** A Claude Code that writes down what it is asked, and says and ends as told. */
function putClaude({ home }: Bench, { says = "done", exitCode = 0 } = {}) {
  const folder = join(home, "programs")
  const log = join(home, "asked.log")
  mkdirSync(folder, { recursive: true })
  const lines = ["#!/bin/sh", `for arg in "$@"; do printf '%s\\n' "$arg"; done >>'${log}'`, `echo '${says}' >&2`]
  writeFileSync(join(folder, "claude"), [...lines, `exit ${exitCode}`, ""].join("\n"))
  chmodSync(join(folder, "claude"), 0o755)
  return { PATH: [folder, ...SYSTEM_PATH].join(delimiter), asked: () => readFileSync(log, "utf8").trim().split("\n") }
}

describe("teamwork plugin", () => {
  it("install and remove ask Claude Code, for the scope that was named", async () => {
    using bench = makeBench()
    const { PATH, asked } = putClaude(bench)
    const env = { PATH }
    expect(await bench.run(["plugin", "install", "--format", "table"], { env })).toMatchObject({
      exitCode: 0,
      stdout: `Installed the plugin from ${PLUGIN}; sessions that start from now on have it\n`,
    })
    expect(asked()).toEqual([
      ...["plugin", "marketplace", "add", "--scope", "user", "--", PLUGIN],
      ...["plugin", "install", "--scope", "user", "--", "teamwork@teamwork"],
    ])
    const removed = await bench.run(["plugin", "remove", "--scope", "project"], { env })
    expect(removed.json()).toMatchObject({ data: { scope: "project", dry_run: false } })
    expect(asked().slice(13)).toEqual([
      ...["plugin", "uninstall", "--scope", "project", "--", "teamwork@teamwork"],
      ...["plugin", "marketplace", "remove", "--scope", "project", "--", "teamwork"],
    ])
  })

  it("install with --dry-run asks nobody", async () => {
    using bench = makeBench()
    const { PATH } = putClaude(bench)
    const { stdout } = await bench.run(["plugin", "install", "--dry-run", "--format", "table"], { env: { PATH } })
    expect(stdout).toBe(
      `claude plugin marketplace add --scope user -- ${PLUGIN}\nclaude plugin install --scope user -- teamwork@teamwork\n`,
    )
    expect(existsSync(join(bench.home, "asked.log"))).toBe(false)
  })

  it("says what to do when there is no Claude Code, or which of its commands failed and why", async () => {
    using bench = makeBench()
    const none = await bench.run(["plugin", "install", "--json"], { env: { PATH: SYSTEM_PATH.join(delimiter) } })
    expect(none.exitCode).toBe(1)
    expect(JSON.parse(none.stderr)).toMatchObject({
      code: "agent.unavailable",
      message: expect.stringContaining(
        "install Claude Code, or name it with: teamwork config set agents.claude.command",
      ),
    })
    const { PATH, asked } = putClaude(bench, { says: "it is not installed", exitCode: 1 })
    const failed = await bench.run(["plugin", "remove", "--json"], { env: { PATH } })
    expect(JSON.parse(failed.stderr)).toMatchObject({
      code: "plugin.failed",
      message: "claude plugin uninstall --scope user -- teamwork@teamwork: it is not installed",
    })
    // What was half removed can still be brought to its end.
    expect(asked()).toContain("marketplace")
  })

  it("asks the Claude Code that is configured", async () => {
    using bench = makeBench()
    putClaude(bench)
    const env = { TEAMWORK_AGENTS_CLAUDE_COMMAND: join(bench.home, "programs/claude") }
    const { stdout } = await bench.run(["plugin", "install", "--dry-run", "--format", "table"], { env })
    expect(stdout).toStartWith(join(bench.home, "programs/claude plugin marketplace add"))
  })
})

describe("the built program", () => {
  let built: Scratch
  beforeAll(() => {
    built = makeScratch("built")
    const command = [process.execPath, "scripts/build.ts", join(built.path, "teamwork")]
    const { exitCode, stderr } = Bun.spawnSync(command, { cwd: ROOT, env: sandboxEnv() })
    if (exitCode !== 0) throw new Error(stderr.toString())
  }, 120_000)
  afterAll(() => built[Symbol.dispose]())

  function run(home: string, command: readonly string[]): string {
    const env = sandboxEnv({ HOME: home, TEAMWORK_TEST_BASE_DIR: home, PATH: SYSTEM_PATH.join(delimiter) })
    const { stdout, stderr } = Bun.spawnSync([...command], { cwd: home, env })
    return stdout.toString() + stderr.toString()
  }

  it("carries the plugin, writes it to the home, and is found by it", () => {
    using scratch = makeScratch()
    const { path: home } = scratch
    const program = join(built.path, "teamwork")
    expect(run(home, [program, "plugin", "path"])).toBe(`${home}/plugin\n`)
    const list = (folder: string) => readdirSync(folder, { recursive: true }).map(String).sort()
    expect(list(join(home, "plugin"))).toEqual(list(PLUGIN))
    for (const path of list(PLUGIN).filter((each) => statSync(join(PLUGIN, each)).isFile()))
      expect(readFileSync(join(home, "plugin", path), "utf8")).toBe(readFileSync(join(PLUGIN, path), "utf8"))
    const version = run(home, [program, "--version"])
    expect(version).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect(run(home, [join(home, "plugin/bin/teamwork"), "--version"])).toBe(version)
    // After an update what is no longer part of it is gone, and what was changed is back.
    writeFileSync(join(home, "plugin/commands/old.md"), "old")
    writeFileSync(join(home, "plugin/commands/team.md"), "changed")
    run(home, [program, "plugin", "path"])
    expect(list(join(home, "plugin"))).toEqual(list(PLUGIN))
    expect(readFileSync(join(home, "plugin/commands/team.md"), "utf8")).not.toBe("changed")
  })
})
