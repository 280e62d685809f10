// One of several processes that want the same SQLite store: `bun bench/contender.ts PATH OWNER`. Says "ready" once it is
// open; claims and resolves for as many milliseconds as the line it then reads says; prints what it saw as JSON.
import { systemClock } from "../src/lib/clock.ts"
import { openSqliteStore } from "../src/store/sqlite/store.ts"
import { claimTask } from "../src/tasks/operations/claim-task.ts"
import { updateTask } from "../src/tasks/operations/update-task.ts"
import { contextOf, TEAM } from "./lib/seed.ts"
import { watchTimers } from "./lib/timer-lag.ts"

export interface ContenderReport {
  /** Tasks claimed and resolved. */
  readonly finished: number
  /** Duration of each claim and each resolve. */
  readonly operationsMs: readonly number[]
  /** How late the latest timer was: nothing else of the process could run for so long. */
  readonly largestLagMs: number
}

if (import.meta.main) {
  const [path = "", owner = ""] = Bun.argv.slice(2)
  await using store = await openSqliteStore({ path, clock: systemClock })
  console.log("ready")
  for await (const line of console) {
    console.log(JSON.stringify(await contend(Number(line))))
    break
  }

  async function contend(durationMs: number): Promise<ContenderReport> {
    const context = contextOf(store)
    const operationsMs: number[] = []
    const timed = async <T>(work: Promise<T>) => {
      const start = performance.now()
      const result = await work
      operationsMs.push(performance.now() - start)
      return result
    }
    using timers = watchTimers()
    const end = performance.now() + durationMs
    let finished = 0
    while (performance.now() < end) {
      const { task } = await timed(claimTask.run(context, { ...TEAM, next: true, owner }))
      const done = { status: "resolved", addEvidence: ["12 tests pass"] } as const
      await timed(updateTask.run(context, { ...TEAM, id: task.id, owner, ...done }))
      finished++
    }
    return { finished, operationsMs, largestLagMs: timers.largestLagMs() }
  }
}
