import { join } from "node:path"
import type { PastEvent } from "../../src/files/snapshot.ts"
import { ofType } from "../../src/kernel/events.ts"
import { parseTaskId, parseWorkerId } from "../../src/kernel/ids.ts"
import { UNGUARDED } from "../../src/kernel/team.ts"
import { systemClock } from "../../src/lib/clock.ts"
import type { Store } from "../../src/store/port.ts"
import { openSqliteStore } from "../../src/store/sqlite/store.ts"
import type { BenchCase } from "../lib/bench-case.ts"
import { median, show, takeTurns } from "../lib/measure.ts"

const FEW = 1000
const MANY = 100_000
const OF_EACH_TASK = 100
const QUESTIONS = 200
const ROUNDS = 15

export const events: BenchCase = {
  name: "events",
  summary: "one task's setbacks among 100,000 events against among 1,000",
  async run({ sandbox, say }) {
    await using store = await openSqliteStore({ path: join(sandbox.folder("events"), "store.db"), clock: systemClock })
    say(`writing ${FEW + MANY} events`)
    const [few, many] = [await writeTeam(store, "few", FEW), await writeTeam(store, "many", MANY)]
    const times = await takeTurns({ few: () => timeOf(store, few), many: () => timeOf(store, many) }, ROUNDS)
    const [short, long] = [median(times.few), median(times.many)]
    const figures = `${show(long)} ms against ${show(short)} ms for ${QUESTIONS} questions`
    return [
      {
        what: "one task's setbacks, of 100 times as many",
        value: long / short,
        unit: "x",
        limit: { atMost: 2 },
        figures,
      },
    ]
  },
}

async function writeTeam(store: Store, team: string, count: number): Promise<number> {
  const name = { project: "bench", team }
  const made = { ...name, ...UNGUARDED, goal: "", phase: "EXECUTION", status: "active", mode: "FULL_AUTO" } as const
  return store.write(async (tx) => {
    const created = await tx.teams.create({ ...made, schedule: "eager" })
    if (created === undefined) throw new Error(`there is a team ${team} already`)
    await tx.events.restore(
      created.key,
      Array.from({ length: count }, (_, index) => eventAt(index)),
    )
    return created.key
  })
}

/** Two of the events of each task are setbacks. */
function eventAt(index: number): PastEvent {
  const worker = parseWorkerId("w1")
  const data = { task: parseTaskId(`t${Math.floor(index / OF_EACH_TASK)}`), attempt: 1, worker }
  const place = { version: 1, timestamp: new Date(index * 1000).toISOString(), by: worker }
  return index % (OF_EACH_TASK / 2) === 0
    ? { ...place, type: "task.setback", data: { ...data, agent: null, kind: "gate", reason: "", advice: null } }
    : { ...place, type: "task.step", data: { ...data, step: "agent" } }
}

async function timeOf(store: Store, key: number): Promise<number> {
  const start = performance.now()
  for (let question = 0; question < QUESTIONS; question++) {
    const task = parseTaskId(`t${question % (FEW / OF_EACH_TASK)}`)
    const page = await store.read((tx) => tx.events.list(key, { type: "task.setback", task, limit: 1000 }))
    if (ofType(page.events, "task.setback").length !== 2) throw new Error(`${page.events.length} setbacks of ${task}`)
  }
  return performance.now() - start
}
