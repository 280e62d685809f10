// What a run may use up: given on the command line or in a plan, asked about once, and raised by a person.
import { expect, it, setDefaultTimeout } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeRepository, type PlannedTask, writePlan } from "../support/team-runs.ts"
import { type Bench, type Data, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"

setDefaultTimeout(3 * TEST_TIMEOUT_MS)

const ENV = { ANTHROPIC_API_KEY: "not-a-key" }
const RUN = ["run", "--no-review", "--no-cascade", "--trust", "--workers", "1"]

/** Claude Code as far as money goes: each run costs so many dollars and says that there is nothing to do. */
function agentCosting(bench: Bench, dollars: number): Promise<Data> {
  const file = join(bench.home, "claude.ts")
  writeFileSync(
    file,
    `if (process.argv.includes("--version")) { console.log("2.1.325 (Claude Code)"); process.exit(0) }
const say = (line) => console.log(JSON.stringify({ session_id: "s", ...line }))
say({ type: "system", subtype: "init", model: "haiku" })
const words = "NOTHING TO DO: it is there already"
say({ type: "assistant", message: { id: "m", content: [{ type: "text", text: words }], usage: {} } })
const modelUsage = { haiku: { inputTokens: 900, outputTokens: 100 } }
say({ type: "result", subtype: "success", is_error: false, result: words, total_cost_usd: ${dollars}, modelUsage })
`,
  )
  return bench.ok("config", "set", "agents.claude.command", JSON.stringify([process.execPath, file]))
}

function planOf(bench: Bench, count: number, more: Record<string, unknown> = {}): string {
  const tasks = Array.from({ length: count }, (_, index) => ({ id: String(index + 1), run: [], agent: "claude" }))
  return writePlan(join(bench.cwd, "../plan.json"), tasks as PlannedTask[], more)
}

async function runsOf(bench: Bench): Promise<number> {
  const report = await bench.ok<{ cost: { total: { runs: number } } }>("report", "--json")
  return report.cost.total.runs
}

it("F042: asks one question when a budget is used up, in cents, and goes on when a person says so", async () => {
  using bench = makeBench()
  makeRepository(bench.cwd)
  await agentCosting(bench, 0.12003)
  const plan = planOf(bench, 5)
  const first = await bench.run([...RUN, "--budget", "0.20usd", plan], { env: ENV })
  expect(first.exitCode).toBe(1)
  expect(first.stdout).toContain("; budget $0.20\n")
  expect(first.stdout).toMatch(/is paused .*\$0\.24 of \$0\.20 are used up/)
  expect(await runsOf(bench)).toBe(2)
  const asked = await bench.ok<Data[]>("escalations", "--json")
  expect(asked).toMatchObject([{ trigger: "budget", task_id: null, options: ["go-on", "pause"] }])
  expect(asked[0]?.summary).toContain("teamwork run --resume --budget AMOUNT")
  const report = await bench.text("report")
  expect(report).toMatch(/^Cost +\$0\.24, 2\.0k tokens in 2 runs$/m)
  expect(report).toMatch(/^Budget +\$0\.20$/m)

  // To go on is to allow the same amount once more.
  await bench.ok("decide", "1", "go-on")
  await bench.run([...RUN, "--resume"], { env: ENV })
  expect(await runsOf(bench)).toBe(4)
  expect(await bench.ok<Data[]>("escalations", "--json")).toHaveLength(1)

  // Another budget is for the whole run, and answers the question.
  const last = await bench.run([...RUN, "--resume", "--budget", "5usd"], { env: ENV })
  expect({ exitCode: last.exitCode, stderr: last.stderr }).toMatchObject({ exitCode: 0 })
  expect(await runsOf(bench)).toBe(5)
  expect(await bench.ok<Data[]>("escalations", "--json")).toEqual([])
})

it("takes the budget from a plan, in tokens, and lets the command line go before it", async () => {
  using bench = makeBench()
  makeRepository(bench.cwd)
  await agentCosting(bench, 0.01)
  const plan = planOf(bench, 3, { budget: "1k" })
  const first = await bench.run([...RUN, plan], { env: ENV })
  expect(first.stdout).toMatch(/is paused .*1000 of 1000 tokens are used up/)
  expect(await runsOf(bench)).toBe(1)
  const { exitCode } = await bench.run([...RUN, "--resume", "--budget", "none"], { env: ENV })
  expect(exitCode).toBe(0)
  expect(await runsOf(bench)).toBe(3)
})

it("refuses a budget that nobody can keep to, before anything is changed", async () => {
  using bench = makeBench()
  makeRepository(bench.cwd)
  const { stderr, exitCode } = await bench.run([...RUN, "--budget", "5", planOf(bench, 1)], { env: ENV })
  expect({ stderr, exitCode }).toMatchObject({ exitCode: 2 })
  expect(stderr).toContain("has no unit; write 5usd for dollars")
  const wrong = await bench.run([...RUN, planOf(bench, 1, { budget: "5 euros" })], { env: ENV })
  expect(wrong.exitCode).not.toBe(0)
  expect(wrong.stderr).toContain("budget: must be 5usd, 200k (tokens)")
})
