import postgres from "postgres"
import { startPostgres } from "../../test/support/postgres.ts"
import type { BenchCase, Finding } from "../lib/bench-case.ts"
import { EVIDENCE } from "../lib/claims.ts"
import { median, show, takeTurns } from "../lib/measure.ts"
import { openBare } from "../queues/bare.ts"
import { openGraphileWorker } from "../queues/graphile-worker.ts"
import { openPgBoss } from "../queues/pg-boss.ts"
import type { Queue } from "../queues/queue.ts"
import { openTeamwork } from "../queues/teamwork.ts"

const ROUNDS = 7
const SLICE_MS = 1000
/** How many jobs wait at the start of each slice; some queues get slower the more there are. */
const BACKLOG = 10_000
const BACKLOG_FOR_BATCHES = 30_000
const SCHEMA = "bench"

export const postgresClaims: BenchCase = {
  name: "postgres",
  summary: "claim and resolve on PostgreSQL, against the bare statements and two job queues",
  async run({ say }) {
    await using server = await startPostgres({ fsync: true })
    const { url } = server
    await using ours = await openTeamwork(url, SCHEMA)
    await using proven = await openTeamwork(url, "bench_proven", EVIDENCE)
    await using bare = await openBare(url, SCHEMA)
    await using graphile = await openGraphileWorker(url, { schema: "graphile", batched: false })
    await using graphileBatched = await openGraphileWorker(url, { schema: "graphile_batched", batched: true })
    await using boss = await openPgBoss(url, { schema: "boss", batchSize: 1 })
    await using bossBatched = await openPgBoss(url, { schema: "boss_batched", batchSize: 100 })
    const sides = {
      ours: await prepare(ours, BACKLOG),
      proven: await prepare(proven, BACKLOG),
      bare: await prepare(bare, BACKLOG),
      graphile: await prepare(graphile, BACKLOG),
      boss: await prepare(boss, BACKLOG),
      graphileBatched: await prepare(graphileBatched, BACKLOG_FOR_BATCHES),
      bossBatched: await prepare(bossBatched, BACKLOG_FOR_BATCHES),
    }
    await settle(url)
    say(`${ROUNDS} rounds`)
    return report(await takeTurns(sides, ROUNDS))
  },
}

/** Fills the queue; the side it returns fills up what it took the last time and tells how many jobs per second it did. */
async function prepare(queue: Queue, backlog: number): Promise<() => Promise<number>> {
  await queue.fill(backlog)
  let missing = 0
  return async () => {
    if (missing > 0) await queue.fill(missing)
    const { jobs, ms } = await queue.work(SLICE_MS)
    missing = jobs
    return (jobs * 1000) / ms
  }
}

/** As on a database that has been there for a while: statistics up to date, no checkpoint due. */
async function settle(url: string): Promise<void> {
  const sql = postgres(url, { max: 1 })
  await sql`vacuum analyze`
  await sql`checkpoint`
  await sql.end()
}

function report(
  rates: Record<"ours" | "proven" | "bare" | "graphile" | "boss" | "graphileBatched" | "bossBatched", number[]>,
): Finding[] {
  const ours = median(rates.ours)
  const against = (name: keyof typeof rates) => {
    const theirs = median(rates[name])
    return { value: ours / theirs, unit: "x" as const, figures: `${show(ours)} tasks/s against ${show(theirs)}` }
  }
  return [
    { what: "against the bare statements", ...against("bare"), limit: { atLeast: 0.7 } },
    {
      what: "the same, with a line of evidence",
      value: median(rates.proven) / median(rates.bare),
      unit: "x",
      figures: `${show(median(rates.proven))} tasks/s`,
    },
    { what: "against graphile-worker", ...against("graphile") },
    { what: "against pg-boss", ...against("boss"), limit: { atLeast: 2 } },
    { what: "against graphile-worker in batches", ...against("graphileBatched") },
    { what: "against pg-boss in batches", ...against("bossBatched") },
  ]
}
