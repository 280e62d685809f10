import * as v from "valibot"
import { ENGINE, PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import { choice, type InputOf, number } from "../../lib/schema.ts"
import { inboxName, LEAD } from "../../messages/message.ts"
import { listHolding, withdrawEscalation } from "../../requests/operations/escalation-holds.ts"
import {
  type Context,
  idField,
  operation,
  ownerField,
  runFields,
  type Settings,
  taskIdField,
  teamFields,
  textField,
  tokenField,
} from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { assertHolds } from "../../tasks/operations/assert-holds.ts"
import { getTask, getTeam, lockTask } from "../../tasks/operations/lookup.ts"
import { releaseTask } from "../../tasks/operations/task-moves.ts"
import { hasEnded, type Task } from "../../tasks/task.ts"
import { EXCEPTION_STATUSES, type Exception } from "../exception.ts"
import { problemWithPattern } from "../file-pattern.ts"
import { judgePath } from "../judge-path.ts"
import { findOverlaps } from "../overlaps.ts"
import { cleanPattern } from "../plain-pattern.ts"
import { isCoordinated } from "./coordinator.ts"
import { readOwnership } from "./ownership-facts.ts"
import { sharedPatterns } from "./plan-files.ts"
import { ABOUT_OWNERSHIP } from "./wait-for-answer.ts"

const askInput = {
  ...teamFields,
  task: taskIdField,
  path: textField("file or pattern, from the repository's root"),
  reason: textField("why the task has to write it", 2000),
  owner: v.optional(ownerField),
  token: v.optional(tokenField),
}

/** Idempotent while the same request is undecided. */
export const askException = operation({
  name: "ownership.ask",
  summary: "Ask the lead to let a task write files it does not own",
  input: askInput,
  async run(context, input): Promise<Exception> {
    const { store, ids, settings } = context
    const problem = problemWithPattern(input.path)
    if (problem !== undefined)
      throw new AppError("input.invalid", (say) => `${say.field("path")} ${problem}`, { field: "path" })
    if (input.reason.trim() === "")
      throw new AppError("input.invalid", (say) => `${say.field("reason")} must not be empty`)
    const pattern = cleanPattern(input.path)
    const roles = await context.roles()
    return store.write(async (tx) => {
      const team = await getTeam(tx, input)
      const task = await lockTask(tx, team.key, input.task)
      assertHolds(task, input.owner, input.token)
      if (input.owner !== undefined && task.status === "in_progress") await tx.tasks.renew(team.key, task.id)
      if (hasEnded(task.status))
        throw new AppError("task.transition", `task ${task.id} is ${task.status}; nothing can be written for it`)
      const judged = judgePath(pattern, await readOwnership(tx, team.key, { task, settings, roles }))
      if (judged.reason === "read_only")
        throw new AppError("ownership.not_allowed", judged.message, { taskId: task.id })
      if (judged.allowed && !/[*?[{]/.test(pattern))
        throw new AppError("ownership.decided", `task ${task.id} may already write it: ${judged.message}`)
      const before = (await tx.exceptions.list(team.key, task.id)).find(
        (entry) => entry.status === "asked" && entry.attempt === task.attempt && entry.pattern === pattern,
      )
      if (before !== undefined) return before
      const by = input.owner ?? PERSON
      const { attempt } = task
      const asked = await tx.exceptions.ask(team.key, { taskId: task.id, attempt, pattern, reason: input.reason, by })
      const data = { task: task.id, attempt, number: asked.number, pattern, reason: input.reason }
      await tx.events.append(team.key, by, { type: "ownership.asked", data })
      const isFree = (await isCoordinated(tx, team.key)) && (await isUnowned(tx, team, { task, pattern, settings }))
      if (isFree) return answer(tx, team, { asked, status: "granted", by: ENGINE, decision: "no open task owns it" })
      const call = `teamwork ownership grant ${task.id} ${asked.number}`
      const message = `BOUNDARY: ${by} asks to write ${pattern} for task ${task.id}: ${input.reason} (${call}, or deny)`
      const payload = { message, exception: { task: task.id, number: asked.number, pattern } }
      await tx.messages.send(team.key, by, { id: ids.uuid(), from: by, to: LEAD, type: "text", payload })
      return asked
    })
  },
})

export const listExceptions = operation({
  name: "ownership.list",
  summary: "List the exceptions that tasks asked for, and the answers",
  input: { ...runFields, task: v.optional(taskIdField), status: v.optional(choice(EXCEPTION_STATUSES, "status")) },
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
  by: v.optional(idField(`who decides: ${LEAD}; without it a person does`)),
  reason: v.optional(textField("why", 2000)),
}

export const grantException = operation({
  name: "ownership.grant",
  summary: "As the lead: let a task write what it asked for, in this attempt or the next one",
  input: decideInput,
  run: (context, input): Promise<Exception> => decide(context, input, "granted"),
})

export const denyException = operation({
  name: "ownership.deny",
  summary: "As the lead: do not let a task write what it asked for",
  input: decideInput,
  run: (context, input): Promise<Exception> => decide(context, input, "denied"),
})

/** Idempotent for the same answer; refuses a different one. */
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
    if (asked.status !== "asked")
      throw new AppError(
        "ownership.decided",
        `exception ${asked.number} of task ${task.id} was ${asked.status} by ${asked.decidedBy}; the task has to ask again`,
      )
    const decision = input.reason ?? null
    const { pattern } = asked
    // An answer after the attempt applies to the next one.
    const attempt = hasEnded(task.status) ? task.attempt + 1 : task.attempt
    const decided = await answer(tx, team, { asked: { ...asked, attempt }, status, by, decision })
    await resumeTask(tx, team, { task, decided })
    if (asked.askedBy !== PERSON) {
      const why = decision === null ? "" : `: ${decision}`
      const message = `BOUNDARY: ${pattern} is ${status} for task ${task.id}${why}`
      const payload = { message, exception: { task: task.id, number: asked.number, pattern, status } }
      await tx.messages.send(team.key, by, { id: ids.uuid(), from: LEAD, to: asked.askedBy, type: "text", payload })
    }
    return decided
  })
}

interface Answer {
  readonly asked: Exception
  readonly status: "granted" | "denied"
  readonly by: string
  readonly decision: string | null
}

async function answer(tx: Tx, team: StoredTeam, { asked, status, by, decision }: Answer): Promise<Exception> {
  const { taskId, number, attempt, pattern } = asked
  await tx.exceptions.decide(team.key, { taskId, number }, { status, by, decision, attempt })
  const data = { task: taskId, attempt, number, pattern, reason: decision }
  await tx.events.append(team.key, by, { type: `ownership.${status}`, data })
  return { ...asked, ...((await tx.exceptions.list(team.key, taskId))[number - 1] ?? {}) }
}

/** Releases a paused task once no question is open. */
async function resumeTask(
  tx: Tx,
  team: StoredTeam,
  { task, decided }: { readonly task: Task; readonly decided: Exception },
): Promise<void> {
  if (task.status !== "paused") return
  if ((await tx.exceptions.list(team.key, task.id)).some(({ status }) => status === "asked")) return
  const by = decided.decidedBy ?? PERSON
  for (const record of await tx.records.list(team.key, { kind: "escalation", status: "open", taskId: task.id }))
    if (record.data.about === ABOUT_OWNERSHIP) await withdrawEscalation(tx, team, { record, by })
  if ((await listHolding(tx, team.key, task.id)).length > 0) return
  const why = decided.decision === null ? "" : `: ${decided.decision}`
  await releaseTask(tx, team, { task, by, reason: `${decided.pattern} was ${decided.status}${why}` })
}

async function isUnowned(
  tx: Tx,
  team: StoredTeam,
  { task, pattern, settings }: { readonly task: Task; readonly pattern: string; readonly settings: Settings },
): Promise<boolean> {
  const others = (await tx.tasks.owning(team.key)).filter(({ id }) => id !== task.id)
  return findOverlaps({ id: task.id, files: [pattern] }, others, sharedPatterns(settings)).length === 0
}

function assertLead(by: string | undefined): string {
  if (by === undefined || by === PERSON) return PERSON
  if (inboxName(by) === LEAD) return LEAD
  throw new AppError(
    "ownership.not_allowed",
    (say) => `only the lead (${say.field("by")} ${LEAD}) decides on exceptions`,
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
