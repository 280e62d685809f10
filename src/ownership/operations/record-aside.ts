import { PERSON } from "../../kernel/actor.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import { LEAD } from "../../messages/message.ts"
import type { Context } from "../../store/operation.ts"
import { getTask, getTeam } from "../../tasks/operations/lookup.ts"

export interface AsideRecord extends TeamName {
  readonly task: TaskId
  readonly attempt: number
  readonly owner?: string
  readonly commit: string
  readonly ref: string
  readonly paths: readonly string[]
}

const MOST_NAMED = 5

/** As an event, and as a message to the lead and the task's owner. */
export async function recordAside({ store, ids }: Context, record: AsideRecord): Promise<void> {
  const { attempt, commit, ref, paths } = record
  await store.write(async (tx) => {
    const { key } = await getTeam(tx, record)
    const task = await getTask(tx, key, record.task)
    const by = record.owner ?? PERSON
    const data = { task: task.id, attempt, commit, ref, paths: [...paths] }
    await tx.events.append(key, by, { type: "ownership.set_aside", data })
    const more = paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : ""
    const named = `${paths.slice(0, MOST_NAMED).join(", ")}${more}`
    const message = `BOUNDARY: set aside, because task ${task.id} does not own it: ${named}; see: git diff ${ref}^1 ${ref}`
    const payload = { message, aside: { task: task.id, commit, ref } }
    await tx.messages.send(key, by, { id: ids.uuid(), from: by, to: LEAD, type: "text", payload })
    if (task.claimedBy === null) return
    await tx.messages.send(key, by, { id: ids.uuid(), from: LEAD, to: task.claimedBy, type: "text", payload })
  })
}
