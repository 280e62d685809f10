import type { RateLimit } from "../../agents/rate-limit.ts"
import type { RateLimitStore } from "../port.ts"
import type { Session } from "./sql-session.ts"

interface RateLimitRow {
  agent: string
  noted_at: number
  until: number
  times: number
}

const COLUMNS = "agent, noted_at, until, times"

export function rateLimitStore(session: Session): RateLimitStore {
  return {
    async list() {
      const rows = await session.all<RateLimitRow>(`select ${COLUMNS} from rate_limit order by agent`)
      return rows.map(toLimit)
    },
    async lock(agent) {
      const row = await session.get<RateLimitRow>(
        `select ${COLUMNS} from rate_limit where agent = ?${session.forUpdate}`,
        [agent],
      )
      return row && toLimit(row)
    },
    async put({ agent, notedAt, until, times }) {
      await session.run(
        `insert into rate_limit (${COLUMNS}) values (?, ?, ?, ?)
         on conflict (agent) do update set times = excluded.times,
           noted_at = case when rate_limit.noted_at > excluded.noted_at then rate_limit.noted_at else excluded.noted_at end,
           until = case when rate_limit.until > excluded.until then rate_limit.until else excluded.until end`,
        [agent, notedAt, until, times],
      )
    },
    async remove(agent, notedBefore) {
      const row = await session.get("delete from rate_limit where agent = ? and noted_at < ? returning agent", [
        agent,
        notedBefore,
      ])
      return row !== undefined
    },
  }
}

function toLimit(row: RateLimitRow): RateLimit {
  return { agent: row.agent, notedAt: row.noted_at, until: row.until, times: row.times }
}
