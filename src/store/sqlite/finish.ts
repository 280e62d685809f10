import { PERSON } from "../../kernel/actor.ts"
import { idleMessage } from "../../messages/message.ts"
import type { Task } from "../../tasks/task.ts"
import type { EventStore, FinishRequest } from "../port.ts"
import { evidenceStore } from "../rows/evidence-rows.ts"
import { messageStore } from "../rows/message-rows.ts"
import type { Session } from "../rows/sql-session.ts"
import { toTask } from "../rows/task-row.ts"
import { HEARD_WITHIN_MS } from "../rows/worker-rows.ts"
import { appendEvent } from "./append-event.ts"
import { RETURNED, type ReturnedRow } from "./claim.ts"

const FINISH = `update task set status = 'resolved', completed_at = ?1, updated_at = ?1, version = version + 1,
    result = coalesce(?2, result), worker_id = coalesce(?3, worker_id), lease_until = null
  where team_id = (select id from team where project = ?4 and name = ?5 and is_current = 1 and (?9 is null or run = ?9)) and id = ?6
    and status in ('in_progress', 'in_review') and protocol_phase in ('', 'completion') and qa in ('', ?10) and (?7 is null or claimed_by = ?7) and (?8 is null or claim_token = ?8)
    and not exists (select 1 from evidence where evidence.team_id = task.team_id and evidence.task_id = task.id
      and evidence.attempt = task.attempt and blocked_pattern is not null and withdrawn_at is null)
  returning ${RETURNED}`

export async function finishTask(session: Session, request: FinishRequest): Promise<Task | undefined> {
  const now = await session.now()
  const row = await session.get<ReturnedRow>(FINISH, [
    now,
    request.result,
    request.workerId,
    request.project,
    request.team,
    request.taskId,
    request.owner,
    request.token,
    request.run ?? null,
    request.isQaChecked === true ? "passed" : "",
  ])
  if (row === undefined) return undefined
  const by = request.owner ?? PERSON
  const key = row.team_id
  const task = toTask(row, JSON.parse(row.needs))
  const { id: taskId, attempt, claimToken: token, workerId } = task
  const events: Pick<EventStore, "append"> = {
    append: (key, by, event) => appendEvent(session, key, by, event),
  }
  await evidenceStore(session, events).add(key, { taskId, attempt, by, entries: request.evidence })
  await events.append(key, by, { type: "task.resolved", data: { task: taskId, token, attempt } })
  if (workerId !== null && request.owner !== null) {
    await session.run("update worker set heartbeat_at = ?1 where team_id = ?2 and id = ?3 and heartbeat_at < ?1 - ?4", [
      now,
      key,
      workerId,
      HEARD_WITHIN_MS,
    ])
  }
  if (request.notice !== null) await messageStore(session, events).send(key, by, idleMessage(request.notice))
  return task
}
