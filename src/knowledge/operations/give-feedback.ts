import * as v from "valibot"
import { PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TaskId } from "../../kernel/ids.ts"
import { described, flag } from "../../lib/schema.ts"
import { operation, taskIdField, teamFields, textField } from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { addRecord } from "../../store/records.ts"
import { getTeam, lockTask, lockTeam } from "../../tasks/operations/lookup.ts"
import { isHeld, type Task } from "../../tasks/task.ts"
import { type Feedback, toFeedback } from "../feedback.ts"

export interface FeedbackResult {
  /** The new one; all with `list`. */
  readonly feedback: readonly Feedback[]
  /** Workers that got a message. */
  readonly told: readonly string[]
}

/** Sends it to running workers; later prompts contain it. */
export const giveFeedback = operation({
  name: "feedback",
  summary: "Tell all workers of the team something, now and in later prompts",
  input: {
    ...teamFields,
    text: v.optional(textField("what to tell them", 20_000)),
    task: v.optional(described(taskIdField, "only for this task")),
    list: flag("list the feedback so far"),
  },
  async run({ store, ids }, { text, task, list, ...name }): Promise<FeedbackResult> {
    if (list === true) {
      const known = await store.read(async (tx) => listFeedback(tx, (await getTeam(tx, name)).key, task ?? null))
      return { feedback: known, told: [] }
    }
    if (text === undefined || text.trim() === "")
      throw new AppError(
        "usage",
        "the text is missing",
        {},
        {
          remedy: [
            { operation: "feedback", fields: { text: "TEXT" }, to: "for example" },
            { operation: "feedback", fields: { list: true }, to: "list it with" },
          ],
        },
      )
    return store.write(async (tx) => {
      const team = await lockTeam(tx, name)
      const about = task === undefined ? null : await lockTask(tx, team.key, task)
      const feedback = await noteFeedback(tx, team, { text: text.trim(), taskId: about?.id ?? null, by: PERSON })
      const told = about === null ? await listRunning(tx, team) : holderOf(about)
      for (const to of told) {
        const message = `FEEDBACK${about === null ? "" : ` on task #${about.id}`}: ${text.trim()}`
        const letter = { id: ids.uuid(), from: PERSON, to, type: "text", payload: { message } } as const
        await tx.messages.send(team.key, PERSON, letter)
      }
      return { feedback: [feedback], told }
    })
  },
})

function holderOf({ status, claimedBy }: Task): string[] {
  return claimedBy !== null && isHeld(status) ? [claimedBy] : []
}

async function listRunning(tx: Tx, team: StoredTeam): Promise<string[]> {
  const workers = await tx.workers.list(team.key)
  return workers.filter(({ status }) => status !== "stopped" && status !== "dead").map(({ id }) => id)
}

/** The team must be locked. */
export async function noteFeedback(
  tx: Tx,
  team: StoredTeam,
  { text, taskId, by }: Pick<Feedback, "text" | "taskId" | "by">,
): Promise<Feedback> {
  const record = { kind: "feedback" as const, taskId, attempt: null, status: "given", data: { text }, by }
  return toFeedback(await addRecord(tx, team, record, text.slice(0, 200)))
}

/** Of one task, or all. */
export async function listFeedback(tx: Tx, key: number, task: TaskId | null): Promise<Feedback[]> {
  const all = (await tx.records.list(key, { kind: "feedback" })).map(toFeedback)
  return task === null ? all : all.filter(({ taskId }) => taskId === null || taskId === task)
}
