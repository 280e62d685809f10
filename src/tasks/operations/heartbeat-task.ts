import type { WorkerId } from "../../kernel/ids.ts"
import { optional } from "../../lib/fields.ts"
import { operation, ownerField, taskIdField, teamFields, tokenField } from "../../store/operation.ts"
import type { Task } from "../task.ts"
import { assertHolds } from "./assert-holds.ts"
import { getTeam, lockTask } from "./lookup.ts"

/** Renews the lease, or tells the owner that the task is no longer theirs. Not an event: it may come every few seconds. */
export const heartbeatTask = operation({
  name: "task.heartbeat",
  summary: "Renew a claim; fails when the task is no longer yours",
  input: { ...teamFields, id: taskIdField, owner: ownerField, token: optional(tokenField) },
  async run({ store }, input): Promise<Task> {
    return store.write(async (tx) => {
      const team = await getTeam(tx, input)
      const task = await lockTask(tx, team.key, input.id)
      assertHolds(task, input.owner, input.token)
      await tx.workers.heard(team.key, task.workerId ?? (input.owner as WorkerId))
      return task.status === "in_progress" ? tx.tasks.renew(team.key, task.id) : task
    })
  },
})
