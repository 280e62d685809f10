import { AppError } from "../../kernel/errors.ts"
import { isHeld, type Task } from "../task.ts"

/** Refuses a write by somebody who does not hold the task (any more). Without an owner a person acts, and may. */
export function assertHolds(task: Task, owner: string | undefined, token: number | undefined): void {
  if (owner === undefined && token === undefined) return
  const held = isHeld(task.status)
  const mine = owner === undefined || task.claimedBy === owner
  if (held && mine && (token === undefined || task.claimToken === token)) return
  const now = held ? `held by ${task.claimedBy} (token ${task.claimToken})` : task.status
  throw new AppError(
    "claim.lost",
    `task ${task.id} is ${now}, not held by ${owner ?? `token ${token}`}; stop work on it`,
    {
      taskId: task.id,
      status: task.status,
      claimedBy: task.claimedBy,
      claimToken: task.claimToken,
    },
  )
}
