import * as v from "valibot"
import type { TaskId, WorkerId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import { type Context, operation, ownerField, taskIdField, teamFields, tokenField } from "../../store/operation.ts"
import type { Task } from "../task.ts"
import { lockHeld, renewFor } from "./assert-holds.ts"

/** No event: it may come every few seconds. */
export const heartbeatTask = operation({
  name: "task.heartbeat",
  summary: "Renew a claim; fails when the task is no longer yours",
  input: { ...teamFields, id: taskIdField, owner: ownerField, token: v.optional(tokenField) },
  async run({ store }, input): Promise<Task> {
    return store.write(async (tx) => {
      const { team, task } = await lockHeld(tx, input, input.id)
      await tx.workers.heard(team.key, task.workerId ?? (input.owner as WorkerId))
      return renewFor(tx, team.key, task, input.owner)
    })
  },
})

/** Only the lease: the worker's process may live while its agent hangs. */
export async function renewClaim(
  { store }: Context,
  claim: TeamName & { readonly id: TaskId; readonly owner: string; readonly token: number },
): Promise<void> {
  await store.write(async (tx) => {
    const { team, task } = await lockHeld(tx, claim, claim.id)
    await renewFor(tx, team.key, task, claim.owner)
  })
}
