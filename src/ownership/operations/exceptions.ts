import { PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import { choice, type InputOf, number, optional } from "../../lib/fields.ts"
import { inboxName, LEAD } from "../../messages/message.ts"
import {
  type Context,
  idField,
  operation,
  ownerField,
  runFields,
  taskIdField,
  teamFields,
  textField,
  tokenField,
} from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { assertHolds } from "../../tasks/operations/assert-holds.ts"
import { getTask, getTeam, lockTask } from "../../tasks/operations/lookup.ts"
import { hasEnded, type Task } from "../../tasks/task.ts"
import { EXCEPTION_STATUSES, type Exception } from "../exception.ts"
import { problemWithPattern } from "../file-pattern.ts"
import { judgePath } from "../judge-path.ts"
import { cleanPattern } from "../plain-pattern.ts"
import { readOwnership } from "./ownership-facts.ts"

const askInput = {
  ...teamFields,
  task: taskIdField,
  path: textField("file or pattern, from the repository's root"),
  reason: textField("why the task has to write it", 2000),
  owner: optional(ownerField),
  token: optional(tokenField),
}

/** Asking again for what is still undecided changes nothing. */
export const askException = operation({
  name: "ownership.ask",
  summary: "Ask the lead to let a task write files that it does not own",
  input: askInput,
  async run({ store, ids, settings }, input): Promise<Exception> {
    const problem = problemWithPattern(input.path)
    if (problem !== undefined)
      throw new AppError("input.invalid", (say) => `${say.field("path")} ${problem}`, { field: "path" })
    if (input.reason.trim() === "")
      throw new AppError("input.invalid", (say) => `${say.field("reason")} must not be empty`)
    const pattern = cleanPattern(input.path)
    return store.write(async (tx) => {
      const team = await getTeam(tx, input)
      const task = await lockTask(tx, team.key, input.task)
      assertHolds(task, input.owner, input.token)
      if (input.owner !== undefined && task.status === "in_progress") await tx.tasks.renew(team.key, task.id)
      assertGoesOn(task)
      const judged = judgePath(pattern, await readOwnership(tx, team.key, { task, settings }))
      if (judged.allowed && !/[*?[{]/.test(pattern))
        throw new AppError("ownership.decided", `task ${task.id} may write it already: ${judged.message}`)
      const before = (await tx.exceptions.list(team.key, task.id)).find(
        (entry) => entry.status === "asked" && entry.attempt === task.attempt && entry.pattern === pattern,
      )
      if (before !== undefined) return before
      const by = input.owner ?? PERSON
      const { attempt } = task
      const asked = await tx.exceptions.ask(team.key, { taskId: task.id, attempt, pattern, reason: input.reason, by })
      const data = { task: task.id, attempt, number: asked.number, pattern, reason: input.reason }
      await tx.events.append(team.key, by, { type: "ownership.asked", data })
      const call = `teamwork ownership grant ${task.id} ${asked.number}`
      const message = `BOUNDARY: ${by} asks to write ${pattern} for task ${task.id}: ${input.reason} (${call}, or deny)`
      const payload = { message, exception: { task: task.id, number: asked.number, pattern } }
      await tx.messages.send(team.key, by, { id: ids.uuid(), from: by, to: LEAD, type: "text", payload })
      return asked
    })
  },
})

function assertGoesOn(task: Task): void {
  if (!hasEnded(task.status)) return
  throw new AppError("task.transition", `task ${task.id} is ${task.status}; nothing is written for it any more`)
}

export const listExceptions = operation({
  name: "ownership.list",
  summary: "List what was asked of the lead, and what became of it",
  input: { ...runFields, task: optional(taskIdField), status: optional(choice(EXCEPTION_STATUSES, "status")) },
  run: ({ store }, input): Promise<Exception[]> =>
    store.read(async (tx) => {
      const { key } = await getTeam(tx, input)
      if (input.task !== undefined) await getTask(tx, key, input.task)
      const all = await tx.exceptions.list(key, input.task)
      return input.status === undefined ? all : all.filter((entry) => entry.status === input.status)
    }),
})

const decideInput = {
  ...teamFields,
  task: taskIdField,
  number: number("number of the exception, as ownership list shows it", { isInteger: true, min: 1 }),
  by: optional(idField(`who decides: ${LEAD}; without it a person does`)),
  reason: optional(textField("why", 2000)),
}

export const grantException = operation({
  name: "ownership.grant",
  summary: "As the lead: let a task write what it asked for, in this attempt",
  input: decideInput,
  run: (context, input): Promise<Exception> => decide(context, input, "granted"),
})

export const denyException = operation({
  name: "ownership.deny",
  summary: "As the lead: do not let a task write what it asked for",
  input: decideInput,
  run: (context, input): Promise<Exception> => decide(context, input, "denied"),
})

/** The same word again changes nothing; another one is too late. */
async function decide(
  { store, ids }: Context,
  input: InputOf<typeof decideInput>,
  status: "granted" | "denied",
): Promise<Exception> {
  const by = assertLead(input.by)
  return store.write(async (tx) => {
    const team = await getTeam(tx, input)
    const task = await lockTask(tx, team.key, input.task)
    const asked = await getException(tx, team, task, input.number)
    if (asked.status === status) return asked
    assertOpen(asked, task)
    const decision = input.reason ?? null
    await tx.exceptions.decide(team.key, { taskId: task.id, number: asked.number }, { status, by, decision })
    const { attempt, pattern } = asked
    const data = { task: task.id, attempt, number: asked.number, pattern, reason: decision }
    await tx.events.append(team.key, by, { type: `ownership.${status}`, data })
    if (asked.askedBy !== PERSON) {
      const why = decision === null ? "" : `: ${decision}`
      const message = `BOUNDARY: ${pattern} is ${status} for task ${task.id}${why}`
      const payload = { message, exception: { task: task.id, number: asked.number, pattern, status } }
      await tx.messages.send(team.key, by, { id: ids.uuid(), from: LEAD, to: asked.askedBy, type: "text", payload })
    }
    return getException(tx, team, task, input.number)
  })
}

/** Workers ask, and do not decide; a person may. */
function assertLead(by: string | undefined): string {
  if (by === undefined || by === PERSON) return PERSON
  if (inboxName(by) === LEAD) return LEAD
  throw new AppError(
    "ownership.not_allowed",
    (say) => `only the lead (${say.field("by")} ${LEAD}) decides what a task may write besides`,
  )
}

async function getException(tx: Tx, team: StoredTeam, task: Task, number: number): Promise<Exception> {
  const all = await tx.exceptions.list(team.key, task.id)
  const found = all[number - 1]
  if (found !== undefined) return found
  throw new AppError(
    "ownership.not_found",
    `task ${task.id} has no exception ${number}; it has ${all.length}`,
    { taskId: task.id, number },
    { remedy: { operation: "ownership list", fields: { task: task.id }, to: "see" } },
  )
}

function assertOpen(asked: Exception, task: Task): void {
  const why =
    asked.status !== "asked"
      ? `was ${asked.status} by ${asked.decidedBy}`
      : asked.attempt === task.attempt && !hasEnded(task.status)
        ? undefined
        : `was asked for attempt ${asked.attempt}, which is over`
  if (why === undefined) return
  throw new AppError(
    "ownership.decided",
    `exception ${asked.number} of task ${task.id} ${why}; it has to be asked for anew`,
  )
}
