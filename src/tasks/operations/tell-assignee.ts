import { ENGINE } from "../../kernel/actor.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Ids } from "../../lib/make-ids.ts"
import { inboxName, LEAD } from "../../messages/message.ts"
import type { Context } from "../../store/operation.ts"
import type { Tx } from "../../store/port.ts"
import { hasEnded, type Task } from "../task.ts"
import { lockTask, lockTeam } from "./lookup.ts"

/** Only if the assignee is new. */
export async function tellAssigned(
  tx: Tx,
  key: number,
  { task, before, ids }: { readonly task: Task; readonly before: Task["assignee"]; readonly ids: Ids },
): Promise<void> {
  if (task.assignee === null || task.assignee === before || hasEnded(task.status)) return
  await tellAssignee(tx, key, {
    task,
    ids,
    what: `NEW ASSIGNMENT: task #${task.id}: ${task.title}; claim it when it is ready`,
  })
}

export interface UnblockedRequest extends TeamName {
  readonly task: TaskId
  /** The last need that was met. */
  readonly by: TaskId
}

/** Unless a worker has started already. */
export async function notifyAssignee({ store, ids }: Context, request: UnblockedRequest): Promise<void> {
  await store.write(async (tx) => {
    const team = await lockTeam(tx, request)
    const task = await lockTask(tx, team.key, request.task)
    const { id, assignee } = task
    if (task.status !== "open" || assignee === null) return
    const what = `UNBLOCKED: task #${id} can start, since task #${request.by} is done; claim it`
    await tellAssignee(tx, team.key, { task, ids, what })
    const data = { task: id, by: request.by, to: assignee }
    await tx.events.append(team.key, ENGINE, { type: "task.unblocked", data })
  })
}

async function tellAssignee(
  tx: Tx,
  key: number,
  { task: { id, assignee }, ids, what }: { readonly task: Task; readonly ids: Ids; readonly what: string },
): Promise<void> {
  if (assignee === null) return
  const message = `${what} with: teamwork task claim --id ${id} --owner ${assignee}`
  const to = inboxName(assignee)
  await tx.messages.send(key, LEAD, { id: ids.uuid(), from: LEAD, to, type: "text", payload: { message } })
}
