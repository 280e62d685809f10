import { AppError } from "../../kernel/errors.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { isHeld, type Task } from "../task.ts"
import { getTeam, lockTask } from "./lookup.ts"

/** Without owner and token it is a person, who may always write. */
export interface Holder {
  readonly owner?: string
  readonly token?: number
}

/** Refuses a writer that does not hold the task. */
export function assertHolds(task: Task, owner: string | undefined, token: number | undefined): void {
  if (owner === undefined && token === undefined) return
  const held = isHeld(task.status)
  const mine = owner === undefined || task.claimedBy === owner
  if (held && mine && (token === undefined || task.claimToken === token)) return
  const now = held ? `held by ${task.claimedBy} (token ${task.claimToken})` : task.status
  throw new AppError(
    "claim.lost",
    `task ${task.id} is ${now}, not held by ${owner ?? `token ${token}`}; stop work on it`,
    { taskId: task.id, status: task.status, claimedBy: task.claimedBy, claimToken: task.claimToken },
  )
}

/** Locks the task for its holder. */
export async function lockHeld(
  tx: Tx,
  name: TeamName & Holder,
  id: TaskId,
): Promise<{ readonly team: StoredTeam; readonly task: Task }> {
  const team = await getTeam(tx, name)
  const task = await lockTask(tx, team.key, id)
  assertHolds(task, name.owner, name.token)
  return { team, task }
}

/** Every write of the owner renews the lease. */
export async function renewFor(tx: Tx, key: number, task: Task, owner: string | undefined): Promise<Task> {
  return owner !== undefined && task.status === "in_progress" ? tx.tasks.renew(key, task.id) : task
}
