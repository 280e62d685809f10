import * as v from "valibot"
import { choice, flag, number } from "../../lib/schema.ts"
import { operation, roleField, runFields } from "../../store/operation.ts"
import type { StoredTeam, TaskFilter, Tx } from "../../store/port.ts"
import { takesClaims } from "../readiness.ts"
import { TASK_STATUSES, type Task } from "../task.ts"
import { currentWave } from "../wave.ts"
import { getTeam } from "./lookup.ts"

export const listTasks = operation({
  name: "task.list",
  summary: "List tasks; with available those that can be claimed now",
  input: {
    ...runFields,
    available: flag("only tasks that can be claimed now"),
    role: v.optional(roleField),
    status: v.optional(choice(TASK_STATUSES, "only tasks of this status")),
    limit: v.optional(number("at most this many", { isInteger: true, min: 1 })),
  },
  async run({ store }, input): Promise<Task[]> {
    return store.read(async (tx) => {
      const team = await getTeam(tx, input)
      const filter = { role: input.role, status: input.status }
      if (input.available !== true) return tx.tasks.list(team.key, { ...filter, limit: input.limit })
      return availableTasks(tx, team, { ...filter, limit: input.limit })
    })
  },
})

/** Tasks without an obstacle (readiness.ts), best first, also those assigned to others. */
export async function availableTasks(tx: Tx, team: StoredTeam, filter: TaskFilter): Promise<Task[]> {
  if (!takesClaims(team)) return []
  const waves = await tx.waves.list(team.key)
  const open = team.schedule === "eager" || waves.length === 0 ? Number.POSITIVE_INFINITY : currentWave(waves)
  return tx.tasks.list(team.key, { ...filter, ready: true, maxWave: open })
}
