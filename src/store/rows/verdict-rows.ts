import type { Verdict, VerdictScope, VerdictStatus } from "../../quality/verdict.ts"
import type { VerdictStore } from "../port.ts"
import { iso, type Session } from "./sql-session.ts"

interface VerdictRow {
  scope: VerdictScope
  subject: string | null
  status: VerdictStatus
  checks: string
  issues: string
  author: string
  recorded_at: number
  judged_commit: string | null
  judged_tree: string | null
}

const COLUMNS = "scope, subject, status, checks, issues, author, recorded_at, judged_commit, judged_tree"

export function verdictStore(session: Session): VerdictStore {
  const select = async (key: number, which: string) => {
    const rows = await session.all<VerdictRow>(
      `select ${COLUMNS} from verdict where team_id = ? ${which} order by seq`,
      [key],
    )
    return rows.map(toVerdict)
  }
  return {
    async add(key, verdict) {
      const row = await session.get<VerdictRow>(
        `insert into verdict (team_id, scope, subject, status, checks, issues, author, recorded_at, judged_commit, judged_tree)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) returning ${COLUMNS}`,
        [
          key,
          verdict.scope,
          verdict.subject,
          verdict.status,
          JSON.stringify(verdict.checks),
          JSON.stringify(verdict.issues),
          verdict.by,
          await session.now(),
          verdict.commit ?? null,
          verdict.tree ?? null,
        ],
      )
      if (row === undefined) throw new Error("insert returned no row")
      return toVerdict(row)
    },
    list: (key) => select(key, ""),
    listOfTeam: (key) => select(key, "and scope <> 'task'"),
  }
}

function toVerdict(row: VerdictRow): Verdict {
  return {
    scope: row.scope,
    subject: row.subject,
    status: row.status,
    checks: JSON.parse(row.checks),
    issues: JSON.parse(row.issues),
    by: row.author,
    timestamp: iso(row.recorded_at),
    ...(row.judged_commit === null ? {} : { commit: row.judged_commit }),
    ...(row.judged_tree === null ? {} : { tree: row.judged_tree }),
  }
}
