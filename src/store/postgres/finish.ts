import { PERSON } from "../../kernel/actor.ts"
import { LEAD } from "../../messages/message.ts"
import type { Task } from "../../tasks/task.ts"
import type { FinishRequest } from "../port.ts"
import type { Param } from "../rows/sql-session.ts"
import { toTask } from "../rows/task-row.ts"
import { HEARD_WITHIN_MS } from "../rows/worker-rows.ts"
import { NOW_MS, oneLine, RETURNED, type ReturnedRow, typed } from "./claim.ts"
import type { Query } from "./connection.ts"

// Like a claim (see claim.ts): the first part waits for the row and locks it, the others take what they need from it.
//
// Parameters: $1 project, $2 team, $3 owner or null, $4 worker or null, $5 token or null, $6 time or null, $7 task,
// $8 result or null, $9 who acts, $10 run or null, $11 the state of QA that counts besides none; then the evidence as a JSON array, and the message with id, sender and payload.
// `locked` and `held` are two parts, or the planner looks for blocked evidence before it waits for the lock.
const HELD = `locked as materialized (
    select task.team_id, task.seq, task.id, attempt, claim_token, coalesce($4::text, worker_id) as worker, ${NOW_MS} as now_ms
    from team, task
    where project = $1::text and name = $2::text and is_current = 1 and ($10::int is null or run = $10)
      and task.team_id = team.id and task.id = $7::text
      and task.status in ('in_progress', 'in_review') and protocol_phase in ('', 'completion') and qa in ('', $11::text)
      and ($3::text is null or claimed_by = $3) and ($5::int is null or claim_token = $5)
    for no key update of task),
  held as materialized (select * from locked where not has_blocked_evidence(team_id, id, attempt)),
  heard as (
    update worker set heartbeat_at = now_ms from held
    where $3 is not null and worker.team_id = held.team_id and worker.id = held.worker
      and heartbeat_at < now_ms - ${HEARD_WITHIN_MS})`

const RESOLVE = `update task set status = 'resolved', completed_at = now_ms, updated_at = now_ms, version = version + 1,
    result = coalesce($8::text, result), worker_id = held.worker, lease_until = null
  from held where task.seq = held.seq returning ${RETURNED}`

function evidence(json: string): { part: string; event: string } {
  return {
    part: `given as materialized (
      select * from rows from (json_to_recordset(${json}::text::json)
        as (type text, trust text, text text, facts text, blocked text)) with ordinality as entry (type, trust, text, facts, blocked, place)),
    proven as (
      insert into evidence (team_id, task_id, attempt, type, trust, text, facts, blocked_pattern, author, recorded_at)
      select team_id, id, attempt, type, trust, text, facts, blocked, $9, now_ms from held, given order by place)`,
    event: `select place, ${typed("evidence.added")}, json_build_object('task', id, 'type', type, 'trust', trust)::text
      from held, given union all`,
  }
}

function notice(id: string, sender: string, payload: string): { part: string; event: string } {
  return {
    part: `sent as (
      insert into message (id, team_id, sender, recipient, type, payload, sent_at)
      select ${id}::text, team_id, ${sender}::text, '${LEAD}', 'idle_notification', ${payload}::text, now_ms from held)`,
    event: `union all select 1000001, ${typed("message.sent")},
      json_build_object('id', ${id}, 'from', ${sender}, 'to', '${LEAD}', 'type', 'idle_notification')::text`,
  }
}

/** A statement that writes only what there is, so that the common case stays cheap. */
function finish(parts: { evidence?: ReturnType<typeof evidence>; notice?: ReturnType<typeof notice> }): string {
  const resolved = "json_build_object('task', id, 'token', claim_token, 'attempt', attempt)::text"
  // One insert keeps the events in order; separate parts of a statement write in no given order.
  const story =
    parts.evidence === undefined && parts.notice === undefined
      ? `select team_id, ${typed("task.resolved")}, now_ms, $9::text, ${resolved} from held`
      : `select team_id, story.type, story.version, now_ms, $9::text, data from held, (
          ${parts.evidence?.event ?? ""} select 1000000, ${typed("task.resolved")}, ${resolved} from held ${parts.notice?.event ?? ""}
        ) as story (place, type, version, data) order by place`
  const told = `told as (insert into event (team_id, type, version, recorded_at, actor, data) ${story})`
  const all = [HELD, parts.evidence?.part, parts.notice?.part, told].filter((part) => part !== undefined)
  return oneLine(`with ${all.join(", ")} ${RESOLVE}`)
}

const FINISH = finish({})
const FINISH_WITH_EVIDENCE = finish({ evidence: evidence("$12") })
const FINISH_WITH_NOTICE = finish({ notice: notice("$12", "$13", "$14") })
const FINISH_WITH_BOTH = finish({ evidence: evidence("$12"), notice: notice("$13", "$14", "$15") })

export async function finishTask(
  query: Query,
  request: FinishRequest,
  nowMs: number | null,
): Promise<Task | undefined> {
  const { project, team, owner, workerId, token, taskId, result, notice } = request
  const params: Param[] = [project, team, owner, workerId, token, nowMs, taskId, result, owner ?? PERSON]
  params.push(request.run ?? null, request.isQaChecked === true ? "passed" : "")
  const hasEvidence = request.evidence.length > 0
  if (hasEvidence) params.push(JSON.stringify(request.evidence.map(toEntry)))
  if (notice !== null) params.push(notice.id, notice.payload.worker_id, JSON.stringify(notice.payload))
  const text =
    notice === null
      ? hasEvidence
        ? FINISH_WITH_EVIDENCE
        : FINISH
      : hasEvidence
        ? FINISH_WITH_BOTH
        : FINISH_WITH_NOTICE
  const [row] = await query<ReturnedRow>(text, params)
  return row && toTask(row, JSON.parse(row.needs).sort())
}

/** PostgreSQL refuses half of a surrogate pair, which output that was cut may end with. */
function toEntry({ type, trust, text, facts, blockedPattern }: FinishRequest["evidence"][number]) {
  return { type, trust, text: text.toWellFormed(), facts: JSON.stringify(facts), blocked: blockedPattern }
}
