import { AppError } from "../../kernel/errors.ts"
import type { EventType } from "../../kernel/events.ts"
import type { TeamPhase } from "../../kernel/team.ts"
import { writtenVersion } from "../../kernel/written-versions.ts"
import { jitter } from "../../lib/random.ts"
import { sleep } from "../../lib/sleep.ts"
import type { Claimed, ClaimRequest } from "../port.ts"
import type { Param } from "../rows/sql-session.ts"
import { TASK, toTask } from "../rows/task-row.ts"
import { HEARD_WITHIN_MS } from "../rows/worker-rows.ts"
import type { Query } from "./connection.ts"

// A claim is one statement. All its parts see the data as it was before, so the first parts find and lock the row and the
// others take what they need from them. The columns of a task are wide: only the last part reads them.
//
// Parameters: $1 project, $2 team, $3 owner, $4 worker, $5 role, $6 time or null, $7 lease, $8 run or null.

/** Type and version of an event, as two columns. */
export function typed(type: EventType): string {
  return `'${type}', ${writtenVersion(type)}`
}

/** The time of the statement, unless it belongs to a transaction that has one. */
export const NOW_MS = "coalesce($6::bigint, floor(extract(epoch from clock_timestamp()) * 1000)::bigint)"

/** The first claim ends planning. It has its own statement, so that the later claims stay cheap. */
type Phase = "running" | "planned"

/** The team if it accepts claims from this worker, and the highest open wave: the first one that is not verified. */
function asked(phase: string, lock = ""): string {
  return `asked as materialized (
    select id as team_id, phase, ${NOW_MS} as now_ms, coalesce(case when schedule <> 'eager' then (select number from wave
      where team_id = team.id and verdict is distinct from 'verified' order by number limit 1) end, 2147483647) as open_wave
    from team where project = $1::text and name = $2::text and is_current = 1 and ($8::int is null or run = $8)
      and status = 'active' and ${phase}
      and (select availability in ('paused', 'quarantined', 'stopped') or (role <> 'worker' and role <> $5::text)
        from worker where team_id = team.id and id = $4::text) is not true${lock})`
}

const ASKED: Record<Phase, string> = {
  running: asked("phase not in ('PLANNING', 'COMPLETE')"),
  // Locks the team before any task: every transaction locks in this order.
  planned: asked("phase = 'PLANNING'", " for no key update"),
}

const OF_TEAM = "from task where team_id = asked.team_id"
// "+ 0" keeps the planner from looking the task up by its wave.
const MAY_TAKE = "unmet = 0 and wave + 0 <= open_wave and assignee in ('', $4)"
// Includes the columns of the order, or each probe needs an extra step to drop them.
const FOUND = "seq, id, status, claimed_by, claim_token, claim_wave, priority, claim_rank, height, lease_until"
const ROLE_FITS = "($5::text is null or $5 = 'worker' or role in ($5, 'worker'))"

/** Waits for a locked row, while the search for the best task skips it: the caller wants this very task. */
const NAMED = `select ${FOUND} ${OF_TEAM} and id = $9::text and ($10::int = 0 or ${ROLE_FITS})
  and ((status = 'in_progress' and claimed_by = $3)
    or (${MAY_TAKE} and (status = 'open' or (status = 'in_progress' and lease_until < now_ms)))) for no key update`

/** The first of: an abandoned task, one for this worker only, one of its role, one for any role. */
function best(anyRole: boolean, lock: string): string {
  const ready = (who: string) =>
    `status = 'open' and unmet = 0 and claim_wave <= open_wave and ${who} order by claim_wave, priority desc, claim_rank, height desc, seq`
  const probes = [
    `status = 'in_progress' and lease_until < now_ms and ${MAY_TAKE} and ${ROLE_FITS} order by lease_until`,
    ready("assignee = $4"),
    ...(anyRole
      ? [ready("assignee = ''")]
      : [ready("assignee = '' and role = $5"), ready("assignee = '' and role = 'worker'")]),
  ].map((probe, place) => `select * from (select ${FOUND} ${OF_TEAM} and ${probe} limit 1${lock}) as probe_${place}`)
  // The server runs one probe after the other and stops at the first that finds a task.
  return `${probes.join(" union all ")} limit 1`
}

/** The worker is known, unchanged, and its heartbeat is recent: nothing to write. */
const HEARD_JUST_NOW = `select from worker where worker.team_id = chosen.team_id and worker.id = $4
  and heartbeat_at >= now_ms - ${HEARD_WITHIN_MS} and (role is not null or $5 is null) and session_id is not null
  and availability not in ('spawning', 'dead')`

/**
 * What a claim does with the locked row: it makes the owner a worker of the team (the first role it names stays its
 * role), writes the events, and claims.
 */
function claim(phase: Phase, choice: string): string {
  return oneLine(`with ${ASKED[phase]},
  chosen as materialized (
    select team_id, now_ms, seq, id, case when status = 'in_progress' then claimed_by end as holder,
      claim_token + case when status = 'in_progress' and claimed_by = $3::text then 0 else 1 end as token
    from asked, lateral (${choice}) as found),
  heard as (
    insert into worker (team_id, id, role, session_id, availability, heartbeat_at, created_at)
    select team_id, $4, $5, $3, 'idle', now_ms, now_ms from chosen where not exists (${HEARD_JUST_NOW})
    on conflict (team_id, id) do update set role = coalesce(worker.role, excluded.role),
      session_id = coalesce(worker.session_id, excluded.session_id), heartbeat_at = excluded.heartbeat_at,
      availability = case when worker.availability in ('spawning', 'dead') then 'idle' else worker.availability end),
  ${phase === "planned" ? "started as (update team set phase = 'EXECUTION' from chosen where team.id = team_id)," : ""}
  told as (
    insert into event (team_id, type, version, recorded_at, actor, data)
    select team_id, ${typed("task.claimed")}, now_ms, $3,
      json_build_object('task', id, 'token', token, 'taken_over_from', holder)::text
    from chosen where holder is distinct from $3
    ${phase === "planned" ? `union all ${PHASE_CHANGED}` : ""})
  update task set previous_owner = holder, claim_token = token, status = 'in_progress', claimed_by = $3, worker_id = $4,
    claimed_at = case when holder = $3 then claimed_at else now_ms end, lease_until = now_ms + $7::bigint, lease_ms = $7,
    version = version + 1, updated_at = now_ms
  from chosen where task.seq = chosen.seq returning ${RETURNED}`)
}

const PHASE_CHANGED = `select team_id, ${typed("team.phase_changed")}, now_ms, $3,
  json_build_object('from', 'PLANNING', 'to', 'EXECUTION')::text from chosen`

/** A whole task with its needs as JSON, so that no second statement has to read them. */
export const RETURNED = `${TASK.columns.replaceAll(/\w+/g, "task.$&")}, previous_owner, array_to_json(array(
  select need_id from need where need.team_id = task.team_id and task_id = task.id))::text as needs`

/** Shorter: the server copies the text of a statement each time. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ")
}

function claimNext(anyRole: boolean): Record<Phase | "look", string> {
  const skipLocked = best(anyRole, " for no key update skip locked")
  return {
    running: claim("running", skipLocked),
    planned: claim("planned", skipLocked),
    look: oneLine(`with ${asked("phase <> 'COMPLETE'")}
      select phase from asked, lateral (${best(anyRole, "")}) as found where ($3::text, $7::bigint) is not null`),
  }
}

const CLAIM_NAMED: Record<Phase, string> = { running: claim("running", NAMED), planned: claim("planned", NAMED) }
const NEXT = claimNext(true)
const NEXT_OF_ROLE = claimNext(false)

const GIVE_UP_AFTER_MS = 10_000
const RETRY_WITHIN_MS = 5

export interface ReturnedRow {
  readonly needs: string
  readonly previous_owner: string | null
}

export async function claimTask(
  query: Query,
  request: ClaimRequest,
  nowMs: number | null,
): Promise<Claimed | undefined> {
  const { project, team, owner, workerId, role, leaseMs, taskId } = request
  const params: Param[] = [project, team, owner, workerId, role, nowMs, leaseMs, request.run ?? null]
  const row =
    taskId === null
      ? await takeNext(query, role === null || role === "worker" ? NEXT : NEXT_OF_ROLE, params)
      : await takeNamed(query, [...params, taskId, request.strictRole ? 1 : 0])
  if (row === undefined) return undefined
  const renewed = row.previous_owner === owner
  return {
    task: toTask(row, JSON.parse(row.needs).sort()),
    takenOverFrom: renewed ? null : row.previous_owner,
    renewed,
  }
}

async function takeNamed(query: Query, params: readonly Param[]): Promise<ReturnedRow | undefined> {
  // Planning may end between the first two statements.
  for (const phase of ["running", "planned", "running"] as const) {
    const [row] = await query<ReturnedRow>(CLAIM_NAMED[phase], params)
    if (row !== undefined) return row
  }
  return undefined
}

/** Skips rows that others have locked. While such a row may become free again, tries again instead of finding nothing. */
async function takeNext(query: Query, next: typeof NEXT, params: readonly Param[]): Promise<ReturnedRow | undefined> {
  const giveUpAt = performance.now() + GIVE_UP_AFTER_MS
  let phase: Phase = "running"
  for (;;) {
    const [row] = await query<ReturnedRow>(next[phase], params)
    if (row !== undefined) return row
    const [ready] = await query<{ phase: TeamPhase }>(next.look, params)
    if (ready === undefined) return undefined
    if (performance.now() > giveUpAt) {
      const waited = `${GIVE_UP_AFTER_MS / 1000} s`
      throw new AppError("store.busy", `every ready task was locked by others for ${waited}; try again`)
    }
    const now: Phase = ready.phase === "PLANNING" ? "planned" : "running"
    if (now === phase) await sleep(jitter(RETRY_WITHIN_MS))
    phase = now
  }
}
