// The demo is a promise to newcomers: it runs everywhere, tells the story it should, and checks itself.
import { expect, it } from "bun:test"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { makeScratch, sandboxEnv } from "../support/sandbox.ts"
import { until } from "../support/stores.ts"
import { processesOf } from "../support/team-runs.ts"

const DEMO = join(import.meta.dir, "../../demo/demo.ts")

it("runs the demo to its end and leaves nothing behind", async () => {
  using scratch = makeScratch("demo")
  const { exitCode, stdout, stderr } = await runDemo(scratch.path)
  expect({ exitCode, stderr, stdout }).toMatchObject({ exitCode: 0 })
  expect(stderr).toContain("Preflight of ")
  for (const line of [
    "$ teamwork run examples/shop/plan.yml --workers 4 --trust",
    "Outcome        done, phase COMPLETE",
    "ok   11 tasks are resolved",
    "ok   one gate failed and its task was repaired",
    "ok   one conflict became a fix task",
    "ok   the final gate passed",
  ]) {
    expect(stdout.split("\n")).toContain(line)
  }
  expect(stdout).toMatch(/\nThe demo took [\d.]+ s\.\n$/)
  // No colours in a pipe.
  expect(stdout).not.toContain("\u001b")
  // Neither its scratch folder nor anything in the home.
  expect(readdirSync(scratch.path)).toEqual([])
}, 120_000)

it("cleans up when it is interrupted", async () => {
  using scratch = makeScratch("demo")
  const child = startDemo(scratch.path)
  let output = ""
  let isInterrupted = false
  for await (const chunk of child.stdout) {
    output += new TextDecoder().decode(chunk)
    if (isInterrupted || !output.includes("claimed by")) continue
    isInterrupted = true
    // As a terminal does: to everybody in the foreground.
    process.kill(-child.pid, "SIGINT")
  }
  expect(await child.exited).toBe(130)
  expect(existsSync(scratch.path)).toBe(true)
  await until(async () => processesOf(scratch.path).length === 0, "the end of every process")
  expect(readdirSync(scratch.path)).toEqual([])
}, 120_000)

async function runDemo(home: string) {
  const child = startDemo(home)
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { exitCode: child.exitCode, stdout, stderr }
}

/** Home and temp folder are the same empty folder, so that whatever is left behind shows. */
function startDemo(home: string) {
  return Bun.spawn([process.execPath, DEMO], {
    cwd: home,
    env: sandboxEnv({ HOME: home, TMPDIR: home, TEAMWORK_TEST_BASE_DIR: undefined }),
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  })
}
