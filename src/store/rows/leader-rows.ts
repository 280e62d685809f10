import type { LeaderStore, Leadership } from "../port.ts"
import { insertRow, replaced, returned, type Session } from "./sql-session.ts"
import { table } from "./sql-table.ts"

const LEADER = table<Leadership>("leader", { holder: "holder", token: "token", leaseUntil: "lease_until" })

export function leaderStore(session: Session): LeaderStore {
  return {
    find: (key) => LEADER.find(session, "where team_id = ?", [key]),
    async take(key, { holder, leaseMs }) {
      const row = { team_id: key, holder, token: 1, lease_until: (await session.now()) + leaseMs }
      const update = `${replaced("holder", "lease_until")}, token = leader.token + 1`
      const rest = `on conflict (team_id) do update set ${update} returning ${LEADER.columns}`
      return LEADER.read(returned(await insertRow<object>(session, "leader", row, rest)))
    },
    async renew(key, { token, leaseMs }) {
      const row = await session.get(
        "update leader set lease_until = ? where team_id = ? and token = ? returning token",
        [(await session.now()) + leaseMs, key, token],
      )
      return row !== undefined
    },
    async end(key, token) {
      // The row stays, so that a token is never given twice.
      const row = await session.get(
        "update leader set lease_until = 0 where team_id = ? and token = ? and lease_until > 0 returning token",
        [key, token],
      )
      return row !== undefined
    },
  }
}
