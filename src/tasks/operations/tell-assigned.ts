import type { Ids } from "../../lib/make-ids.ts"
import { inboxName, LEAD } from "../../messages/message.ts"
import type { Tx } from "../../store/port.ts"
import { hasEnded, type Task } from "../task.ts"

/** Tells a worker that a task is meant for it from now on. Nothing when it was before, or is nobody's or over. */
export async function tellAssigned(
  tx: Tx,
  key: number,
  { task, before, ids }: { readonly task: Task; readonly before: Task["assignee"]; readonly ids: Ids },
): Promise<void> {
  const { id, title, assignee } = task
  if (assignee === null || assignee === before || hasEnded(task.status)) return
  const way = `teamwork task claim --id ${id} --owner ${assignee}`
  const message = `NEW ASSIGNMENT: task #${id}: ${title}; claim it when it is ready with: ${way}`
  const to = inboxName(assignee)
  await tx.messages.send(key, LEAD, { id: ids.uuid(), from: LEAD, to, type: "text", payload: { message } })
}
