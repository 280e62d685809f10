import * as v from "valibot"
import { PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import type { Remedy } from "../../kernel/remedy.ts"
import { operation, taskIdField, teamFields, textField } from "../../store/operation.ts"
import { hasEnded, type Task } from "../task.ts"
import { lockTask, lockTeam } from "./lookup.ts"
import { reopenTask as reopen } from "./task-moves.ts"

export const reopenTask = operation({
  name: "task.reopen",
  summary: "Start a new attempt at a resolved, failed or skipped task",
  input: { ...teamFields, id: taskIdField, reason: v.optional(textField("why", 2000)) },
  async run({ store, settings }, input): Promise<Task> {
    return store.write(async (tx) => {
      const team = await lockTeam(tx, input)
      const task = await lockTask(tx, team.key, input.id)
      if (!hasEnded(task.status)) {
        const message = `task ${task.id} is ${task.status}, there is nothing to reopen`
        throw new AppError("task.transition", message, {}, { remedy: wayOn(task) })
      }
      return reopen(tx, team, { task, by: PERSON, reason: input.reason ?? null, settings })
    })
  },
})

function wayOn({ id, status }: Task): Remedy {
  if (status === "open") return { operation: "task claim", fields: { id, owner: "NAME" }, to: "claim it with" }
  if (status === "paused") return { operation: "resume", fields: { task: id }, to: "continue it with" }
  return { operation: "task release", fields: { id }, to: "give it back with" }
}
