import { Database } from "bun:sqlite"
import { join } from "node:path"
import { systemClock } from "../../src/lib/clock.ts"
import { openSqliteStore } from "../../src/store/sqlite/store.ts"
import type { BenchCase } from "../lib/bench-case.ts"
import { claimAndResolve, EVIDENCE } from "../lib/claims.ts"
import { median, rateOf, show, takeTurns } from "../lib/measure.ts"
import { contextOf, seedTeam } from "../lib/seed.ts"

const ROUNDS = 10
const SLICE_MS = 500
const TASKS = 60_000

export const claimResolve: BenchCase = {
  name: "claim-resolve",
  summary: "claim and resolve on SQLite, against two bare durable commits",
  async run({ sandbox }) {
    const folder = sandbox.folder("claim-resolve")
    await using store = await openSqliteStore({ path: join(folder, "teamwork.db"), clock: systemClock })
    await seedTeam(store, { total: TASKS, done: 0 })
    const context = contextOf(store)
    using bare = openBare(join(folder, "bare.db"))
    const rates = await takeTurns(
      {
        ours: () => rateOf(SLICE_MS, () => claimAndResolve(context, "w1")),
        proven: () => rateOf(SLICE_MS, () => claimAndResolve(context, "w1", EVIDENCE)),
        bare: () => rateOf(SLICE_MS, bare.commitTwice),
      },
      ROUNDS,
    )
    const [ours, proven, raw] = [median(rates.ours), median(rates.proven), median(rates.bare)]
    const figures = (rate: number) => `${show(rate)} pairs/s against ${show(raw)}`
    return [
      { what: "against two commits", value: ours / raw, unit: "x", limit: { atLeast: 0.6 }, figures: figures(ours) },
      { what: "the same, with a line of evidence", value: proven / raw, unit: "x", figures: figures(proven) },
    ]
  },
}

/** The least that two acknowledged changes can cost: one small update each, on the disk when it returns. */
function openBare(path: string): Disposable & { commitTwice(): Promise<void> } {
  const db = new Database(path, { create: true })
  db.run("pragma journal_mode = wal")
  db.run("pragma synchronous = full")
  db.run("create table counter (id integer primary key, value integer not null)")
  db.run("insert into counter values (1, 0)")
  const update = db.prepare("update counter set value = value + 1 where id = 1")
  return {
    async commitTwice() {
      update.run()
      update.run()
    },
    [Symbol.dispose]() {
      update.finalize()
      db.close()
    },
  }
}
