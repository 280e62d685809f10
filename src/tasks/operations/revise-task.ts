import * as v from "valibot"
import { PERSON } from "../../kernel/actor.ts"
import type { TaskId } from "../../kernel/ids.ts"
import { noteFeedback } from "../../knowledge/operations/give-feedback.ts"
import { operation, taskIdField, teamFields, textField } from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { hasEnded, isHeld, type Task } from "../task.ts"
import { getTask, lockTask, lockTeam } from "./lookup.ts"
import { reopenTask } from "./task-moves.ts"

export interface Revision {
  readonly task: Task
  /** The task itself first. */
  readonly reopened: readonly TaskId[]
  /** Still resolved; checked without an agent once the task is done. */
  readonly recheck: readonly TaskId[]
  /** Their holders got a message. */
  readonly told: readonly TaskId[]
}

/**
 * Reopens a task. Resolved tasks that depend on it are checked later and stay if they still hold; failed ones and
 * those that only read, such as reviews, are reopened. A task in progress goes on, and its holder gets the feedback
 * as a message.
 */
export const reviseTask = operation({
  name: "revise",
  summary: "Redo a task with feedback, and check the tasks that depend on it again",
  input: { ...teamFields, id: taskIdField, feedback: v.optional(textField("what should change", 20_000)) },
  async run({ store, ids, settings, roles }, { id, feedback, ...name }): Promise<Revision> {
    const said = feedback?.trim() || null
    const reading = new Set((await roles()).filter(({ writes }) => !writes).map((role) => role.name))
    return store.write(async (tx) => {
      const team = await lockTeam(tx, name)
      const task = await lockTask(tx, team.key, id)
      const reason = `revised${said === null ? "" : `: ${said}`}`
      const move = { by: PERSON, reason, settings }
      const reopened: TaskId[] = []
      const recheck: TaskId[] = []
      const told: TaskId[] = []
      const tell = async (about: Task, text: string) => {
        if (about.claimedBy === null || !isHeld(about.status)) return
        const message = { id: ids.uuid(), from: PERSON, to: about.claimedBy, type: "text" } as const
        await tx.messages.send(team.key, PERSON, { ...message, payload: { message: text } })
        told.push(about.id)
      }
      if (said !== null) await noteFeedback(tx, team, { text: said, taskId: id, by: PERSON })
      if (hasEnded(task.status)) {
        await reopenTask(tx, team, { ...move, task })
        reopened.push(id)
      } else {
        await tell(task, `FEEDBACK on task #${id}: ${said ?? "revise it"}`)
      }
      for (const other of await listDependants(tx, team, id)) {
        const dependant = await lockTask(tx, team.key, other)
        if (dependant.status === "resolved" && !reading.has(dependant.agentType ?? dependant.role)) {
          const data = { task: other, attempt: dependant.attempt, of: id }
          await tx.events.append(team.key, PERSON, { type: "task.recheck_asked", data })
          recheck.push(other)
        } else if (hasEnded(dependant.status)) {
          const because = `task ${id}, which it builds on, is ${reason}`
          await reopenTask(tx, team, { ...move, task: dependant, reason: because })
          reopened.push(other)
        } else await tell(dependant, `Task #${id}, which task #${other} builds on, is ${reason}`)
      }
      return { task: await getTask(tx, team.key, id), reopened, recheck, told }
    })
  },
})

/** Direct and indirect, the nearest first. */
async function listDependants(tx: Tx, team: StoredTeam, id: TaskId): Promise<TaskId[]> {
  const found = new Set<TaskId>([id])
  for (const each of found) for (const next of await tx.tasks.dependants(team.key, each)) found.add(next)
  found.delete(id)
  return [...found]
}
