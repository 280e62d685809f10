import { ENGINE } from "../../kernel/actor.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import { inboxName, LEAD } from "../../messages/message.ts"
import type { Context } from "../../store/operation.ts"
import { lockTask, lockTeam } from "./lookup.ts"

export interface UnblockedRequest extends TeamName {
  readonly task: TaskId
  /** The need that was met last. */
  readonly by: TaskId
}

/** Tells whom a task is meant for that they can start. Nothing when that is nobody, or somebody has begun. */
export async function tellUnblocked({ store, ids }: Context, request: UnblockedRequest): Promise<void> {
  await store.write(async (tx) => {
    const team = await lockTeam(tx, request)
    const { id, status, assignee } = await lockTask(tx, team.key, request.task)
    if (status !== "open" || assignee === null) return
    const way = `teamwork task claim --id ${id} --owner ${assignee}`
    const message = `UNBLOCKED: task #${id} can start, since task #${request.by} is done; claim it with: ${way}`
    const to = inboxName(assignee)
    await tx.messages.send(team.key, LEAD, { id: ids.uuid(), from: LEAD, to, type: "text", payload: { message } })
    const data = { task: id, by: request.by, to: assignee }
    await tx.events.append(team.key, ENGINE, { type: "task.unblocked", data })
  })
}
