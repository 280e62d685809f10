import * as v from "valibot"
import { PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import { isId, type WorkerId } from "../../kernel/ids.ts"
import { choice, described, flag, number } from "../../lib/schema.ts"
import { inboxName, LEAD } from "../../messages/message.ts"
import { ABOUT_REVIEW, type Escalation } from "../../requests/escalation.ts"
import { resumeIfFree } from "../../requests/operations/checkpoints.ts"
import { withdrawEscalations } from "../../requests/operations/escalation-holds.ts"
import { operation, ownerField, runFields, taskIdField, teamFields, textField } from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { getRecord } from "../../store/records.ts"
import { getTeam, lockTeam } from "../../tasks/operations/lookup.ts"
import { type Finding, mustBeFixed, nameFinding, SEVERITIES, sortBySeverity, toFinding } from "../finding.ts"
import { aboutFinding, change, listAll, listOpen } from "./record-findings.ts"

const numberField = number("which one; see: teamwork findings", { min: 1, isInteger: true })

export const listFindings = operation({
  name: "findings",
  summary: "List what reviews found, the most severe first",
  input: {
    ...runFields,
    open: flag("only those that are open"),
    severity: v.optional(choice(SEVERITIES, "only those of this severity")),
    task: v.optional(described(taskIdField, "only those about this task")),
  },
  run: ({ store }, { open, severity, task, ...name }): Promise<Finding[]> =>
    store.read(async (tx) => {
      const all = await listAll(tx, (await getTeam(tx, name)).key)
      return sortBySeverity(
        all.filter(
          (each) =>
            (open !== true || each.status === "open") &&
            (severity === undefined || each.severity === severity) &&
            (task === undefined || each.taskId === task || each.reportedIn === task),
        ),
      )
    }),
})

export const showFinding = operation({
  name: "findings.show",
  summary: "Show one finding: what it says, where, and what became of it",
  input: { ...runFields, number: numberField },
  run: ({ store }, { number: which, ...name }): Promise<Finding> =>
    store.read(async (tx) => toFinding(await getRecord(tx, (await getTeam(tx, name)).key, "finding", which))),
})

const waiveInput = {
  ...teamFields,
  number: numberField,
  reason: textField("why it may stay as it is", 2000),
  owner: v.optional(described(ownerField, "who accepts it; by default a person")),
}

/** Only a person may waive: the command refuses calls of agents. */
export const waiveFinding = operation({
  name: "findings.waive",
  summary: "Accept a finding as it is: it holds nothing any more",
  input: waiveInput,
  run: ({ store }, { number: which, reason, owner: by = PERSON, ...name }): Promise<Finding> =>
    store.write(async (tx) => {
      const team = await lockTeam(tx, name)
      const finding = toFinding(await getRecord(tx, team.key, "finding", which))
      await assertMayWaive(tx, team, by)
      if (reason.trim() === "")
        throw new AppError("input.invalid", (say) => `${say.field("reason")} must say why it may stay as it is`)
      const waived = await waive(tx, team, { finding, reason: reason.trim(), by })
      await withdrawQuestion(tx, team, by)
      return waived
    }),
})

/** Once no finding is open. */
async function withdrawQuestion(tx: Tx, team: StoredTeam, by: string): Promise<void> {
  if ((await listOpen(tx, team.key)).some(mustBeFixed)) return
  const isMeant = ({ about }: Escalation) => about === ABOUT_REVIEW
  if ((await withdrawEscalations(tx, team, { taskId: null, by, isMeant })) > 0) await resumeIfFree(tx, team, by)
}

interface Waiver {
  readonly finding: Finding
  readonly reason: string
  readonly by: string
}

/** The team must be locked. */
async function waive(tx: Tx, team: StoredTeam, { finding, reason, by }: Waiver): Promise<Finding> {
  const { number, status } = finding
  if (status !== "open")
    throw new AppError("finding.status", `finding ${number} is ${status}; only an open one can be waived`, {
      number,
      status,
    })
  const waived = await change(tx, team, finding, { status: "waived", data: { waivedBy: by, reason } })
  await tx.events.append(team.key, by, { type: "finding.waived", data: { ...aboutFinding(waived), reason } })
  return waived
}

/** By one decision of a person. */
export async function waiveAll(tx: Tx, team: StoredTeam, { reason, by }: Omit<Waiver, "finding">): Promise<Finding[]> {
  const waived: Finding[] = []
  for (const finding of (await listOpen(tx, team.key)).filter(mustBeFixed))
    waived.push(await waive(tx, team, { finding, reason, by }))
  return waived
}

/** Each finding gets one more fix before a person is asked again. */
export async function allowAnotherFix(tx: Tx, team: StoredTeam): Promise<Finding[]> {
  const open = (await listOpen(tx, team.key)).filter(mustBeFixed)
  const again = { rounds: 0, isRetry: true, fixTask: null }
  for (const finding of open) await change(tx, team, finding, { status: "open", data: again })
  return open
}

/** Workers and the lead may not waive findings about their own work. */
async function assertMayWaive(tx: Tx, team: StoredTeam, by: string): Promise<void> {
  if (by === PERSON) return
  const isWorker = isId(by) && (await tx.workers.find(team.key, by as WorkerId)) !== undefined
  if (!isWorker && inboxName(by) !== LEAD) return
  throw new AppError("call.not_allowed", `${by} works for the team and cannot waive a finding; only a person can`)
}

export const reopenFinding = operation({
  name: "findings.reopen",
  summary: "Take a waiver back: the finding is open again",
  input: { ...teamFields, number: numberField, reason: v.optional(textField("why", 2000)) },
  run: ({ store }, { number: which, reason = null, ...name }): Promise<Finding> =>
    store.write(async (tx) => {
      const team = await lockTeam(tx, name)
      const finding = toFinding(await getRecord(tx, team.key, "finding", which))
      if (finding.status === "open")
        throw new AppError("finding.status", `${nameFinding(finding)} is open already`, {
          number: which,
          status: "open",
        })
      const data = { waivedBy: null, reason: null, fixedIn: null, fixedBy: null, fixTask: null, rounds: 0 }
      const open = await change(tx, team, finding, { status: "open", data })
      await tx.events.append(team.key, PERSON, { type: "finding.reopened", data: { ...aboutFinding(open), reason } })
      return open
    }),
})
