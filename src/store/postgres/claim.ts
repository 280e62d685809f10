import { AppError } from "../../domain/errors.ts"
import type { TaskId } from "../../domain/ids.ts"
import { jitter } from "../../lib/random.ts"
import { sleep } from "../../lib/sleep.ts"
import type { Claimed, ClaimRequest } from "../port.ts"
import type { Param } from "../sql/session.ts"
import { TASK_COLUMNS, type TaskRow, toTask } from "../sql/tasks.ts"
import type { Query } from "./connection.ts"

// Parameters of every statement here: $1 project, $2 team, $3 owner, $4 worker, $5 role, $6 time or null, $7 lease.

/** The time of the statement, unless it belongs to a transaction that has one. */
export const NOW_MS = "coalesce($6::bigint, floor(extract(epoch from clock_timestamp()) * 1000)::bigint)"

/**
 * The team when it takes claims from this worker, and the highest wave that is open: the first unverified one. While the
 * team is being planned its row is locked before any task's, in the order in which everybody else locks them.
 */
function team(lockPlanned: boolean): string {
  const lock = lockPlanned
    ? ", case when phase = 'PLANNING' then (select 1 from team planned where planned.id = team.id for no key update) end"
    : ""
  return `asked as materialized (
    select id as team_id, phase, ${NOW_MS} as now_ms, coalesce(case when schedule <> 'eager' then
        (select min(number) from wave where team_id = team.id and verdict is distinct from 'verified')
      end, 2147483647) as open_wave${lock}
    from team where project = $1::text and name = $2::text and status = 'active' and phase <> 'COMPLETE'
      and not exists (select 1 from worker where team_id = team.id and worker.id = $4::text
        and (availability in ('paused', 'quarantined', 'stopped') or (role <> 'worker' and role <> $5::text))))`
}

const MAY_TAKE = "unmet = 0 and wave <= asked.open_wave and assignee in ('', $3::text)"
const ROLE_FITS = "($5::text is null or $5 = 'worker' or role in ($5, 'worker'))"

/** Sees the row as it was, so one statement can tell a renewal from a take-over. */
function take(from: string, which: string): string {
  const renews = "task.status = 'in_progress' and task.claimed_by = $3"
  return `claimed as (
    update task set previous_owner = case when task.status = 'in_progress' then task.claimed_by end,
      claim_token = task.claim_token + case when ${renews} then 0 else 1 end,
      claimed_at = case when ${renews} then task.claimed_at else now_ms end,
      status = 'in_progress', claimed_by = $3, worker_id = $4, lease_until = now_ms + $7::bigint, lease_ms = $7,
      version = task.version + 1, updated_at = now_ms
    from ${from} where ${which}
    returning ${COLUMNS_OF_TASK}, task.team_id, phase, now_ms)`
}

export const COLUMNS_OF_TASK = TASK_COLUMNS.replaceAll(/\w+/g, "task.$&")

/**
 * Everything else a claim does: whoever claims is a worker of the team, and the first role it names stays its role; the
 * first claim ends planning; and the events. All parts of a statement see the data as it was before it, so each takes
 * what it needs from what the earlier ones return.
 */
const AFTERWARDS = `heard as (
    insert into worker (team_id, id, role, session_id, availability, heartbeat_at, created_at)
    select team_id, $4, $5, $3, 'idle', now_ms, now_ms from claimed
    on conflict (team_id, id) do update set role = coalesce(worker.role, excluded.role),
      session_id = coalesce(worker.session_id, excluded.session_id), heartbeat_at = excluded.heartbeat_at),
  started as (
    update team set phase = 'EXECUTION' from claimed
    where claimed.phase = 'PLANNING' and team.id = claimed.team_id and team.phase = 'PLANNING' returning team.id),
  told as (
    insert into event (team_id, type, recorded_at, actor, data)
    select team_id, 'task.claimed', now_ms, $3,
      json_build_object('task', id, 'token', claim_token, 'taken_over_from', previous_owner)::text
    from claimed where previous_owner is distinct from $3
    union all
    select team_id, 'team.phase_changed', now_ms, $3, json_build_object('from', 'PLANNING', 'to', 'EXECUTION')::text
    from claimed where exists (select 1 from started))
  select claimed.*, ${needsOf("claimed")} as needs from claimed`

/** As JSON text, to save a second question. */
export function needsOf(task: string): string {
  return `(select json_agg(need_id order by need_id)::text from need where need.team_id = ${task}.team_id and task_id = ${task}.id)`
}

// Waits for the row where another claim skips it: its fate is what was asked for.
const CLAIM_NAMED = `with ${team(true)}, ${take(
  "asked",
  `task.team_id = asked.team_id and task.id = $8::text and ${MAY_TAKE} and ($9::int = 0 or ${ROLE_FITS})
    and (status = 'open' or (status = 'in_progress' and (claimed_by = $3 or lease_until < now_ms)))`,
)}, ${AFTERWARDS}`

/** The first of: an abandoned task, one meant for this worker, one of the role, one for anybody. */
function bestTask(anyRole: boolean, lock: string): string {
  const first = (where: string) =>
    `(select seq from task where team_id = asked.team_id and status = 'open' and unmet = 0 and wave <= asked.open_wave
        and ${where} order by wave, height desc, seq limit 1${lock})`
  const byRole = anyRole
    ? [first("assignee = ''")]
    : [first("assignee = '' and role = $5"), first("assignee = '' and role = 'worker'")]
  return `coalesce(
    (select seq from task where team_id = asked.team_id and status = 'in_progress' and lease_until < asked.now_ms
      and ${MAY_TAKE} and ${ROLE_FITS} order by lease_until limit 1${lock}),
    ${[first("assignee = $3"), ...byRole].join(",\n    ")})`
}

function claimNext(anyRole: boolean): { claim: string; look: string } {
  const best = bestTask(anyRole, " for no key update skip locked")
  return {
    claim: `with ${team(true)}, best as materialized (select asked.*, ${best} as seq from asked),
      ${take("best", "task.seq = best.seq")}, ${AFTERWARDS}`,
    look: `with ${team(false)} select 1 as found from asked where ${bestTask(anyRole, "")} is not null and $7::bigint is not null`,
  }
}

const NEXT = claimNext(true)
const NEXT_OF_ROLE = claimNext(false)

const GIVE_UP_AFTER_MS = 10_000
const RETRY_WITHIN_MS = 5

interface ClaimedRow extends TaskRow {
  needs: string | null
}

export async function claimTask(
  query: Query,
  request: ClaimRequest,
  nowMs: number | null,
): Promise<Claimed | undefined> {
  const { project, team, owner, workerId, role, leaseMs, taskId } = request
  const params: Param[] = [project, team, owner, workerId, role, nowMs, leaseMs]
  const row =
    taskId === null
      ? await takeNext(query, role === null || role === "worker" ? NEXT : NEXT_OF_ROLE, params)
      : (await query<ClaimedRow>(CLAIM_NAMED, [...params, taskId, request.strictRole ? 1 : 0]))[0]
  if (row === undefined) return undefined
  const renewed = row.previous_owner === owner
  return { task: toTask(row, parseNeeds(row.needs)), takenOverFrom: renewed ? null : row.previous_owner, renewed }
}

/** A row that somebody else has locked is skipped, and may be free again in a moment: only then is it worth a second try. */
async function takeNext(
  query: Query,
  { claim, look }: typeof NEXT,
  params: readonly Param[],
): Promise<ClaimedRow | undefined> {
  const giveUpAt = performance.now() + GIVE_UP_AFTER_MS
  for (;;) {
    const [row] = await query<ClaimedRow>(claim, params)
    if (row !== undefined) return row
    const [ready] = await query(look, params)
    if (ready === undefined) return undefined
    if (performance.now() > giveUpAt) {
      throw new AppError(
        "store.busy",
        `every ready task was locked by others for ${GIVE_UP_AFTER_MS / 1000} s; try again`,
      )
    }
    await sleep(jitter(RETRY_WITHIN_MS))
  }
}

export function parseNeeds(json: string | null): TaskId[] {
  return json === null ? [] : JSON.parse(json)
}
