import { Logger, makeWorkerUtils, run, type TaskList } from "graphile-worker"
import { type Queue, WORKERS } from "./queue.ts"

const SETTLE_MS = 200
const BATCH = 100
const IN_BATCHES = { localQueue: { size: BATCH }, completeJobBatchDelay: 0, failJobBatchDelay: 0 }

/** Its workers take and finish one job at a time; with `batched` it fetches and finishes many at once. */
export async function openGraphileWorker(
  url: string,
  { schema, batched }: { schema: string; batched: boolean },
): Promise<Queue> {
  const shared = { connectionString: url, schema, logger: new Logger(() => () => {}) }
  const utils = await makeWorkerUtils(shared)
  await utils.migrate()
  let done = 0
  const taskList: TaskList = {
    step: async () => {
      done++
    },
  }
  const worker = { ...shared, concurrentJobs: WORKERS, maxPoolSize: WORKERS, ...(batched ? IN_BATCHES : {}) }
  return {
    fill: async (jobs) =>
      void (await utils.addJobs(
        Array.from({ length: jobs }, (_, index) => ({ identifier: "step", payload: { index } })),
      )),
    async work(durationMs) {
      const runner = await run({ preset: { worker }, taskList, noHandleSignals: true })
      await Bun.sleep(SETTLE_MS)
      const [before, start] = [done, performance.now()]
      await Bun.sleep(durationMs)
      const work = { jobs: done - before, ms: performance.now() - start }
      await runner.stop()
      return work
    },
    [Symbol.asyncDispose]: async () => utils.release(),
  }
}
