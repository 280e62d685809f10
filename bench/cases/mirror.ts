import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type MirrorReport, mirrorTeam } from "../../src/files/mirror/mirror.ts"
import { systemClock } from "../../src/lib/clock.ts"
import { openSqliteStore } from "../../src/store/sqlite/store.ts"
import { claimTask } from "../../src/tasks/operations/claim-task.ts"
import { reopenTask } from "../../src/tasks/operations/reopen-task.ts"
import { updateTask } from "../../src/tasks/operations/update-task.ts"
import type { Bench, BenchCase } from "../lib/bench-case.ts"
import { median, percentile, show, takeTurns } from "../lib/measure.ts"
import { contextOf, halfDone, seedHome, TEAM } from "../lib/seed.ts"

const CHANGES = 200
const [SMALL, LARGE] = [10, 10_000]

export const mirror: BenchCase = {
  name: "mirror",
  summary: "how soon the files of a team show a change, by the size of the team",
  async run(bench) {
    await using small = await startMirror(bench, SMALL)
    await using large = await startMirror(bench, LARGE)
    bench.say(`mirroring ${CHANGES} changes each`)
    const times = await takeTurns({ small: small.change, large: large.change }, CHANGES)
    const [few, many] = [median(times.small), median(times.large)]
    const figures = `${show(many)} ms against ${show(few)}, p99 ${show(percentile(times.large, 99))} ms against ${show(percentile(times.small, 99))}`
    return [
      { what: "10,000 tasks against 10", value: many / few, unit: "x", limit: { atMost: 3 }, figures },
      { what: "first writing of 10,000 tasks", value: large.firstMs, unit: "ms" },
    ]
  },
}

interface RunningMirror extends AsyncDisposable {
  readonly firstMs: number
  /** From the claim of a task until its file says that it is resolved. The task is open again afterwards. */
  change(): Promise<number>
}

/** The mirror has a connection of its own, as if it ran in another process. */
async function startMirror({ sandbox, say }: Bench, total: number): Promise<RunningMirror> {
  say(`making ${total} tasks`)
  const home = await seedHome(sandbox, halfDone(total))
  const folder = join(sandbox.folder(`mirror-${total}`), "out")
  const [store, own] = [await open(home.storePath), await open(home.storePath)]
  const context = contextOf(store)
  const stopping = new AbortController()
  let onUpdate = (_: MirrorReport) => {}
  const shown = (id: string, status: string) =>
    new Promise<void>((resolve) => {
      onUpdate = () => {
        if (JSON.parse(readFileSync(join(folder, `tasks/${id}.json`), "utf8")).status === status) resolve()
      }
    })
  const start = performance.now()
  const first = Promise.withResolvers<void>()
  onUpdate = () => first.resolve()
  const options = { folder, signal: stopping.signal, onUpdate: (report: MirrorReport) => onUpdate(report) }
  const running = mirrorTeam(contextOf(own), TEAM, options)
  await Promise.race([first.promise, running])
  const firstMs = performance.now() - start
  return {
    firstMs,
    async change() {
      const begin = performance.now()
      const { task } = await claimTask.run(context, { ...TEAM, next: true, owner: "w1" })
      const isResolved = shown(task.id, "resolved")
      await updateTask.run(context, { ...TEAM, id: task.id, owner: "w1", status: "resolved" })
      await isResolved
      const ms = performance.now() - begin
      const isOpen = shown(task.id, "open")
      await reopenTask.run(context, { ...TEAM, id: task.id })
      await isOpen
      return ms
    },
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await running
      for (const each of [store, own]) await each[Symbol.asyncDispose]()
    },
  }
}

const open = (path: string) => openSqliteStore({ path, clock: systemClock })
