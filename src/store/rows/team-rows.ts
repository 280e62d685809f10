import { closedRun } from "../../kernel/closed-run.ts"
import { PHASES, type Protocol } from "../../kernel/phase.ts"
import type { Schedule, TeamMode, TeamName, TeamPhase, TeamStatus } from "../../kernel/team.ts"
import type { StoredTeam, TeamStore } from "../port.ts"
import { iso, type Param, placeholders, type Session } from "./sql-session.ts"

export interface TeamRow {
  id: number
  project: string
  name: string
  run: number
  is_current: number
  goal: string
  phase: TeamPhase
  status: TeamStatus
  pause_reason: string | null
  mode: TeamMode
  schedule: Schedule
  protocol: Protocol
  has_qa: number
  created_at: number
  updated_at: number
}

export const COLUMNS =
  "id, project, name, run, is_current, goal, phase, status, pause_reason, mode, schedule, protocol, has_qa, created_at, updated_at"
const OWNED_TABLES = [
  "event",
  "leader",
  "seat",
  "document",
  "verdict",
  "evidence",
  "file_exception",
  "record",
  "message",
  "worker",
  "wave",
  "need",
  "task",
]

export function teamStore(session: Session, access: "read" | "write"): TeamStore {
  const select = async ({ project, team, run }: TeamName, lock: string) => {
    const which = run === undefined ? "is_current = 1" : "run = ?"
    const params = [project, team, ...(run === undefined ? [] : [run])]
    const text = `select ${COLUMNS} from team where project = ? and name = ? and ${which}${lock}`
    const row = await session.get<TeamRow>(text, params)
    if (row !== undefined && row.is_current !== 1 && access === "write")
      throw closedRun({ project, team, run: row.run })
    return row && toTeam(row)
  }
  return {
    find: (name) => select(name, ""),
    lock: (name) => select(name, session.forUpdate),
    async list() {
      const rows = await session.all<TeamRow>(`select ${COLUMNS} from team where is_current = 1 order by project, name`)
      return rows.map(toTeam)
    },
    async runs({ project, team }) {
      const rows = await session.all<TeamRow>(
        `select ${COLUMNS} from team where project = ? and name = ? order by run`,
        [project, team],
      )
      return rows.map(toTeam)
    },
    async create(team) {
      const now = await session.now()
      const row = await session.get<TeamRow>(
        `insert into team (project, name, goal, phase, status, mode, schedule, protocol, has_qa, created_at, updated_at)
         values (${placeholders(11)}) on conflict (project, name) where is_current = 1 do nothing returning ${COLUMNS}`,
        [
          ...[team.project, team.team, team.goal, team.phase, team.status, team.mode, team.schedule],
          ...[team.protocol, team.hasQa ? 1 : 0, now, now],
        ],
      )
      return row && toTeam(row)
    },
    startRun: (before, team) => startRun(session, before, team),
    async update(key, change) {
      const columns: Record<string, Param | undefined> = {
        goal: change.goal,
        phase: change.phase,
        status: change.status,
        pause_reason: change.pauseReason,
        mode: change.mode,
        schedule: change.schedule,
        protocol: change.protocol,
        has_qa: change.hasQa === undefined ? undefined : change.hasQa ? 1 : 0,
      }
      const set = Object.entries(columns).filter((entry): entry is [string, Param] => entry[1] !== undefined)
      const assignments = [...set.map(([column]) => `${column} = ?`), "updated_at = ?"].join(", ")
      const values = set.map(([, value]) => value)
      await session.run(`update team set ${assignments} where id = ?`, [...values, await session.now(), key])
      if (change.protocol !== undefined)
        await guard(session, key, "protocol_phase", change.protocol === "planned" ? PHASES[0] : "")
      if (change.hasQa !== undefined) await guard(session, key, "qa", change.hasQa ? "needed" : "")
      if (change.schedule === undefined) return
      const wave = change.schedule === "eager" ? "0" : "wave"
      await session.run(`update task set claim_wave = ${wave} where team_id = ? and claim_wave <> ${wave}`, [key])
    },
    async takeTaskNumber(key) {
      const row = await session.get<{ taken: number }>(
        "update team set next_task = next_task + 1 where id = ? returning next_task - 1 as taken",
        [key],
      )
      return row?.taken ?? 1
    },
    async raiseTaskNumber(key, atLeast) {
      await session.run("update team set next_task = ? where id = ? and next_task < ?", [atLeast, key, atLeast])
    },
    async remove(key) {
      for (const table of OWNED_TABLES) await session.run(`delete from ${table} where team_id = ?`, [key])
      await session.run(
        `delete from loop_state where exists (select 1 from team
           where team.id = ? and team.project = loop_state.project and team.name = loop_state.team)`,
        [key],
      )
      await session.run("delete from team where id = ?", [key])
    },
  }
}

/** Statements that take what goes on from one run to the next. */
const MOVED_ON = [
  // Tokens of leaders and numbers of workers go on, so that what is left of an earlier run never passes for the new one.
  `insert into leader (team_id, holder, token, lease_until)
     select ?, holder, token, 0 from leader where team_id = ?`,
  "update seat set team_id = ? where team_id = ?",
]

async function startRun(
  session: Session,
  before: StoredTeam,
  team: Parameters<TeamStore["startRun"]>[1],
): Promise<StoredTeam> {
  const now = await session.now()
  await session.run("update team set is_current = 0 where id = ?", [before.key])
  const row = await session.get<TeamRow>(
    `insert into team (project, name, run, goal, phase, status, mode, schedule, protocol, has_qa, next_worker, created_at, updated_at)
     select project, name, run + 1, ?, 'PLANNING', 'active', ?, ?, ?, ?, ?, ?, ? from team where id = ?
     returning ${COLUMNS}`,
    [
      ...[team.goal, team.mode, team.schedule, team.protocol, team.hasQa ? 1 : 0],
      await nextWorker(session, before.key),
      // No two runs begin at the same time: by it a repository tells their work apart.
      ...[Math.max(now, Date.parse(before.createdAt) + 1), now, before.key],
    ],
  )
  if (row === undefined) throw new Error("the team vanished inside a transaction")
  for (const text of MOVED_ON) await session.run(text, [row.id, before.key])
  return toTeam(row)
}

/** Names that people chose were passed over so far; the new run has nothing else that would remember them. */
async function nextWorker(session: Session, key: number): Promise<number> {
  const team = await session.get<{ next_worker: number }>("select next_worker from team where id = ?", [key])
  const workers = await session.all<{ id: string }>("select id from worker where team_id = ?", [key])
  const numbers = workers.map(({ id }) => Number(/^w(\d{1,9})$/.exec(id)?.[1] ?? 0) + 1)
  return Math.max(team?.next_worker ?? 1, ...numbers)
}

/** Of what is not begun yet when a guard is set up, and of all that has not ended when it is taken away. */
async function guard(session: Session, key: number, column: "protocol_phase" | "qa", value: string): Promise<void> {
  const which = value === "" ? "status not in ('resolved', 'failed', 'skipped')" : `status = 'open' and ${column} = ''`
  await session.run(`update task set ${column} = ?, version = version + 1 where team_id = ? and ${which}`, [value, key])
}

export function toTeam(row: TeamRow): StoredTeam {
  return {
    key: row.id,
    project: row.project,
    team: row.name,
    run: row.run,
    isCurrent: row.is_current === 1,
    goal: row.goal,
    phase: row.phase,
    status: row.status,
    pauseReason: row.pause_reason,
    mode: row.mode,
    schedule: row.schedule,
    protocol: row.protocol,
    hasQa: row.has_qa === 1,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
  }
}
