import type { TeamName } from "../../kernel/team.ts"
import type { LoopState } from "../../sessions/loop-state.ts"
import type { Role } from "../../tasks/task.ts"
import type { LoopStore } from "../terminals.ts"
import { iso, type Session } from "./sql-session.ts"

interface LoopRow {
  terminal_id: string
  active: number
  project: string
  team: string
  role: Role | null
  started_at: number
}

const COLUMNS = "terminal_id, active, project, team, role, started_at"

export function loopStore(session: Session): LoopStore {
  return {
    async find(terminalId) {
      const row = await session.get<LoopRow>(`select ${COLUMNS} from loop_state where terminal_id = ?`, [terminalId])
      return row && toLoop(row)
    },
    async put(state) {
      const row = await session.get<LoopRow>(
        `insert into loop_state (${COLUMNS}) values (?, ?, ?, ?, ?, ?)
         on conflict (terminal_id) do update set active = excluded.active, project = excluded.project,
           team = excluded.team, role = excluded.role, started_at = excluded.started_at
         returning ${COLUMNS}`,
        [state.terminalId, state.active ? 1 : 0, state.project, state.team, state.role, await session.now()],
      )
      if (row === undefined) throw new Error("insert returned no row")
      return toLoop(row)
    },
    async remove(terminalId) {
      const row = await session.get("delete from loop_state where terminal_id = ? returning terminal_id", [terminalId])
      return row !== undefined
    },
  }
}

export async function listLoops(session: Session, { project, team }: TeamName): Promise<LoopState[]> {
  const rows = await session.all<LoopRow>(`select ${COLUMNS} from loop_state where project = ? and team = ?`, [
    project,
    team,
  ])
  return rows.map(toLoop).sort((a, b) => (a.terminalId < b.terminalId ? -1 : 1))
}

function toLoop(row: LoopRow): LoopState {
  return {
    active: row.active !== 0,
    project: row.project,
    team: row.team,
    role: row.role,
    startedAt: iso(row.started_at),
    terminalId: row.terminal_id,
  }
}
