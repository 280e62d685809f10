import { systemClock } from "../../src/lib/clock.ts"
import { sendMessage } from "../../src/messages/operations/send-message.ts"
import type { Store } from "../../src/store/port.ts"
import { openPostgresStore } from "../../src/store/postgres/store.ts"
import { openSqliteStore } from "../../src/store/sqlite/store.ts"
import { startPostgres } from "../../test/support/postgres.ts"
import type { Bench, BenchCase, Finding } from "../lib/bench-case.ts"
import { readLines } from "../lib/lines.ts"
import { median, percentile, show } from "../lib/measure.ts"
import type { Place } from "../lib/program.ts"
import { contextOf, halfDone, seedHome, seedTeam, TEAM } from "../lib/seed.ts"

const WAIT_S = 20
const WAITERS = 3
const WAKES = 120
const MAX_PAUSE_MS = 120

export const waiting: BenchCase = {
  name: "waiting",
  summary: "what a process that only waits costs, and how soon it wakes",
  async run(bench) {
    const home = await seedHome(bench.sandbox, halfDone(10))
    await using server = await startPostgres({ fsync: true })
    await using sqlite = await openSqliteStore({ path: home.storePath, clock: systemClock })
    await using shared = await openPostgresStore({ url: server.url })
    await seedTeam(shared, halfDone(10))
    const places = { SQLite: home, PostgreSQL: { ...home, env: { ...home.env, TEAMWORK_STORE: server.url } } }
    bench.say(`waiting for ${WAIT_S} s`)
    const idle = await Promise.all(Object.entries(places).map(([name, place]) => measureIdle(bench, name, place)))
    bench.say(`waking ${WAKES} times each`)
    return [
      ...idle,
      await measureWakes(bench, "SQLite", places.SQLite, sqlite),
      await measureWakes(bench, "PostgreSQL", places.PostgreSQL, shared),
    ]
  },
}

/** Waiting for 20 s costs this much more than not waiting at all: start and end are no part of it. */
async function measureIdle({ binary }: Bench, name: string, place: Place): Promise<Finding> {
  const program = await binary()
  const poll = async (seconds: number) => {
    const args = ["mailbox", "poll", "nobody", "--timeout", String(seconds)]
    const child = Bun.spawn([program, ...args], { ...place, stdio: ["ignore", "ignore", "inherit"] })
    if ((await child.exited) !== 0) throw new Error(`mailbox poll ended with ${child.exitCode}`)
    return Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000
  }
  const waited = await Promise.all(Array.from({ length: WAITERS }, () => poll(WAIT_S)))
  const notWaited: number[] = []
  for (let run = 0; run < WAITERS; run++) notWaited.push(await poll(0))
  const ms = Math.max(0, median(waited) - median(notWaited))
  const figures = `${show(ms)} ms of CPU in ${WAIT_S} s`
  return { what: `idle on ${name}`, value: ms / (WAIT_S * 10), unit: "%", limit: { atMost: 0.2 }, figures }
}

/** From the end of our commit until a process that follows the events has told of it. */
async function measureWakes({ binary }: Bench, name: string, place: Place, store: Store): Promise<Finding> {
  const args = ["events", "tail", "--follow", "--limit", "1", "--format", "json"]
  const child = Bun.spawn([await binary(), ...args], { ...place, stdio: ["ignore", "pipe", "inherit"] })
  const latencies = await wake(readLines(child.stdout), store).finally(() => child.kill())
  await child.exited
  const figures = `median ${show(median(latencies))} ms, largest ${show(Math.max(...latencies))} ms`
  const value = percentile(latencies, 99)
  return { what: `wake on ${name}, p99`, value, unit: "ms", limit: { atMost: 100 }, figures }
}

async function wake(lines: AsyncGenerator<string>, store: Store): Promise<number[]> {
  const context = contextOf(store)
  const message = { ...TEAM, from: "w1", to: "w2", type: "text", message: "Need the schema of items" } as const
  await lines.next() // the newest event of before: now it follows
  await sendMessage.run(context, message)
  await lines.next()
  const latencies: number[] = []
  while (latencies.length < WAKES) {
    await Bun.sleep(Math.random() * MAX_PAUSE_MS)
    await sendMessage.run(context, message)
    const start = performance.now()
    await lines.next()
    latencies.push(performance.now() - start)
  }
  return latencies
}
