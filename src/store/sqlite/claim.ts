import type { TeamPhase } from "../../kernel/team.ts"
import type { Claimed, ClaimRequest } from "../port.ts"
import type { Param, Session } from "../rows/sql-session.ts"
import { TASK, toTask } from "../rows/task-row.ts"
import { HEARD_WITHIN_MS } from "../rows/worker-rows.ts"
import { appendEvent } from "./append-event.ts"

/** A changed task with its needs as JSON, so that no second statement has to read them. */
export const RETURNED = `team_id, ${TASK.columns}, (select json_group_array(need_id) from
  (select need_id from need where need.team_id = task.team_id and need.task_id = task.id order by need_id)) as needs`

export interface ReturnedRow {
  readonly team_id: number
  readonly needs: string
}

const CLAIMED = `${RETURNED}, previous_owner, (select phase from open_team) as team_phase`

// The team if it accepts claims, and the highest open wave: the first one that is not verified. Without such a wave it is
// a number above all waves, so that the index always has a bound and closed waves are never read.
const TEAM = `open_team as (
  select id, phase, ifnull(case when schedule <> 'eager' then
    (select min(number) from wave where team_id = team.id and verdict is not 'verified') end, 1e9) as open_wave
  from team where project = ?1 and name = ?2 and is_current = 1 and (?8 is null or run = ?8) and status = 'active' and phase <> 'COMPLETE')`

const WORKER_MAY = `not exists (select 1 from worker where worker.team_id = (select id from open_team) and worker.id = ?4
  and (worker.availability in ('paused', 'quarantined', 'stopped') or (worker.role <> 'worker' and worker.role <> ?5)))`

// The old values of the row are still visible here, so that one statement tells a renewal from a take-over.
const SET = `previous_owner = case when status = 'in_progress' then claimed_by end,
  claim_token = claim_token + case when status = 'in_progress' and claimed_by = ?3 then 0 else 1 end,
  claimed_at = case when status = 'in_progress' and claimed_by = ?3 then claimed_at else ?6 end,
  status = 'in_progress', claimed_by = ?3, worker_id = ?4, lease_until = ?6 + ?7, lease_ms = ?7, version = version + 1, updated_at = ?6`

const MAY_TAKE = "unmet = 0 and wave <= (select open_wave from open_team) and assignee in ('', ?4)"
const ROLE_FITS = "(?5 is null or ?5 = 'worker' or role in (?5, 'worker'))"

const CLAIM_NAMED = `with ${TEAM}
  update task set ${SET}
  where team_id = (select id from open_team) and id = ?9 and ${WORKER_MAY} and (?10 = 0 or ${ROLE_FITS})
    and ((status = 'in_progress' and claimed_by = ?3)
      or (${MAY_TAKE} and (status = 'open' or (status = 'in_progress' and lease_until < ?6))))
  returning ${CLAIMED}`

/** The first of: an abandoned task, one for this worker only, one of its role, one for any role. */
function claimNext(anyRole: boolean): string {
  const first = (where: string) =>
    `(select seq from task where team_id = (select id from open_team) and status = 'open' and unmet = 0
      and claim_wave <= (select open_wave from open_team) and ${where} order by claim_wave, priority desc, claim_rank, height desc, seq limit 1)`
  const byRole = anyRole
    ? [first("assignee = ''")]
    : [first("assignee = '' and role = ?5"), first("assignee = '' and role = 'worker'")]
  return `with ${TEAM}
    update task set ${SET}
    where seq = (select coalesce(
      (select seq from task where team_id = (select id from open_team) and status = 'in_progress' and lease_until < ?6
        and ${MAY_TAKE} and ${ROLE_FITS} order by lease_until limit 1),
      ${[first("assignee = ?4"), ...byRole].join(",\n")})) and ${WORKER_MAY}
    returning ${CLAIMED}`
}

const CLAIM_NEXT_OF_ROLE = claimNext(false)
const CLAIM_NEXT = claimNext(true)

interface ClaimedRow extends ReturnedRow {
  readonly previous_owner: string | null
  readonly team_phase: TeamPhase
}

export async function claimTask(session: Session, request: ClaimRequest): Promise<Claimed | undefined> {
  const now = await session.now()
  const params: Param[] = [
    request.project,
    request.team,
    request.owner,
    request.workerId,
    request.role,
    now,
    request.leaseMs,
    request.run ?? null,
  ]
  const anyRole = request.role === null || request.role === "worker"
  const row =
    request.taskId === null
      ? await session.get<ClaimedRow>(anyRole ? CLAIM_NEXT : CLAIM_NEXT_OF_ROLE, params)
      : await session.get<ClaimedRow>(CLAIM_NAMED, [...params, request.taskId, request.strictRole ? 1 : 0])
  if (row === undefined) return undefined
  const { team_id: key, previous_owner: before } = row
  await noteWorker(session, key, request, now)
  const task = toTask(row, JSON.parse(row.needs))
  const renewed = before === request.owner
  if (!renewed) {
    const data = { task: task.id, token: task.claimToken, taken_over_from: before }
    await appendEvent(session, key, request.owner, { type: "task.claimed", data })
  }
  if (row.team_phase === "PLANNING") await startExecution(session, key, request.owner)
  return { task, takenOverFrom: renewed ? null : before, renewed }
}

/** A claim makes its owner a worker of the team. The first role that a worker names stays its role. */
async function noteWorker(session: Session, key: number, request: ClaimRequest, now: number): Promise<void> {
  await session.run(
    `insert into worker (team_id, id, role, session_id, availability, heartbeat_at, created_at)
     values (?, ?, ?, ?, 'idle', ?, ?)
     on conflict (team_id, id) do update set role = coalesce(worker.role, excluded.role),
       session_id = coalesce(worker.session_id, excluded.session_id), heartbeat_at = excluded.heartbeat_at,
       availability = case when worker.availability in ('spawning', 'dead') then 'idle' else worker.availability end
     where worker.heartbeat_at < excluded.heartbeat_at - ${HEARD_WITHIN_MS} or (worker.role is null and excluded.role is not null)
       or worker.session_id is null or worker.availability in ('spawning', 'dead')`,
    [key, request.workerId, request.role, request.owner, now, now],
  )
}

async function startExecution(session: Session, key: number, by: string): Promise<void> {
  await session.run("update team set phase = 'EXECUTION' where id = ?", [key])
  await appendEvent(session, key, by, { type: "team.phase_changed", data: { from: "PLANNING", to: "EXECUTION" } })
}
