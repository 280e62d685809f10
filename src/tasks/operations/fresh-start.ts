import type { StoredTeam, Tx } from "../../store/port.ts"
import type { Task } from "../task.ts"
import { lockTask } from "./lookup.ts"
import { releaseTask } from "./task-moves.ts"

/** For changes that teamwork makes by its own rules. */
const TEAMWORK = "teamwork"

/** Releases tasks with an older claim (0: any age) or an expired lease. */
export async function freshStart(tx: Tx, team: StoredTeam, intervalSeconds: number): Promise<Task[]> {
  const limit = intervalSeconds === 0 ? null : (await tx.now()) - intervalSeconds * 1000
  const released: Task[] = []
  for (const found of await tx.tasks.listOverdue(team.key, limit)) {
    const task = await lockTask(tx, team.key, found.id)
    // Before the lock, the owner may have come back or finished.
    const isOverdue =
      task.status === "in_progress" && task.claimToken === found.claimToken && task.leaseUntil === found.leaseUntil
    if (!isOverdue) continue
    const old = limit !== null && Date.parse(task.claimedAt ?? "") <= limit
    const reason = old ? `claimed for more than ${intervalSeconds} s` : "lease ran out"
    released.push(await releaseTask(tx, team, { task, by: TEAMWORK, reason }))
  }
  return released
}
