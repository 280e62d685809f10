import * as v from "valibot"
import { PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import { operation, ownerField, taskIdField, teamFields, textField, tokenField } from "../../store/operation.ts"
import { hasEnded, type Task } from "../task.ts"
import { lockHeld } from "./assert-holds.ts"
import { releaseTask as release } from "./task-moves.ts"

export const releaseTask = operation({
  name: "task.release",
  summary: "Give a task back, so that any worker can claim it",
  input: {
    ...teamFields,
    id: taskIdField,
    owner: v.optional(ownerField),
    token: v.optional(tokenField),
    reason: v.optional(textField("why", 2000), "given back"),
  },
  async run({ store }, input): Promise<Task> {
    return store.write(async (tx) => {
      const { team, task } = await lockHeld(tx, input, input.id)
      if (task.status === "open") return task
      if (hasEnded(task.status)) {
        throw new AppError(
          "task.transition",
          `task ${task.id} is ${task.status}, there is no claim to give back`,
          { taskId: task.id, from: task.status, to: "open" },
          { remedy: { operation: "task reopen", fields: { id: task.id }, to: "work on it again with" } },
        )
      }
      return release(tx, team, { task, by: input.owner ?? PERSON, reason: input.reason })
    })
  },
})
