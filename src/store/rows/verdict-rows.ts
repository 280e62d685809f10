import type { Verdict } from "../../quality/verdict.ts"
import type { VerdictStore } from "../port.ts"
import { insertRow, returned, type Session } from "./sql-session.ts"
import { json, optional, table, time } from "./sql-table.ts"

export const VERDICT = table<Verdict>("verdict", {
  scope: "scope",
  subject: "subject",
  status: "status",
  checks: json("checks"),
  issues: json("issues"),
  by: "author",
  timestamp: time("recorded_at"),
  commit: optional("judged_commit"),
  tree: optional("judged_tree"),
})

export function verdictStore(session: Session): VerdictStore {
  return {
    async add(key, verdict) {
      const row = { team_id: key, ...VERDICT.toRow({ ...verdict, timestamp: await session.now() }) }
      return VERDICT.read(returned(await insertRow<object>(session, "verdict", row, `returning ${VERDICT.columns}`)))
    },
    list: (key) => VERDICT.list(session, "where team_id = ? order by seq", [key]),
    listOfTeam: (key) => VERDICT.list(session, "where team_id = ? and scope <> 'task' order by seq", [key]),
  }
}
