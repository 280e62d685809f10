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
import { isMet, type Task } from "../../tasks/task.ts"
import {
  ESCALATION_STATUSES,
  type Escalation,
  MAX_SUMMARY,
  nameEscalation,
  OPTION_NAMES,
  TRIGGERS,
  toEscalation,
  wayToDecide,
} from "../escalation.ts"
import { pauseTeam } from "./escalation-holds.ts"
import { followDecision } from "./follow-decision.ts"
import { raiseEscalation } from "./raise-escalation.ts"

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
      const reason = `${trigger}: ${summary}`
      let task: Task | null = null
      if (input.task === undefined) await pauseWhole(tx, team, { by, reason })
      else task = await pauseTask(tx, team, { task: await lockTask(tx, team.key, input.task), by, reason })
      const { isNew, ...raised } = await raiseEscalation(tx, team, { trigger, summary, task, by })
      const name = nameEscalation(raised).replace("escalation", "ESCALATION")
      const payload = { message: `${name}: ${summary}; decide with: ${wayToDecide(raised)}` }
      if (isNew) await tx.messages.send(team.key, by, { id: ids.uuid(), from: by, to: LEAD, type: "text", payload })
      return raised
    }),
})

async function pauseTask(
  tx: Tx,
  team: StoredTeam,
  { task, by, reason }: { task: Task; by: string; reason: string },
): Promise<Task> {
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

async function pauseWhole(tx: Tx, team: StoredTeam, pause: { by: string; reason: string }): Promise<void> {
  if (team.status !== "paused" && team.status !== "active")
    throw new AppError("team.paused", `the team is ${team.status}, there is nothing to pause`)
  await pauseTeam(tx, team, pause)
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
  note: v.optional(textField("for the next prompt: what to know when the work continues", 5000)),
  agent: v.optional(agentField("with reassign: the agent program that does it, such as codex")),
  owner: v.optional(described(ownerField, "who decides; by default a person")),
}
type DecideInput = InputOf<typeof decideInput>

interface Decided {
  readonly escalation: Escalation
  readonly outcome: string
}

/** Applies its effects in the same transaction. A second decision is refused and names the first. */
export const decide = operation({
  name: "decide",
  summary: "Decide how it goes on after an escalation",
  input: decideInput,
  async run(context, input): Promise<Decided> {
    assertAgentFits(input)
    return context.store.write((tx) => decideIn(tx, context, input))
  },
})

async function decideIn(tx: Tx, context: Context, input: DecideInput): Promise<Decided> {
  const { option, note = null, agent = null, owner = PERSON } = input
  const team = await lockTeam(tx, input)
  const record = await getRecord(tx, team.key, "escalation", input.number)
  const raised = toEscalation(record)
  const { number, status, options, raisedBy } = raised
  if (status !== "open") throw alreadyDecided(raised)
  await assertMayDecide(tx, team, { raised, owner })
  if (!options.includes(option)) {
    const message = `${nameEscalation(raised)} cannot be decided by ${option}; it can by ${options.join(", ")}`
    throw new AppError("escalation.no_option", message, { number, options })
  }
  const task = raised.taskId === null ? null : await lockTask(tx, team.key, raised.taskId)
  const decidedAt = new Date(await tx.now()).toISOString()
  const data = { ...record.data, decision: option, note, agent, decidedBy: owner, decidedAt }
  const about = `${nameEscalation(raised)}: ${option}`
  const changed = await changeRecord(tx, team, { record, to: { status: "decided", data }, by: owner, about })
  if (changed === undefined) throw alreadyDecided(raised)
  const decided = toEscalation(changed)
  const outcome = await followDecision(tx, team, { decided, task, by: owner, settings: context.settings })
  // The next worker reads the decision in its prompt.
  if (raisedBy !== PERSON && raisedBy !== ENGINE) {
    const message = `DECIDED: ${about}${note === null ? "" : `: ${note}`}`
    const sent = { id: context.ids.uuid(), from: owner, to: raisedBy, type: "text", payload: { message } } as const
    await tx.messages.send(team.key, owner, sent)
  }
  return { escalation: decided, outcome }
}

function assertAgentFits({ option, agent }: Pick<DecideInput, "option" | "agent">): void {
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

/** Workers and the lead may not decide instead of a person. */
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
    `${owner} works for the team and cannot decide ${nameEscalation(raised)}; only a person can`,
    { number: raised.number, owner },
  )
}

function alreadyDecided(raised: Escalation): AppError {
  const { number, status, decision, decidedBy: by } = raised
  const how = status === "decided" ? `decided by ${by} already: ${decision}` : "withdrawn: it was settled otherwise"
  const message = `${nameEscalation(raised)} was ${how}`
  return new AppError("escalation.decided", message, { number, status, decision, by })
}
