import { systemClock } from "../../src/lib/clock.ts"
import { openSqliteStore } from "../../src/store/sqlite/store.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import type { BenchCase, Finding } from "../lib/bench-case.ts"
import { type McpServer, startMcp } from "../lib/mcp-server.ts"
import { median, show, takeTurns } from "../lib/measure.ts"
import { contextOf, type SeededHome, seedHome, TEAM } from "../lib/seed.ts"

const ROUNDS = 300
const CALLS = 1000
const STARTS = 10

export const mcp: BenchCase = {
  name: "mcp",
  summary: "a claim over MCP against the operation itself, memory over many calls, and the start of the server",
  async run({ sandbox, binary, say }) {
    const home = await seedHome(sandbox, { total: 10_000, done: 0 })
    const command = [await binary(), "mcp", "--as", "w1"]
    say(`${ROUNDS} claims of each, ${2 * CALLS} calls, ${STARTS} starts`)
    return [await measureClaim(command, home), await measureMemory(command, home), await measureStart(command, home)]
  },
}

/** Both take the next task of the same store, in turns. */
async function measureClaim(command: readonly string[], home: SeededHome): Promise<Finding> {
  await using server = await startMcp(command, home)
  await using store = await openSqliteStore({ path: home.storePath, clock: systemClock })
  const context = contextOf(store)
  const timed = async (work: () => Promise<unknown>) => {
    const start = performance.now()
    await work()
    return performance.now() - start
  }
  const overMcp = () => timed(() => server.call("task_claim", { next: true }))
  const operation = () => timed(() => claimTask.run(context, { ...TEAM, next: true, owner: "w2" }))
  await takeTurns({ overMcp, operation }, ROUNDS / 10)
  const times = await takeTurns({ overMcp, operation }, ROUNDS)
  const [ours, alone] = [median(times.overMcp), median(times.operation)]
  return {
    what: "a claim over stdio less 1 ms, against the op.",
    ...{ value: Math.max(0, ours - 1) / alone, unit: "x", limit: { atMost: 3 } },
    figures: `${show(ours)} ms against ${show(alone)} ms`,
  }
}

/** The first calls load and compile what the later ones use. */
async function measureMemory(command: readonly string[], home: SeededHome): Promise<Finding> {
  await using server = await startMcp(command, home)
  const before = await callMany(server)
  const after = await callMany(server)
  return {
    what: `memory after ${CALLS} more calls`,
    ...{ value: after / before, unit: "x", limit: { atMost: 1.1 } },
    figures: `${show(after / 1e6)} MB against ${show(before / 1e6)} MB`,
  }
}

/** The least memory that the server holds in between: what it needs, without what it has not collected yet. */
async function callMany(server: McpServer): Promise<number> {
  const { id } = await server.call<{ id: string }>("task_claim", { next: true })
  const resident: number[] = []
  for (let count = 0; count < CALLS; count += 4) {
    await server.call("task_heartbeat", { id })
    await server.call("task_get", { id })
    await server.call("message_send", { to: "orchestrator", message: "STATUS: it goes on" })
    await server.call("team_status", {})
    if (count % 100 === 0) resident.push(server.residentBytes())
  }
  // The first of them are from before everything was loaded.
  return Math.min(...resident.slice(resident.length / 2))
}

async function measureStart(command: readonly string[], home: SeededHome): Promise<Finding> {
  const times: number[] = []
  let bytes = 0
  for (let count = 0; count < STARTS; count++) {
    const start = performance.now()
    await using server = await startMcp(command, home)
    times.push(performance.now() - start)
    bytes = server.residentBytes()
  }
  return { what: "start to first answer", value: median(times), unit: "ms", figures: `then ${show(bytes / 1e6)} MB` }
}
