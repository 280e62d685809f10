import postgres from "postgres"
import { type Queue, WORKERS, workInLoops } from "./queue.ts"
import { makeTaskTable } from "./task-table.ts"

// Our own planner settings: with the default ones the table's trigger reads the whole table (2.5 ms at 10,000 tasks).
const PLANNER = { plan_cache_mode: "force_generic_plan", enable_seqscan: "off", enable_bitmapscan: "off", jit: "off" }

/** The least a claim and a resolve can be: one update each, on the same table, through the bare driver. */
export async function openBare(url: string, schema: string): Promise<Queue> {
  const { key, fill } = await makeTaskTable(url, schema, { project: "shop", team: "bare" })
  const sql = postgres(url, { max: WORKERS, connection: { search_path: schema, ...PLANNER } })
  return {
    fill,
    work: (durationMs) =>
      workInLoops(durationMs, async (worker) => {
        const [task] = await sql`
          update task set status = 'in_progress', claimed_by = ${worker}, claimed_at = 1, claim_token = claim_token + 1,
            version = version + 1
          where seq = (select seq from task where team_id = ${key} and assignee = '' and status = 'open' and unmet = 0
            order by claim_wave, priority desc, height desc, seq for update skip locked limit 1)
          returning *`
        if (task === undefined) throw new Error("no task was left")
        await sql`update task set status = 'resolved', completed_at = 1, version = version + 1 where seq = ${task.seq}`
        return 1
      }),
    [Symbol.asyncDispose]: () => sql.end(),
  }
}
