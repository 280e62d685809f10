import * as v from "valibot"
import type { TaskId } from "../kernel/ids.ts"
import { readRecord, type TeamRecord } from "../kernel/record.ts"
import type { Remedy } from "../kernel/remedy.ts"
import type { TeamMode } from "../kernel/team.ts"
import { isMet, type Task } from "../tasks/task.ts"

/**
 * `agent-phase`: a worker's plan for a task. `plan`: of the team. `qa-plan`: how work will be checked.
 * `checkpoint`: a person looks before the team continues. `shared-file`: a task's version of a shared file replaces
 * the merged one, unless rejected.
 */
const APPROVAL_SCOPES = ["agent-phase", "plan", "qa-plan", "checkpoint", "shared-file"] as const

/** `withdrawn`: the question is outdated. */
export const APPROVAL_STATUSES = ["pending", "approved", "rejected", "withdrawn"] as const
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number]

/** Questions in SUPERVISED mode besides the workers' plans. */
export const CHECKPOINTS = ["understanding", "team-plan", "draft", "final"] as const
export type Checkpoint = (typeof CHECKPOINTS)[number]

export const WAITS_FOR_APPROVAL = "it waits for an approval; see: teamwork approvals"

export function waysToDecide(number: number): readonly Remedy[] {
  return [
    { operation: "approve", fields: { number }, to: "decide with" },
    { operation: "reject", fields: { number, reason: "WHY" } },
  ]
}

const text = v.nullish(v.string(), null)

const ApprovalData = v.object({
  scope: v.fallback(v.picklist(APPROVAL_SCOPES), "checkpoint"),
  /** The phase, the checkpoint, or another part of the scope. */
  subject: v.nullish(v.string(), ""),
  /** What follows an approval. */
  question: v.nullish(v.string(), ""),
  decidedBy: text,
  decidedAt: text,
  reason: text,
})

export interface Approval extends Readonly<v.InferOutput<typeof ApprovalData>> {
  readonly number: number
  readonly taskId: TaskId | null
  readonly attempt: number | null
  readonly status: ApprovalStatus
  readonly askedBy: string
  readonly askedAt: string
}

export function toApproval(record: TeamRecord): Approval {
  const { number, taskId, attempt, by: askedBy, createdAt: askedAt } = record
  const status = record.status as ApprovalStatus
  return { number, taskId, attempt, status, askedBy, askedAt, ...readRecord(ApprovalData, record) }
}

const MAX_LISTED = 100

type Shown = Pick<Task, "id" | "title" | "role" | "blockedBy"> & Partial<Pick<Task, "status">>

/** One line per task. */
export function listForApproval(tasks: readonly Shown[]): string {
  const lines = tasks.slice(0, MAX_LISTED).map(({ id, title, role, blockedBy, status }) => {
    const needs = blockedBy.length === 0 ? "" : `, needs ${blockedBy.join(", ")}`
    return `- ${id} ${title} [${role}${needs}]${status === undefined ? "" : ` (${status})`}`
  })
  return [...lines, ...(tasks.length > MAX_LISTED ? [`and ${tasks.length - MAX_LISTED} more`] : [])].join("\n")
}

/** Counts attempts, so later work changes the question and an old answer does not cover it. */
export function describeFinal(tasks: readonly (Shown & Pick<Task, "attempt" | "status">)[]): string {
  const attempts = tasks.reduce((sum, { attempt }) => sum + attempt, 0)
  const left = tasks.filter(({ status }) => !isMet(status))
  const head =
    left.length === 0
      ? `Everything is done and verified, and would be delivered: ${tasks.length} tasks in ${attempts} attempts. See: teamwork report`
      : `Only a part is done, and would be delivered without the rest: ${tasks.length - left.length} of ${tasks.length} tasks, ${attempts} attempts in all. Left out: ${left.map(({ id, status }) => `${id} (${status})`).join(", ")}. See: teamwork report`
  return `${head}\n${listForApproval(tasks)}`
}

/** `lead`: a PM agent, or the rule that approves routine questions. */
export function whoDecides(mode: TeamMode, { scope }: Pick<Approval, "scope">): "person" | "lead" {
  // The engine has no rule for a shared file.
  if (scope === "shared-file") return "person"
  return mode === "SUPERVISED" && scope !== "qa-plan" ? "person" : "lead"
}

/** `approval 3 (plan of task 2)` */
export function nameApproval({ number, scope, subject, taskId }: Omit<Approval, "question">): string {
  const what = scope === "agent-phase" ? "plan" : scope === "qa-plan" ? "QA plan" : subject
  return `approval ${number} (${what}${taskId === null ? "" : ` of task ${taskId}`})`
}
