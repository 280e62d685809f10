import { PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import { optional, withDefault } from "../../lib/fields.ts"
import { operation, ownerField, taskIdField, teamFields, textField, tokenField } from "../../store/operation.ts"
import { hasEnded, type Task } from "../task.ts"
import { assertHolds } from "./assert-holds.ts"
import { getTeam, lockTask } from "./lookup.ts"
import { releaseTask as release } from "./task-moves.ts"

export const releaseTask = operation({
  name: "task.release",
  summary: "Give a task back, for anybody to take",
  input: {
    ...teamFields,
    id: taskIdField,
    owner: optional(ownerField),
    token: optional(tokenField),
    reason: withDefault(textField("why", 2000), "given back"),
  },
  async run({ store }, input): Promise<Task> {
    return store.write(async (tx) => {
      const team = await getTeam(tx, input)
      const task = await lockTask(tx, team.key, input.id)
      assertHolds(task, input.owner, input.token)
      if (task.status === "open") return task
      if (hasEnded(task.status)) {
        throw new AppError(
          "task.transition",
          `task ${task.id} is ${task.status}, there is nothing to give back`,
          { taskId: task.id, from: task.status, to: "open" },
          { remedy: { operation: "task reopen", fields: { id: task.id }, to: "work on it again with" } },
        )
      }
      return release(tx, team, { task, by: input.owner ?? PERSON, reason: input.reason })
    })
  },
})
