import * as v from "valibot"
import { ENGINE, PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import { isId, type WorkerId } from "../../kernel/ids.ts"
import { choice, described, type InputOf, number } from "../../lib/schema.ts"
import { inboxName, LEAD } from "../../messages/message.ts"
import {
  agentField,
  type Context,
  operation,
  ownerField,
  runFields,
  taskIdField,
  teamFields,
  textField,
} from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { changeRecord, getRecord } from "../../store/records.ts"
import { getTeam, lockTask, lockTeam } from "../../tasks/operations/lookup.ts"
import { moveTask } from "../../tasks/operations/task-moves.ts"
import { isMet } from "../../tasks/task.ts"
import {
  ESCALATION_STATUSES,
  type Escalation,
  MAX_SUMMARY,
  nameEscalation,
  OPTION_NAMES,
  type Option,
  TRIGGERS,
  toEscalation,
} from "../escalation.ts"
import { followDecision } from "./follow-decision.ts"
import { describeEscalation, raiseEscalation } from "./raise-escalation.ts"

/** By an agent that must not go on by itself, or a person who stops it. Without a task the team as a whole is paused. */
export const escalate = operation({
  name: "escalate",
  summary: "Pause a task, or without one the team, and ask a person to decide",
  input: {
    ...teamFields,
    trigger: choice(TRIGGERS, "why"),
    summary: textField("what the matter is, and what was tried", MAX_SUMMARY),
    task: v.optional(taskIdField),
    owner: v.optional(described(ownerField, "who asks; by default a person")),
  },
  run: ({ store, ids }, input): Promise<Escalation> =>
    store.write(async (tx) => {
      const summary = input.summary.trim()
      if (summary === "")
        throw new AppError("input.invalid", (say) => `${say.field("summary")} must say what the matter is`)
      const { trigger, owner: by = PERSON } = input
      const team = await lockTeam(tx, input)
      const task = input.task === undefined ? null : await lockTask(tx, team.key, input.task)
      const reason = `${trigger}: ${summary}`
      if (task === null) await pauseTeam(tx, team, { by, reason })
      const held = task === null ? null : await pauseTask(tx, team, { task, by, reason })
      const { isNew, ...raised } = await raiseEscalation(tx, team, { trigger, summary, task: held, by })
      const payload = { message: describeEscalation(raised) }
      if (isNew) await tx.messages.send(team.key, by, { id: ids.uuid(), from: by, to: LEAD, type: "text", payload })
      return raised
    }),
})

type Task = Awaited<ReturnType<typeof lockTask>>

async function pauseTask(tx: Tx, team: StoredTeam, { task, by, reason }: { task: Task; by: string; reason: string }) {
  if (isMet(task.status))
    throw new AppError(
      "task.transition",
      `task ${task.id} is ${task.status}, there is nothing to pause`,
      {},
      { remedy: { operation: "task reopen", fields: { id: task.id }, to: "work on it again with" } },
    )
  if (task.status === "paused" || task.status === "failed") return task
  return moveTask(tx, team, { task, to: "paused", by, reason })
}

async function pauseTeam(tx: Tx, team: StoredTeam, { by, reason }: { by: string; reason: string }): Promise<void> {
  if (team.status === "paused") return
  if (team.status !== "active")
    throw new AppError("team.paused", `the team is ${team.status}, there is nothing to pause`)
  await tx.teams.update(team.key, { status: "paused", pauseReason: reason })
  await tx.events.append(team.key, by, { type: "team.paused", data: { reason } })
}

export const listEscalations = operation({
  name: "escalations",
  summary: "List what waits for a decision, or with status what was decided",
  input: { ...runFields, status: v.optional(choice(ESCALATION_STATUSES, "only those; by default open")) },
  run: ({ store }, { status = "open", ...name }): Promise<Escalation[]> =>
    store.read(async (tx) => {
      const { key } = await getTeam(tx, name)
      return (await tx.records.list(key, { kind: "escalation", status })).map(toEscalation)
    }),
})

const decideInput = {
  ...teamFields,
  number: number("which one; see: teamwork escalations", { min: 1, isInteger: true }),
  option: choice(OPTION_NAMES, "what is to be done"),
  note: v.optional(textField("what whoever goes on must know; stands in the next prompt", 5000)),
  agent: v.optional(agentField("with reassign: the agent program that does it, such as codex")),
  owner: v.optional(described(ownerField, "who decides; by default a person")),
}

export interface Decided {
  readonly escalation: Escalation
  /** What became of it, in a few words. */
  readonly outcome: string
}

/** One decision, and what follows from it, in one transaction: whoever comes second is told what was decided. */
export const decide = operation({
  name: "decide",
  summary: "Decide how it goes on after an escalation",
  input: decideInput,
  async run(context, input): Promise<Decided> {
    assertAgentNamed(input)
    return context.store.write((tx) => decideIn(tx, context, input))
  },
})

async function decideIn(tx: Tx, context: Context, input: InputOf<typeof decideInput>): Promise<Decided> {
  const { option, note = null, agent = null, owner = PERSON } = input
  const team = await lockTeam(tx, input)
  const record = await getRecord(tx, team.key, "escalation", input.number)
  const raised = toEscalation(record)
  if (raised.status !== "open") throw alreadyDecided(raised)
  await assertMayDecide(tx, team, { raised, owner })
  assertFits(raised, option)
  const task = raised.taskId === null ? null : await lockTask(tx, team.key, raised.taskId)
  const decidedAt = new Date(await tx.now()).toISOString()
  const data = { ...record.data, decision: option, note, agent, decidedBy: owner, decidedAt }
  const about = `${nameEscalation(raised)}: ${option}`
  const changed = await changeRecord(tx, team, { record, to: { status: "decided", data }, by: owner, about })
  if (changed === undefined) throw alreadyDecided(raised)
  const decided = toEscalation(changed)
  const outcome = await followDecision(tx, team, { decided, task, by: owner, settings: context.settings })
  // Whoever asked is told; whoever goes on with the task reads it in the prompt.
  if (raised.raisedBy !== PERSON && raised.raisedBy !== ENGINE) {
    const message = `DECIDED: ${about}${note === null ? "" : `: ${note}`}`
    const sent = {
      id: context.ids.uuid(),
      from: owner,
      to: raised.raisedBy,
      type: "text",
      payload: { message },
    } as const
    await tx.messages.send(team.key, owner, sent)
  }
  return { escalation: decided, outcome }
}

function assertAgentNamed({ option, agent }: Pick<InputOf<typeof decideInput>, "option" | "agent">): void {
  if (option === "reassign" && agent === undefined)
    throw new AppError(
      "usage",
      (say) => `reassign needs ${say.field("agent")} NAME`,
      {},
      { remedy: { operation: "agent list", to: "see" } },
    )
  if (option !== "reassign" && agent !== undefined)
    throw new AppError("usage", (say) => `${say.field("agent")} goes with reassign, not with ${option}`)
}

/** Whoever works for the team, or leads it, does not decide what it must not decide alone. */
async function assertMayDecide(
  tx: Tx,
  team: StoredTeam,
  { raised, owner }: { readonly raised: Escalation; readonly owner: string },
): Promise<void> {
  if (owner === PERSON) return
  const isWorker = isId(owner) && (await tx.workers.find(team.key, owner as WorkerId)) !== undefined
  if (!isWorker && owner !== raised.raisedBy && owner !== ENGINE && inboxName(owner) !== LEAD) return
  throw new AppError(
    "escalation.not_allowed",
    `${owner} works for the team and cannot decide ${nameEscalation(raised)}; that is for a person`,
    { number: raised.number, owner },
  )
}

function assertFits(raised: Escalation, option: Option): void {
  if (raised.options.includes(option)) return
  throw new AppError(
    "escalation.no_option",
    `${nameEscalation(raised)} cannot be decided by ${option}; it can by ${raised.options.join(", ")}`,
    { number: raised.number, options: raised.options },
  )
}

function alreadyDecided(raised: Escalation): AppError {
  const { status, decision, decidedBy } = raised
  const how =
    status === "decided" ? `decided by ${decidedBy} already: ${decision}` : "withdrawn: it was settled otherwise"
  return new AppError("escalation.decided", `${nameEscalation(raised)} was ${how}`, {
    ...{ number: raised.number, status, decision, by: decidedBy },
  })
}
