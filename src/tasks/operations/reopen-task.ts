import { PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import { optional } from "../../lib/fields.ts"
import { operation, taskIdField, teamFields, textField } from "../../store/operation.ts"
import { hasEnded, type Task } from "../task.ts"
import { lockTask, lockTeam } from "./lookup.ts"
import { reopenTask as reopen } from "./task-moves.ts"

export const reopenTask = operation({
  name: "task.reopen",
  summary: "Start a new attempt at a resolved, failed or skipped task",
  input: { ...teamFields, id: taskIdField, reason: optional(textField("why", 2000)) },
  async run({ store, settings }, input): Promise<Task> {
    return store.write(async (tx) => {
      const team = await lockTeam(tx, input)
      const task = await lockTask(tx, team.key, input.id)
      if (!hasEnded(task.status)) {
        const way =
          task.status === "paused" ? `teamwork resume --task ${task.id}` : `teamwork task release --id ${task.id}`
        const hint = task.status === "open" ? "it can be claimed" : `use: ${way}`
        throw new AppError("task.transition", `task ${task.id} is ${task.status}, there is nothing to reopen; ${hint}`)
      }
      return reopen(tx, team, { task, by: PERSON, reason: input.reason ?? null, settings })
    })
  },
})
