import type { WorkerId } from "../../kernel/ids.ts"
import { type Delegation, NO_MEMORY, type Part, type Seat } from "../../sessions/seat.ts"
import type { SeatStore } from "../terminals.ts"
import { iso, type Session } from "./sql-session.ts"

interface SeatRow {
  terminal_id: string
  project: string
  name: string
  part: Part
  worker_id: WorkerId | null
  delegation: Delegation
  joined_at: number
  memory: string
}

const SELECT = `select terminal_id, project, name, part, worker_id, delegation, joined_at, memory
  from seat join team on team.id = seat.team_id`

export function seatStore(session: Session): SeatStore {
  const find = async (terminalId: string) => {
    const row = await session.get<SeatRow>(`${SELECT} where terminal_id = ?`, [terminalId])
    return row && toSeat(row)
  }
  return {
    find,
    async list(key) {
      const rows = await session.all<SeatRow>(`${SELECT} where team_id = ? order by joined_at, terminal_id`, [key])
      return rows.map(toSeat)
    },
    async put(key, { terminalId, part, worker, delegation }) {
      await session.run(
        `insert into seat (terminal_id, team_id, part, worker_id, delegation, joined_at, memory)
         values (?, ?, ?, ?, ?, ?, ?)
         on conflict (terminal_id) do update set team_id = excluded.team_id, part = excluded.part,
           worker_id = excluded.worker_id, delegation = excluded.delegation, joined_at = excluded.joined_at,
           memory = excluded.memory`,
        [terminalId, key, part, worker, delegation, await session.now(), JSON.stringify(NO_MEMORY)],
      )
      const seat = await find(terminalId)
      if (seat === undefined) throw new Error("a seat was put and is not there")
      return seat
    },
    async remember(terminalId, memory) {
      await session.run("update seat set memory = ? where terminal_id = ?", [JSON.stringify(memory), terminalId])
    },
    async remove(terminalId) {
      const row = await session.get("delete from seat where terminal_id = ? returning terminal_id", [terminalId])
      return row !== undefined
    },
  }
}

function toSeat(row: SeatRow): Seat {
  return {
    terminalId: row.terminal_id,
    project: row.project,
    team: row.name,
    part: row.part,
    worker: row.worker_id,
    delegation: row.delegation,
    joinedAt: iso(row.joined_at),
    memory: { ...NO_MEMORY, ...JSON.parse(row.memory) },
  }
}
