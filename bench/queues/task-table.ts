import postgres from "postgres"
import type { TeamName } from "../../src/kernel/team.ts"
import { openPostgresStore } from "../../src/store/postgres/store.ts"
import { seedTeam } from "../lib/seed.ts"

export interface TaskTable {
  readonly key: number
  fill(count: number): Promise<void>
}

/** A new team, whose open tasks the server writes by itself: one by one would take half a minute. */
export async function makeTaskTable(url: string, schema: string, name: TeamName): Promise<TaskTable> {
  await using store = await openPostgresStore({ url: `${url}?schema=${schema}`, maxConnections: 1 })
  const { key } = await seedTeam(store, { total: 0, done: 0 }, name)
  let last = 0
  return {
    key,
    async fill(count) {
      const sql = postgres(url, { max: 1, connection: { search_path: schema } })
      await sql`
        insert into task (team_id, id, title, description, role, complexity, acceptance, checks, files, assignee,
          status, unmet, created_at, updated_at)
        select ${key}, number::text, 'Step ' || number, repeat('Read the code around it. ', 8), 'worker', 'standard',
          '[]', '[]', '[]', '', 'open', 0, 1, 1
        from generate_series(${last + 1}::int, ${last + count}::int) as number`
      last += count
      await sql.end()
    },
  }
}
