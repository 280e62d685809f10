import * as v from "valibot"
import { TASK_STATUSES, type Task } from "../domain/task.ts"
import { currentWave } from "../domain/wave.ts"
import { getTeam } from "./lookup.ts"
import { operation, roleField, teamFields } from "./operation.ts"

export const listTasks = operation({
  name: "task.list",
  summary: "List tasks; with --available those that can be claimed now",
  input: v.object({
    ...teamFields,
    available: v.optional(v.pipe(v.boolean(), v.description("only tasks that can be claimed now"))),
    role: v.optional(roleField),
    status: v.optional(
      v.pipe(v.picklist(TASK_STATUSES), v.description(`only tasks that are ${TASK_STATUSES.join(", ")}`)),
    ),
    limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.description("at most this many"))),
  }),
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
