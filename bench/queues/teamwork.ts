import { openPostgresStore } from "../../src/store/postgres/store.ts"
import { claimAndResolve } from "../lib/claims.ts"
import { contextOf, TEAM } from "../lib/seed.ts"
import { type Queue, WORKERS, workInLoops } from "./queue.ts"
import { makeTaskTable } from "./task-table.ts"

/** Our own: claim and resolve as operations, with events, and with evidence where asked for. */
export async function openTeamwork(url: string, schema: string, evidence: readonly string[] = []): Promise<Queue> {
  const { fill } = await makeTaskTable(url, schema, TEAM)
  const store = await openPostgresStore({ url: `${url}?schema=${schema}`, maxConnections: WORKERS })
  const context = contextOf(store)
  return {
    fill,
    work: (durationMs) =>
      workInLoops(durationMs, async (worker) => {
        await claimAndResolve(context, worker, evidence)
        return 1
      }),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}
