// `npm run bench [-- NAME...] [--strict]`: measures, prints one table, and with --strict fails when a limit is missed.
import { availableParallelism, loadavg } from "node:os"
import { agents } from "./cases/agents.ts"
import { checkouts } from "./cases/checkouts.ts"
import { claimResolve } from "./cases/claim-resolve.ts"
import { collisions } from "./cases/collisions.ts"
import { contention } from "./cases/contention.ts"
import { engine } from "./cases/engine.ts"
import { events } from "./cases/events.ts"
import { gates } from "./cases/gates.ts"
import { hook } from "./cases/hook.ts"
import { idle } from "./cases/idle.ts"
import { importTasks } from "./cases/import.ts"
import { makespan } from "./cases/makespan.ts"
import { mcp } from "./cases/mcp.ts"
import { memory } from "./cases/memory.ts"
import { merging } from "./cases/merging.ts"
import { mirror } from "./cases/mirror.ts"
import { overhead } from "./cases/overhead.ts"
import { postgresClaims } from "./cases/postgres.ts"
import { preflight } from "./cases/preflight.ts"
import { routing } from "./cases/routing.ts"
import { startup } from "./cases/startup.ts"
import { status } from "./cases/status.ts"
import { taskFiles } from "./cases/task-files.ts"
import { waiting } from "./cases/waiting.ts"
import { workspace } from "./cases/workspace.ts"
import { type Bench, type BenchCase, type Finding, isMissed } from "./lib/bench-case.ts"
import { buildBinary } from "./lib/program.ts"
import { openSandbox } from "./lib/sandbox.ts"
import { renderFindings } from "./lib/table.ts"

const CASES: readonly BenchCase[] = [
  startup,
  hook,
  claimResolve,
  contention,
  taskFiles,
  postgresClaims,
  status,
  events,
  memory,
  mcp,
  importTasks,
  waiting,
  mirror,
  routing,
  agents,
  workspace,
  checkouts,
  gates,
  preflight,
  merging,
  collisions,
  engine,
  overhead,
  idle,
  makespan,
]

if (import.meta.main) process.exit(await main(Bun.argv.slice(2)))

async function main(args: readonly string[]): Promise<number> {
  const names = args.filter((arg) => arg !== "--strict")
  const unknown = names.filter((name) => !CASES.some((each) => each.name === name))
  if (unknown.length > 0) {
    console.error(`unknown: ${unknown.join(", ")}\n${CASES.map((each) => `${each.name}: ${each.summary}`).join("\n")}`)
    return 2
  }
  const machine = `${availableParallelism()} cores, Bun ${Bun.version}, load before: ${loadavg()[0]?.toFixed(1)}`
  const { findings, failed } = await measure(CASES.filter((each) => names.length === 0 || names.includes(each.name)))
  console.log(`${renderFindings(findings)}\n${machine}`)
  if (failed.length > 0) console.log(`failed: ${failed.join(", ")}`)
  return failed.length > 0 || (args.includes("--strict") && findings.some(isMissed)) ? 1 : 0
}

/** One failing case does not keep the others from being measured. */
async function measure(cases: readonly BenchCase[]): Promise<{ findings: Finding[]; failed: string[] }> {
  using sandbox = openSandbox()
  let built: Promise<string> | undefined
  const binary = () => (built ??= buildBinary(sandbox))
  const findings: Finding[] = []
  const failed: string[] = []
  for (const { name, run } of cases) {
    const bench: Bench = { sandbox, binary, say: (line) => console.error(`${name}: ${line}`) }
    const start = performance.now()
    try {
      for (const finding of await run(bench)) findings.push({ ...finding, what: `${name}: ${finding.what}` })
      bench.say(`done in ${Math.round((performance.now() - start) / 1000)} s`)
    } catch (error) {
      failed.push(name)
      console.error(error)
    }
  }
  return { findings, failed }
}
