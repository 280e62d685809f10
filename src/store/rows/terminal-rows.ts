import type { TeamName } from "../../kernel/team.ts"
import type { LoopState } from "../../sessions/loop-state.ts"
import { NO_MEMORY, type Seat } from "../../sessions/seat.ts"
import type { LoopStore, SeatStore } from "../terminals.ts"
import { insertRow, replaced, returned, type Session } from "./sql-session.ts"
import { flag, json, table, time } from "./sql-table.ts"

export const LOOP = table<LoopState>("loop_state", {
  active: flag("active"),
  project: "project",
  team: "team",
  role: "role",
  startedAt: time("started_at"),
  terminalId: "terminal_id",
})

export function loopStore(session: Session): LoopStore {
  return {
    find: (terminalId) => LOOP.find(session, "where terminal_id = ?", [terminalId]),
    async put(state) {
      const row = LOOP.toRow({ ...state, startedAt: await session.now() })
      const update = replaced("active", "project", "team", "role", "started_at")
      const rest = `on conflict (terminal_id) do update set ${update} returning ${LOOP.columns}`
      return LOOP.read(returned(await insertRow<object>(session, "loop_state", row, rest)))
    },
    remove: (terminalId) => removeTerminal(session, "loop_state", terminalId),
  }
}

export async function listLoops(session: Session, { project, team }: TeamName): Promise<LoopState[]> {
  const loops = await LOOP.list(session, "where project = ? and team = ?", [project, team])
  return loops.sort((a, b) => (a.terminalId < b.terminalId ? -1 : 1))
}

const SEAT = table<Seat>("seat join team on team.id = seat.team_id", {
  terminalId: "terminal_id",
  project: "project",
  team: "name",
  part: "part",
  worker: "worker_id",
  delegation: "delegation",
  joinedAt: time("joined_at"),
  memory: json("memory"),
})

export function seatStore(session: Session): SeatStore {
  const find = async (terminalId: string) => {
    const seat = await SEAT.find(session, "where terminal_id = ?", [terminalId])
    return seat && withMemory(seat)
  }
  return {
    find,
    list: async (key) =>
      (await SEAT.list(session, "where team_id = ? order by joined_at, terminal_id", [key])).map(withMemory),
    async put(key, seat) {
      const row = { team_id: key, ...SEAT.toRow({ ...seat, joinedAt: await session.now(), memory: NO_MEMORY }) }
      const update = replaced("team_id", "part", "worker_id", "delegation", "joined_at", "memory")
      await insertRow(session, "seat", row, `on conflict (terminal_id) do update set ${update}`)
      return returned(await find(seat.terminalId))
    },
    async remember(terminalId, memory) {
      await session.run("update seat set memory = ? where terminal_id = ?", [JSON.stringify(memory), terminalId])
    },
    remove: (terminalId) => removeTerminal(session, "seat", terminalId),
  }
}

/** Earlier versions remembered less. */
function withMemory(seat: Seat): Seat {
  return { ...seat, memory: { ...NO_MEMORY, ...seat.memory } }
}

/** Returns whether there was a row to remove. */
async function removeTerminal(session: Session, from: string, terminalId: string): Promise<boolean> {
  const row = await session.get(`delete from ${from} where terminal_id = ? returning terminal_id`, [terminalId])
  return row !== undefined
}
