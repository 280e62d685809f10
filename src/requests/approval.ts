import type { TaskId } from "../kernel/ids.ts"
import type { TeamRecord } from "../kernel/record.ts"
import type { Remedy } from "../kernel/remedy.ts"
import type { TeamMode } from "../kernel/team.ts"
import { isMet, type Task } from "../tasks/task.ts"

/**
 * What can be asked for. `agent-phase`: a worker's plan for a task. `plan`: what the team is going to do. `qa-plan`: how
 * work is going to be checked. `checkpoint`: a place on the way at which a person wants to have a look. `shared-file`: that
 * what a task has in a shared file takes the place of what is merged already; rejected, it does not.
 */
export const APPROVAL_SCOPES = ["agent-phase", "plan", "qa-plan", "checkpoint", "shared-file"] as const
export type ApprovalScope = (typeof APPROVAL_SCOPES)[number]

/** `withdrawn`: what was asked for is no longer what would be done. */
export const APPROVAL_STATUSES = ["pending", "approved", "rejected", "withdrawn"] as const
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number]

/** The places at which a person is asked in SUPERVISED mode, besides the plans of the workers. */
export const CHECKPOINTS = ["understanding", "team-plan", "draft", "final"] as const
export type Checkpoint = (typeof CHECKPOINTS)[number]

/** Why a team is paused that a person is asked about. */
export const WAITS_FOR_APPROVAL = "it waits for an approval; see: teamwork approvals"

/** Both answers that somebody may give. */
export function waysToDecide(number: number): readonly Remedy[] {
  return [
    { operation: "approve", fields: { number }, to: "decide with" },
    { operation: "reject", fields: { number, reason: "WHY" } },
  ]
}

/** One question and its answer. The number is that of the question: an answer can never be taken for that to another. */
export interface Approval {
  readonly number: number
  readonly scope: ApprovalScope
  /** The phase, the checkpoint, or what else within the scope. */
  readonly subject: string
  readonly taskId: TaskId | null
  readonly attempt: number | null
  /** What is going to be done once it is approved. */
  readonly question: string
  readonly status: ApprovalStatus
  readonly askedBy: string
  readonly askedAt: string
  readonly decidedBy: string | null
  readonly decidedAt: string | null
  readonly reason: string | null
}

export function toApproval({ number, taskId, attempt, status, data, by, createdAt }: TeamRecord): Approval {
  const text = (key: string) => (typeof data[key] === "string" ? data[key] : null)
  return {
    ...{ number, taskId, attempt },
    scope: (text("scope") ?? "checkpoint") as ApprovalScope,
    subject: text("subject") ?? "",
    question: text("question") ?? "",
    status: status as ApprovalStatus,
    askedBy: by,
    askedAt: createdAt,
    decidedBy: text("decidedBy"),
    decidedAt: text("decidedAt"),
    reason: text("reason"),
  }
}

const MOST_NAMED = 100

type Shown = Pick<Task, "id" | "title" | "role" | "blockedBy"> & Partial<Pick<Task, "status">>

/** A line for each task, as far as that can be read. */
export function listForApproval(tasks: readonly Shown[]): string {
  const lines = tasks.slice(0, MOST_NAMED).map(({ id, title, role, blockedBy, status }) => {
    const needs = blockedBy.length === 0 ? "" : `, needs ${blockedBy.join(", ")}`
    return `- ${id} ${title} [${role}${needs}]${status === undefined ? "" : ` (${status})`}`
  })
  return [...lines, ...(tasks.length > MOST_NAMED ? [`and ${tasks.length - MOST_NAMED} more`] : [])].join("\n")
}

/**
 * What is asked before the delivery. Whatever is done after that makes it another question, so that an answer never
 * stands for work that nobody had seen; no clock has a say in it.
 */
export function describeFinal(tasks: readonly (Shown & Pick<Task, "attempt" | "status">)[]): string {
  const attempts = tasks.reduce((sum, { attempt }) => sum + attempt, 0)
  const left = tasks.filter(({ status }) => !isMet(status))
  const head =
    left.length === 0
      ? `Everything is done and verified, and would be delivered: ${tasks.length} tasks in ${attempts} attempts. See: teamwork report`
      : `Only a part is done, and would be delivered without the rest: ${tasks.length - left.length} of ${tasks.length} tasks, ${attempts} attempts in all. Left out: ${left.map(({ id, status }) => `${id} (${status})`).join(", ")}. See: teamwork report`
  return `${head}\n${listForApproval(tasks)}`
}

/** A person, or whoever leads the team: a PM agent, or the rule that routine matters are approved. */
export type Decider = "person" | "lead"

/** In FULL_AUTO nobody is waited for; whoever supervises decides everything but how QA goes about its work. */
export function whoDecides(mode: TeamMode, { scope }: Pick<Approval, "scope">): Decider {
  // The engine asks because it has no rule for it, so there is none to answer by.
  if (scope === "shared-file") return "person"
  return mode === "SUPERVISED" && scope !== "qa-plan" ? "person" : "lead"
}

/** `approval 3 (plan of task 2)` */
export function nameApproval({ number, scope, subject, taskId }: Omit<Approval, "question">): string {
  const what = scope === "agent-phase" ? "plan" : scope === "qa-plan" ? "QA plan" : subject
  return `approval ${number} (${what}${taskId === null ? "" : ` of task ${taskId}`})`
}
