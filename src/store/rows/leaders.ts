import type { LeaderStore, Leadership } from "../port.ts"
import type { Session } from "./sql-session.ts"

interface LeaderRow {
  holder: string
  token: number
  lease_until: number
}

export function leaderStore(session: Session): LeaderStore {
  return {
    async find(key) {
      const row = await session.get<LeaderRow>("select holder, token, lease_until from leader where team_id = ?", [key])
      return row && toLeadership(row)
    },
    async take(key, { holder, leaseMs }) {
      const now = await session.now()
      const row = await session.get<LeaderRow>(
        `insert into leader (team_id, holder, token, lease_until) values (?, ?, 1, ?)
         on conflict (team_id) do update set holder = excluded.holder, token = leader.token + 1,
           lease_until = excluded.lease_until
         returning holder, token, lease_until`,
        [key, holder, now + leaseMs],
      )
      if (row === undefined) throw new Error("nobody leads inside a transaction that made somebody lead")
      return toLeadership(row)
    },
    async renew(key, { token, leaseMs }) {
      const row = await session.get(
        "update leader set lease_until = ? where team_id = ? and token = ? returning token",
        [(await session.now()) + leaseMs, key, token],
      )
      return row !== undefined
    },
    async end(key, token) {
      // The row stays: a token is never given twice.
      const row = await session.get(
        "update leader set lease_until = 0 where team_id = ? and token = ? and lease_until > 0 returning token",
        [key, token],
      )
      return row !== undefined
    },
  }
}

function toLeadership(row: LeaderRow): Leadership {
  return { holder: row.holder, token: row.token, leaseUntil: row.lease_until }
}
