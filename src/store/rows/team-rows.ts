import { closedRun } from "../../kernel/closed-run.ts"
import { PHASES } from "../../kernel/phase.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { StoredTeam, TeamStore } from "../port.ts"
import { insertRow, returned, type Session } from "./sql-session.ts"
import { flag, table, time } from "./sql-table.ts"

export const TEAM = table<StoredTeam>("team", {
  key: "id",
  project: "project",
  team: "name",
  run: "run",
  isCurrent: flag("is_current"),
  goal: "goal",
  phase: "phase",
  status: "status",
  pauseReason: "pause_reason",
  mode: "mode",
  schedule: "schedule",
  protocol: "protocol",
  hasQa: flag("has_qa"),
  createdAt: time("created_at"),
  updatedAt: time("updated_at"),
})

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
    const found = await TEAM.find(session, `where project = ? and name = ? and ${which}${lock}`, params)
    if (found?.isCurrent === false && access === "write") throw closedRun({ project, team, run: found.run })
    return found
  }
  return {
    find: (name) => select(name, ""),
    lock: (name) => select(name, session.forUpdate),
    list: () => TEAM.list(session, "where is_current = 1 order by project, name"),
    runs: ({ project, team }) => TEAM.list(session, "where project = ? and name = ? order by run", [project, team]),
    async create(team) {
      const now = await session.now()
      const rest = `on conflict (project, name) where is_current = 1 do nothing returning ${TEAM.columns}`
      const row = await insertRow<object>(
        session,
        "team",
        TEAM.toRow({ ...team, createdAt: now, updatedAt: now }),
        rest,
      )
      return row && TEAM.read(row)
    },
    startRun: (before, team) => startRun(session, before, team),
    async update(key, change) {
      const row = TEAM.toRow({ ...change, updatedAt: await session.now() })
      const set = Object.keys(row).map((column) => `${column} = ?`)
      await session.run(`update team set ${set.join(", ")} where id = ?`, [...Object.values(row), key])
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

/** What the next run takes over. */
const MOVED_ON = [
  // Tokens keep counting, so that a leader of an earlier run is never mistaken for one of the new run.
  `insert into leader (team_id, holder, token, lease_until)
     select ?, holder, token, 0 from leader where team_id = ?`,
  "update seat set team_id = ? where team_id = ?",
]

async function startRun(
  session: Session,
  before: StoredTeam,
  { goal, mode, schedule, protocol, hasQa }: Parameters<TeamStore["startRun"]>[1],
): Promise<StoredTeam> {
  const now = await session.now()
  await session.run("update team set is_current = 0 where id = ?", [before.key])
  const { project, team, run, createdAt } = before
  const settings = { goal, mode, schedule, protocol, hasQa, phase: "PLANNING", status: "active" }
  // A repository tells the work of two runs apart by the time they began, so it must differ.
  const begun = { createdAt: Math.max(now, Date.parse(createdAt) + 1), updatedAt: now }
  const named = TEAM.toRow({ project, team, run: run + 1, ...settings, ...begun })
  const row = { ...named, next_worker: await nextWorker(session, before.key) }
  const next = TEAM.read(returned(await insertRow<object>(session, "team", row, `returning ${TEAM.columns}`)))
  for (const text of MOVED_ON) await session.run(text, [next.key, before.key])
  return next
}

/** Skips the worker names that people chose: the new run has no rows that remember them. */
async function nextWorker(session: Session, key: number): Promise<number> {
  const team = await session.get<{ next_worker: number }>("select next_worker from team where id = ?", [key])
  const workers = await session.all<{ id: string }>("select id from worker where team_id = ?", [key])
  const numbers = workers.map(({ id }) => Number(/^w(\d{1,9})$/.exec(id)?.[1] ?? 0) + 1)
  return Math.max(team?.next_worker ?? 1, ...numbers)
}

/** A new guard applies to tasks that have not begun; a removed one is lifted from all that have not ended. */
async function guard(session: Session, key: number, column: "protocol_phase" | "qa", value: string): Promise<void> {
  const which = value === "" ? "status not in ('resolved', 'failed', 'skipped')" : `status = 'open' and ${column} = ''`
  await session.run(`update task set ${column} = ?, version = version + 1 where team_id = ? and ${which}`, [value, key])
}
