// The demo is a promise to newcomers: it runs everywhere, tells the story it should, and checks itself.
import { expect, it } from "bun:test"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { makeScratch, sandboxEnv } from "../support/sandbox.ts"

const DEMO = join(import.meta.dir, "../../demo/coordination.ts")

it("runs the demo to its end, in 80 columns, and leaves nothing behind", async () => {
  using scratch = makeScratch("demo")
  const { exitCode, stdout, stderr } = await runDemo(scratch.path)
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
  for (const line of [
    '$ teamwork project create --goal "A search page for the shop"',
    "Created task 12: User guide",
    'Error: evidence says "should work", which is not proof; run the check and report',
    "Error: task 5 is in wave 2, which opens when wave 1 is verified",
    "Recorded: wave 3 passed",
    "shop/main  COMPLETE  completed",
    "# shop/main",
    "ok    12 of 12 tasks are resolved",
    "ok    12 times a task was resolved, each exactly once",
    "ok    1 task was taken over from the killed worker",
    "ok    3 of 3 waves are verified, phase COMPLETE",
  ]) {
    expect(stdout.split("\n")).toContain(line)
  }
  expect(stdout).toMatch(/task\.claimed {2}task=\d token=2 taken_over_from=ben\n/)
  expect(stdout).toMatch(/\nAll counts are right, after [\d.]+ s\.\n$/)
  expect(stdout.split("\n").filter((line) => Bun.stringWidth(line) > 80)).toEqual([])
  // No colours in a pipe.
  expect(stdout).not.toContain("\u001b")
  // Neither its scratch folder nor anything in the home.
  expect(readdirSync(scratch.path)).toEqual([])
}, 60_000)

it("cleans up when it is interrupted", async () => {
  using scratch = makeScratch("demo")
  const child = startDemo(scratch.path)
  let output = ""
  for await (const chunk of child.stdout) {
    output += new TextDecoder().decode(chunk)
    if (output.includes("started dan")) child.kill("SIGINT")
  }
  expect(await child.exited).toBe(130)
  expect(existsSync(scratch.path)).toBe(true)
  expect(readdirSync(scratch.path)).toEqual([])
}, 60_000)

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
  })
}
