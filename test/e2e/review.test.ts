// The review of a team's work by another agent program, on the command line.

import { expect, it, setDefaultTimeout } from "bun:test"
import { join } from "node:path"
import { parseTaskId } from "../../src/kernel/ids.ts"
import { systemClock } from "../../src/lib/clock.ts"
import { openSqliteStore } from "../../src/store/sqlite/store.ts"
import { noteRunEnded, noteRunStarted } from "../../src/tasks/operations/note-run.ts"
import { writeAnswers } from "../support/answers.ts"
import { context } from "../support/stores.ts"
import { type Bench, type Data, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"
import { prepareShop } from "./command-cases.ts"

setDefaultTimeout(TEST_TIMEOUT_MS)

const REPOSITORY = ["--source-dir", "../home/repository"]

/** What a worker with Claude Code would have written of task 3. */
async function noteWork(bench: Bench): Promise<void> {
  await using store = await openSqliteStore({ path: join(bench.home, "teamwork.db"), clock: systemClock })
  const who = { project: "shop", team: "main", run: "3-1-1", task: parseTaskId("3"), worker: "w2", agent: "claude" }
  await noteRunStarted(context(store), { ...who, attempt: 1, model: null, turn: 1 })
  await noteRunEnded(context(store), {
    ...{ ...who, reason: "done", error: null, session: null, duration_ms: 1, cached_tokens: 0 },
    ...{ input_tokens: 1, output_tokens: 1, dollars: null, dollars_are_estimated: false },
  })
}

it("finds fault with the work, makes tasks of it, and is content later", async () => {
  using bench = makeBench()
  await prepareShop(bench)
  await bench.ok("swarm", "merge", ...REPOSITORY)
  await noteWork(bench)
  const findings = [{ task: "3", file: "page.html", severity: "high", text: "the page has no form" }]
  const answers = [
    { verdict: "FAIL", findings },
    { verdict: "PASS", findings: [], earlier: [{ number: 1, status: "fixed" }] },
  ]
  const written = writeAnswers(join(bench.home, "answers"), answers)
  await bench.ok("config", "set", "agents.codex.command", JSON.stringify(written.command("codex")))
  const env = { OPENAI_API_KEY: "not-a-key" }
  const failed = await bench.run(["verify", "review", ...REPOSITORY], { env })
  expect(failed).toMatchObject({ exitCode: 1, stderr: "" })
  expect(failed.json<{ data: Data }>().data).toMatchObject({
    ...{ scope: "cross-agent", status: "failed", by: "codex", fixes: ["finding-1-3"] },
    issues: ["major: task 3, page.html: the page has no form"],
  })
  expect(written.prompt(1)).toContain("\n+<h1>Search</h1>\n")
  expect(await bench.ok("task", "get", "finding-1-3")).toMatchObject({ status: "open", role: "frontend" })
  expect(await bench.text("report")).toMatch(
    /^Review +failed: by codex, major: task 3, page\.html: the page has no form$/m,
  )

  const passed = await bench.run(["verify", "review", ...REPOSITORY, "--format", "table"], { env })
  expect(passed).toMatchObject({ exitCode: 0, stderr: "" })
  expect(passed.stdout).toMatch(
    /^Verdict on cross-agent: passed at [0-9a-f]{12}\nCHECK .*\nreview +passed +codex has read it\n$/,
  )
  const report = await bench.text("report")
  expect(report).toMatch(/^Review +passed: by codex$/m)
  expect(report).toMatch(/^\[OPEN\] +finding-1-3 Fix what the rev/m)
  expect(report).toContain("\n        [fix of #3 after review]\n")
})

it("has nothing to look at before anything is merged", async () => {
  using bench = makeBench()
  await prepareShop(bench)
  expect(await bench.refused("merge.no_branch", "verify", "review", ...REPOSITORY)).toContain("teamwork swarm merge")
})

it("F037: a critical finding about a task holds its merge by hand, until a person waives it", async () => {
  using bench = makeBench()
  await prepareShop(bench)
  await bench.ok("task", "update", "3", "--files", "page.html")
  const result = "FINDING critical page.html:1: shows what a visitor typed as HTML"
  await bench.ok("task", "update", "1", "--owner", "w1", "--status", "resolved", "--result", result)
  expect(await bench.ok<Data[]>("findings")).toMatchObject([{ severity: "critical", task_id: "3", reported_in: "1" }])
  const held = await bench.run(["swarm", "merge", ...REPOSITORY, "--format", "table"])
  expect(held.stdout).toContain("it is held by finding 1 (critical, page.html:1)")
  await bench.ok("findings", "waive", "1", "--reason", "nobody types there")
  const merged = await bench.run(["swarm", "merge", ...REPOSITORY, "--format", "table"])
  expect(merged.stdout).not.toContain("held by finding")
  expect(merged.stdout).toMatch(/3 +merged/)
})
