import { ENGINE } from "../../kernel/actor.ts"
import { ofType } from "../../kernel/events.ts"
import type { TaskId, WorkerId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import { LEAD } from "../../messages/message.ts"
import { TRIGGER_OF } from "../../requests/escalation.ts"
import { describeMatter, raiseEscalation } from "../../requests/operations/raise-escalation.ts"
import { withdrawLimit } from "../../requests/operations/wait-for-limit.ts"
import type { Context } from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import {
  type AfterSetback,
  afterSetback,
  type PastSetback,
  type RetryLimits,
  type SetbackKind,
  type Spent,
} from "../retry.ts"
import type { Task } from "../task.ts"
import { assertHolds } from "./assert-holds.ts"
import { lockTask, lockTeam } from "./lookup.ts"
import { moveTask, releaseTask } from "./task-moves.ts"

export interface SetBack extends TeamName {
  readonly taskId: TaskId
  /** Undefined if the engine acts for a worker that is gone. */
  readonly owner?: string
  readonly token?: number
  readonly worker: WorkerId
  readonly agent: string | null
  readonly kind: SetbackKind
  /** For people, and for the next try. */
  readonly reason: string
  readonly advice: string | null
  readonly limits: RetryLimits
  readonly spent?: Spent
}

export interface SetBackResult {
  readonly task: Task
  readonly next: AfterSetback
}

/** A worker gives up its task, which is tried again, or becomes failed or paused. */
export async function setBack({ store, ids }: Context, request: SetBack): Promise<SetBackResult> {
  return store.write(async (tx) => {
    const team = await lockTeam(tx, request)
    const task = await lockTask(tx, team.key, request.taskId)
    assertHolds(task, request.owner, request.token)
    const { kind, agent, reason } = request
    const earlier = await listSetbacks(tx, team, task)
    const next = afterSetback([...earlier, { kind, agent, reason }], request.limits, request.spent)
    return { task: await noteSetback(tx, team, { ...request, task, next, messageId: ids.uuid() }), next }
  })
}

interface NotedSetback extends Pick<SetBack, "worker" | "agent" | "kind" | "reason" | "advice"> {
  readonly task: Task
  readonly next: AfterSetback
  readonly messageId: string
}

/** Without a retry, raises an escalation and sends the lead a message. */
export async function noteSetback(tx: Tx, team: StoredTeam, noted: NotedSetback): Promise<Task> {
  const { task, next, kind, agent, worker, reason, advice, messageId: id } = noted
  const context = next === "retry" ? undefined : await describeMatter(tx, team, task, [`${kind}: ${reason}`])
  await tx.events.append(team.key, worker, {
    type: "task.setback",
    data: { task: task.id, attempt: task.attempt, worker, agent, kind, reason, advice },
  })
  const moved = await apply(tx, team, { task, next, by: worker, reason })
  if (next === "retry") await withdrawLimit(tx, team, { taskId: task.id, by: worker })
  else {
    await raiseEscalation(tx, team, { trigger: TRIGGER_OF[kind], summary: reason, task: moved, by: ENGINE, context })
    const message = `FAILED task #${task.id}: ${reason}`
    await tx.messages.send(team.key, worker, { id, from: worker, to: LEAD, type: "text", payload: { message } })
  }
  return moved
}

async function apply(
  tx: Tx,
  team: StoredTeam,
  { task, next, by, reason }: { task: Task; next: AfterSetback; by: string; reason: string },
): Promise<Task> {
  if (next === "retry") return releaseTask(tx, team, { task, by, reason })
  return moveTask(tx, team, { task, to: next === "fail" ? "failed" : "paused", by, reason })
}

async function listSetbacks(tx: Tx, team: StoredTeam, task: Task): Promise<PastSetback[]> {
  const { events } = await tx.events.list(team.key, { type: "task.setback", task: task.id, limit: 1_000_000 })
  return ofType(events, "task.setback")
    .filter(({ data }) => data.attempt === task.attempt)
    .map(({ data: { kind, agent, reason } }) => ({ kind, agent, reason }))
}
