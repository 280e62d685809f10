import * as v from "valibot"
import { PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TeamRecord } from "../../kernel/record.ts"
import { choice, described, number } from "../../lib/schema.ts"
import { MAX_ROUNDS } from "../../requests/escalation.ts"
import { endDispute } from "../../requests/operations/disputes.ts"
import { operation, runFields, taskIdField, teamFields, textField, titleField } from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { addRecord, byField, changeRecord, getRecord } from "../../store/records.ts"
import { getTeam, lockTask, lockTeam } from "../../tasks/operations/lookup.ts"
import { hasEnded } from "../../tasks/task.ts"
import {
  DISCUSSION_STATUSES,
  type Discussion,
  OUTCOMES,
  roundOf,
  roundsWithoutConsensus,
  SEVERITIES,
  toDiscussion,
} from "../discussion.ts"
import type { Wisdom } from "../wisdom.ts"
import { findSubject, learn } from "./keep-wisdom.ts"

export const openDiscussion = operation({
  name: "discuss.open",
  summary: "Open a discussion of a question that several workers must agree on",
  input: {
    ...teamFields,
    topic: titleField("what has to be agreed on"),
    task: v.optional(described(taskIdField, "the task it is about")),
    by: byField("who opens it"),
  },
  run: ({ store }, { topic, task, by = PERSON, ...name }): Promise<Discussion> =>
    store.write(async (tx) => {
      const team = await lockTeam(tx, name)
      const { task: _, ...where } = await findSubject(tx, team.key, task)
      const record = { kind: "discussion" as const, ...where, status: "open", data: { topic, statements: [] }, by }
      return toDiscussion(await addRecord(tx, team, record, topic))
    }),
})

const whichField = number("which one; see: teamwork discuss list", { isInteger: true, min: 1 })

/** After too many rounds without consensus about a task, a person decides. */
export const speak = operation({
  name: "discuss.say",
  summary: "Say something in a discussion; speaking again begins the next round",
  input: { ...teamFields, number: whichField, text: textField("what to say", 4000), by: byField("who says it") },
  run: (
    { store },
    { number, text, by = PERSON, ...name },
  ): Promise<Discussion & { roundsWithoutConsensus: number }> => {
    if (text.trim() === "")
      throw new AppError("input.invalid", (say) => `${say.field("text")} is empty; say what you think`)
    return store.write(async (tx) => {
      const { team, record, discussion } = await lockOpen(tx, name, number)
      const at = new Date(await tx.now()).toISOString()
      const statements = [...discussion.statements, { round: roundOf(discussion, by), by, text: text.trim(), at }]
      const data = { ...record.data, statements }
      const said = await change(tx, team, { record, to: { status: "open", data }, by, about: discussion.topic })
      const rounds = roundsWithoutConsensus(said)
      if (rounds > MAX_ROUNDS && said.taskId !== null) {
        const parties = [...new Set(said.statements.map((statement) => statement.by))].sort()
        const task = await lockTask(tx, team.key, said.taskId)
        if (!hasEnded(task.status)) await endDispute(tx, team, { task, by, parties, about: said.topic })
      }
      return { ...said, roundsWithoutConsensus: rounds }
    })
  },
})

export const closeDiscussion = operation({
  name: "discuss.close",
  summary: "Close a discussion; the team remembers its conclusion",
  input: {
    ...teamFields,
    number: whichField,
    outcome: choice(OUTCOMES, "what it ended in"),
    severity: v.optional(choice(SEVERITIES, "with consensus_blocked: how much depends on it")),
    conclusion: textField("what holds from now on, or what stands against it", 4000),
    by: byField("who closes it"),
  },
  run: ({ store }, { number, outcome, severity, conclusion, by = PERSON, ...name }): Promise<Discussion> => {
    if (outcome === "consensus_blocked" && severity === undefined)
      throw new AppError(
        "usage",
        (say) => `${say.field("severity")} is missing: say how much depends on it: high, medium or low`,
      )
    if (outcome === "consensus_reached" && severity !== undefined)
      throw new AppError("usage", (say) => `${say.field("severity")} is for consensus_blocked; leave it out`)
    if (conclusion.trim() === "")
      throw new AppError("input.invalid", (say) => `${say.field("conclusion")} is empty; say what holds now`)
    return store.write(async (tx) => {
      const { team, record, discussion } = await lockOpen(tx, name, number)
      const closed = { closedBy: by, closedAt: new Date(await tx.now()).toISOString() }
      const data = { ...record.data, ...closed, severity: severity ?? null, conclusion: conclusion.trim() }
      const ended = await change(tx, team, { record, to: { status: outcome, data }, by, about: discussion.topic })
      await learn(tx, team, { ...wisdomOf(ended), by, attempt: record.attempt })
      return ended
    })
  },
})

/** Others must know the conclusion, or that there is none. */
function wisdomOf({ topic, conclusion, taskId, severity }: Discussion) {
  const said = `${topic}: ${conclusion}`
  const what: Pick<Wisdom, "kind" | "text"> =
    severity === null ? { kind: "decision", text: said } : { kind: "issue", text: `no consensus on ${said}` }
  return { ...what, taskId, role: null, files: [] }
}

export const listDiscussions = operation({
  name: "discuss.list",
  summary: "List the discussions of the team",
  input: { ...runFields, status: v.optional(choice(DISCUSSION_STATUSES, "only these")) },
  run: ({ store }, { status, ...name }): Promise<Discussion[]> =>
    store.read(async (tx) => {
      const { key } = await getTeam(tx, name)
      const filter = { kind: "discussion", ...(status === undefined ? {} : { status }) } as const
      return (await tx.records.list(key, filter)).map(toDiscussion)
    }),
})

export const showDiscussion = operation({
  name: "discuss.show",
  summary: "Show a discussion, round by round",
  input: { ...runFields, number: whichField },
  run: ({ store }, { number, ...name }): Promise<Discussion> =>
    store.read(async (tx) => {
      const { key } = await getTeam(tx, name)
      return toDiscussion(await getRecord(tx, key, "discussion", number))
    }),
})

async function lockOpen(tx: Tx, name: { readonly project: string; readonly team: string }, number: number) {
  const team = await lockTeam(tx, name)
  const record = await getRecord(tx, team.key, "discussion", number)
  const discussion = toDiscussion(record)
  if (discussion.status !== "open")
    throw new AppError(
      "discussion.closed",
      `discussion ${number} was closed by ${discussion.closedBy} as ${discussion.status}`,
      { number, status: discussion.status },
      { remedy: { operation: "discuss open", fields: { topic: "TOPIC" }, to: "open another one with" } },
    )
  return { team, record, discussion }
}

async function change(tx: Tx, team: StoredTeam, how: Parameters<typeof changeRecord>[2] & { record: TeamRecord }) {
  const changed = await changeRecord(tx, team, how)
  if (changed === undefined) throw new Error(`discussion ${how.record.number} changed while the team was locked`)
  return toDiscussion(changed)
}
