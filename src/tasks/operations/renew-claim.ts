import type { TaskId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { assertHolds } from "./assert-holds.ts"
import { getTeam, lockTask } from "./lookup.ts"

/**
 * Gives a claim its full lease again, or tells the owner that the task is no longer theirs. Unlike a heartbeat it is no
 * sign of work: the process of a worker lives on while its agent may hang.
 */
export async function renewClaim(
  { store }: Context,
  claim: TeamName & { readonly id: TaskId; readonly owner: string; readonly token: number },
): Promise<void> {
  await store.write(async (tx) => {
    const { key } = await getTeam(tx, claim)
    const task = await lockTask(tx, key, claim.id)
    assertHolds(task, claim.owner, claim.token)
    if (task.status === "in_progress") await tx.tasks.renew(key, task.id)
  })
}
