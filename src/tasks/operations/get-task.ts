import { operation, runFields, taskIdField } from "../../store/operation.ts"
import type { Evidence } from "../evidence.ts"
import type { Task } from "../task.ts"
import { getTask as find, getTeam } from "./lookup.ts"

export type TaskWithEvidence = Task & { readonly evidence: readonly Evidence[] }

export const getTask = operation({
  name: "task.get",
  summary: "Show one task with its evidence",
  input: { ...runFields, id: taskIdField },
  async run({ store }, input): Promise<TaskWithEvidence> {
    return store.read(async (tx) => {
      const team = await getTeam(tx, input)
      const task = await find(tx, team.key, input.id)
      return { ...task, evidence: await tx.evidence.list(team.key, task.id) }
    })
  },
})
