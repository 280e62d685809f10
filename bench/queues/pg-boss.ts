import PgBoss from "pg-boss"
import { type Queue, WORKERS, workInLoops } from "./queue.ts"

const NAME = "steps"

/** Fetches and completes `batchSize` jobs at a time. */
export async function openPgBoss(
  url: string,
  { schema, batchSize }: { schema: string; batchSize: number },
): Promise<Queue> {
  const boss = new PgBoss({ connectionString: url, schema, max: WORKERS, supervise: false, schedule: false })
  await boss.start()
  await boss.createQueue(NAME)
  return {
    fill: (jobs) => boss.insert(Array.from({ length: jobs }, (_, index) => ({ name: NAME, data: { index } }))),
    work: (durationMs) =>
      workInLoops(durationMs, async () => {
        const taken = await boss.fetch(NAME, { batchSize })
        if (taken.length === 0) throw new Error("no job was left")
        const ids = taken.map((job) => job.id)
        await (ids.length === 1 ? boss.complete(NAME, ids[0] ?? "") : boss.complete(NAME, ids))
        return ids.length
      }),
    [Symbol.asyncDispose]: () => boss.stop({ graceful: false, wait: true }),
  }
}
