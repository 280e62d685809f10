import { AppError } from "../../kernel/errors.ts"
import type { TaskId, WorkerId } from "../../kernel/ids.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { isHeld, type Task } from "../../tasks/task.ts"
import { EVERYBODY, LEAD } from "../message.ts"

interface Address {
  readonly from: string
  readonly to: string
}

/**
 * A recipient is the lead, a worker of this run, the owner or assignee of a task, or a person who wrote before. A
 * task id means its current owner. Other names are refused, because no one reads that inbox.
 */
export async function findRecipients(tx: Tx, team: StoredTeam, { from, to }: Address): Promise<readonly string[]> {
  if (to === EVERYBODY) return listAllWorkers(tx, team, from)
  if (to === LEAD || (await tx.workers.find(team.key, to as WorkerId)) !== undefined) return [to]
  const task = await tx.tasks.find(team.key, to as TaskId)
  if (task !== undefined) return [ownerOf(task)]
  const workers = (await tx.workers.list(team.key)).map(({ id }) => id as string)
  const people = await listPeople(tx, team, workers)
  if (people.includes(to)) return [to]
  const known = [LEAD, ...workers, ...people]
  throw new AppError(
    "message.no_recipient",
    `there is no recipient ${to}. Recipients: ${known.join(", ")}, or the id of a task for its owner`,
    { to, recipients: known },
  )
}

/** Only for the lead; each worker gets its own copy. */
async function listAllWorkers(tx: Tx, team: StoredTeam, from: string): Promise<string[]> {
  if (from !== LEAD) {
    throw new AppError(
      "message.not_allowed",
      (say) => `only the lead (${say.field("from")} ${LEAD}) writes to all workers; name one recipient`,
    )
  }
  const workers = (await tx.workers.list(team.key)).filter(
    (worker) => worker.status !== "stopped" && worker.status !== "dead",
  )
  if (workers.length === 0)
    throw new AppError("worker.not_found", "there are no workers yet, so no one would get the message")
  return workers.map((worker) => worker.id)
}

function ownerOf({ id, claimedBy, workerId, status }: Task): string {
  const name = isHeld(status) ? (workerId ?? claimedBy) : null
  if (name !== null) return name
  throw new AppError("message.no_recipient", `task ${id} has no owner now: it is ${status}. Write to ${LEAD} instead`, {
    to: id,
    recipients: [LEAD],
  })
}

/** Owners and assignees of tasks, and senders of earlier messages. */
async function listPeople(tx: Tx, team: StoredTeam, workers: readonly string[]): Promise<string[]> {
  const tasks = await tx.tasks.list(team.key)
  const named = tasks.flatMap(({ claimedBy, assignee }) => [claimedBy, assignee]).filter((name) => name !== null)
  const names = new Set([...named, ...(await tx.messages.senders(team.key))])
  return [...names].filter((name) => name !== LEAD && !workers.includes(name)).toSorted()
}
