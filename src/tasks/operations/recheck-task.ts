import type { TaskId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import type { Task } from "../task.ts"
import { lockTask, lockTeam } from "./lookup.ts"
import { reopenTask } from "./task-moves.ts"

export interface Recheck extends TeamName {
  readonly task: TaskId
  readonly attempt: number
  readonly commit: string
  /** Null if the task still holds. */
  readonly failure: string | null
  readonly by: string
}

/** The task stays resolved, or is reopened with the reason. Undefined if it was reopened meanwhile. */
export async function noteRecheck({ store, settings }: Context, recheck: Recheck): Promise<Task | undefined> {
  const { attempt, commit, failure, by } = recheck
  return store.write(async (tx) => {
    const team = await lockTeam(tx, recheck)
    const task = await lockTask(tx, team.key, recheck.task)
    if (task.status !== "resolved" || task.attempt !== attempt) return undefined
    const data = { task: task.id, attempt, commit, holds: failure === null, reason: failure }
    await tx.events.append(team.key, by, { type: "task.rechecked", data })
    return failure === null ? task : reopenTask(tx, team, { task, by, reason: failure, settings })
  })
}
