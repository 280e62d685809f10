import { ofType } from "../../kernel/events.ts"
import { splitReason } from "../../lib/text/last-lines.ts"
import { operation, runFields, taskIdField } from "../../store/operation.ts"
import type { Tx } from "../../store/port.ts"
import type { Evidence } from "../evidence.ts"
import type { Task } from "../task.ts"
import { getTask as find, getTeam } from "./lookup.ts"

export type TaskWithEvidence = Task & {
  readonly evidence: readonly Evidence[]
  /** With the last lines of output. */
  readonly failure: { readonly what: string; readonly lines: readonly string[] } | null
}

export const getTask = operation({
  name: "task.get",
  summary: "Show one task with its evidence",
  input: { ...runFields, id: taskIdField },
  async run({ store }, input): Promise<TaskWithEvidence> {
    return store.read(async (tx) => {
      const team = await getTeam(tx, input)
      const task = await find(tx, team.key, input.id)
      const evidence = await tx.evidence.list(team.key, task.id)
      return { ...task, evidence, failure: await readFailure(tx, team.key, task) }
    })
  },
})

async function readFailure(tx: Tx, key: number, task: Task): Promise<TaskWithEvidence["failure"]> {
  if (task.status === "paused") return task.pauseReason === null ? null : splitReason(task.pauseReason)
  if (task.status !== "failed") return null
  const type = "task.status_changed"
  const { events } = await tx.events.list(key, { type, task: task.id, limit: 1_000_000 })
  const reason = ofType(events, type).findLast(({ data }) => data.to === "failed")?.data.reason
  return reason === null || reason === undefined ? null : splitReason(reason)
}
