import { TASK_STATUSES, type Task } from "../domain/task.ts"
import { currentWave } from "../domain/wave.ts"
import { choice, flag, number, optional } from "../lib/fields.ts"
import { getTeam } from "./lookup.ts"
import { operation, roleField, teamFields } from "./operation.ts"

export const listTasks = operation({
  name: "task.list",
  summary: "List tasks; with --available those that can be claimed now",
  input: {
    ...teamFields,
    available: flag("only tasks that can be claimed now"),
    role: optional(roleField),
    status: optional(choice(TASK_STATUSES, "only tasks of this status")),
    limit: optional(number("at most this many", { isInteger: true, min: 1 })),
  },
  async run({ store }, input): Promise<Task[]> {
    return store.read(async (tx) => {
      const team = await getTeam(tx, input)
      const filter = { role: input.role, status: input.status }
      if (input.available !== true) return tx.tasks.list(team.key, { ...filter, limit: input.limit })
      if (team.status !== "active" || team.phase === "COMPLETE") return []
      const waves = await tx.waves.list(team.key)
      const open = team.schedule === "eager" || waves.length === 0 ? Number.POSITIVE_INFINITY : currentWave(waves)
      return tx.tasks.list(team.key, { ...filter, ready: true, maxWave: open, limit: input.limit })
    })
  },
})
