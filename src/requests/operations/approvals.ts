import * as v from "valibot"
import { ENGINE, PERSON, POLICY } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import { approveChosen } from "../../knowledge/operations/skills.ts"
import { choice, described, number } from "../../lib/schema.ts"
import { moveQa } from "../../quality/operations/move-qa.ts"
import { type Context, operation, ownerField, runFields, teamFields, textField } from "../../store/operation.ts"
import { changeRecord, getRecord } from "../../store/records.ts"
import { getTask, getTeam, lockTask, lockTeam } from "../../tasks/operations/lookup.ts"
import type { Task } from "../../tasks/task.ts"
import { APPROVAL_STATUSES, type Approval, nameApproval, toApproval } from "../approval.ts"
import { resumeIfFree } from "./checkpoints.ts"
import { movePhase } from "./phases.ts"

const decideInput = {
  ...teamFields,
  number: number("which one; see: teamwork approvals"),
  owner: v.optional(described(ownerField, "who decides; by default a person")),
}

export const approve = operation({
  name: "approve",
  summary: "Approve what waits for it",
  input: { ...decideInput, note: v.optional(textField("what to mind while doing it", 2000)) },
  run: (context, { note, ...input }): Promise<Approval> =>
    decideApproval(context, { ...input, status: "approved", reason: note ?? null }),
})

export const reject = operation({
  name: "reject",
  summary: "Reject what waits for an approval, with the reason",
  input: { ...decideInput, reason: textField("why, and what should be done instead", 2000) },
  run: (context, { reason, ...input }): Promise<Approval> => {
    if (reason.trim() === "")
      throw new AppError("input.invalid", (say) => `${say.field("reason")} must say what should be done instead`)
    return decideApproval(context, { ...input, status: "rejected", reason })
  },
})

export const listApprovals = operation({
  name: "approvals",
  summary: "List what waits for an approval, or with status what was decided",
  input: { ...runFields, status: v.optional(choice(APPROVAL_STATUSES, "only those; by default pending")) },
  run: ({ store }, { status = "pending", ...name }): Promise<Approval[]> =>
    store.read(async (tx) => {
      const { key } = await getTeam(tx, name)
      return (await tx.records.list(key, { kind: "approval", status })).map(toApproval)
    }),
})

interface TaskPlan {
  readonly plan: string
  readonly note: string | null
  readonly rejection: string | null
}

/** For this attempt. */
export function readPlan(
  { store }: Pick<Context, "store">,
  { task: id, ...name }: TeamName & { task: TaskId },
): Promise<TaskPlan> {
  return store.read(async (tx) => {
    const { key } = await getTeam(tx, name)
    const { attempt } = await getTask(tx, key, id)
    const asked = (await tx.records.list(key, { kind: "approval", taskId: id })).map(toApproval)
    const last = asked.findLast(
      (each) => each.scope === "agent-phase" && each.attempt === attempt && each.status !== "withdrawn",
    )
    return {
      plan: last?.question ?? "",
      note: last?.status === "approved" ? last.reason : null,
      rejection: last?.status === "rejected" ? last.reason : null,
    }
  })
}

interface Decision {
  readonly project: string
  readonly team: string
  readonly number: number
  readonly owner?: string
  readonly status: "approved" | "rejected"
  readonly reason: string | null
}

/** Applies its effects in the same transaction. A second decision is refused and names the first. */
export async function decideApproval({ store, ids }: Context, decision: Decision): Promise<Approval> {
  const { owner = PERSON, status, reason } = decision
  return store.write(async (tx) => {
    const team = await lockTeam(tx, decision)
    const record = await getRecord(tx, team.key, "approval", decision.number)
    const asked = toApproval(record)
    if (asked.status !== "pending") throw alreadyDecided(asked)
    const task = asked.taskId === null ? null : await lockTask(tx, team.key, asked.taskId)
    if (task !== null && !isStillAsked(asked, task)) throw outdated(asked)
    if (owner !== PERSON && owner === asked.askedBy)
      throw new AppError("approval.own", `${owner} asked for ${nameApproval(asked)} and cannot decide it as well`)
    const decidedAt = new Date(await tx.now()).toISOString()
    const data = { ...record.data, decidedBy: owner, decidedAt, reason }
    const about = nameApproval(asked)
    const changed = await changeRecord(tx, team, { record, to: { status, data }, by: owner, about })
    if (changed === undefined) throw alreadyDecided(asked)
    if (asked.scope === "agent-phase" && task !== null) {
      const to = status === "approved" ? "execution" : "plan_design"
      await movePhase(tx, team, { task, to, by: owner, reason })
      if (status === "approved") await approveChosen(tx, team, { task, by: owner })
    }
    if (task === null && status === "approved") await resumeIfFree(tx, team, owner)
    // After a rejection QA makes another plan.
    if (asked.scope === "qa-plan" && status === "approved" && task?.qa === "planning")
      await moveQa(tx, team, { task, to: "validating", by: owner })
    const { askedBy } = asked
    if (task !== null && askedBy !== PERSON && askedBy !== ENGINE) {
      const message = `${status.toUpperCase()}: ${about}${reason === null ? "" : `: ${reason}`}`
      const sent = { id: ids.uuid(), from: owner, to: askedBy, type: "text", payload: { message } } as const
      await tx.messages.send(team.key, owner, sent)
    }
    return toApproval(changed)
  })
}

/** For modes without questions. Undefined if a person or another worker decided first: their decision stands. */
export async function approveByRule(
  context: Context,
  { project, team }: TeamName,
  { number }: Pick<Approval, "number">,
): Promise<Approval | undefined> {
  try {
    return await decideApproval(context, { project, team, number, status: "approved", owner: POLICY, reason: null })
  } catch (error) {
    if (error instanceof AppError && error.code === "approval.decided") return undefined
    throw error
  }
}

function alreadyDecided(asked: Approval): AppError {
  const by = asked.decidedBy === null ? "" : ` by ${asked.decidedBy}`
  return new AppError(
    "approval.decided",
    `${nameApproval(asked)} was ${asked.status}${by} already`,
    { number: asked.number, status: asked.status, by: asked.decidedBy },
    { remedy: asked.status === "withdrawn" ? { operation: "approvals", to: "see what is asked now with" } : [] },
  )
}

function isStillAsked({ scope, attempt }: Approval, task: Task): boolean {
  return attempt === task.attempt && (scope !== "agent-phase" || task.phase === "awaiting_approval")
}

function outdated(asked: Approval): AppError {
  return new AppError(
    "approval.decided",
    `${nameApproval(asked)} is outdated: the task continued without it`,
    { number: asked.number, status: asked.status, by: null },
    { remedy: { operation: "approvals", to: "see" } },
  )
}
