import type { Budget } from "../kernel/budget.ts"
import type { TaskId, WorkerId } from "../kernel/ids.ts"
import type { Team } from "../kernel/team.ts"
import type { Staffing } from "../planning/staffing.ts"
import type { Finding } from "../quality/finding.ts"
import type { VerdictStatus } from "../quality/verdict.ts"
import type { History } from "../reporting/history.ts"
import type { Approval, ApprovalStatus } from "../requests/approval.ts"
import type { Option, Trigger } from "../requests/escalation.ts"
import type { Question } from "../requests/question.ts"
import type { BlockerChoice, OnBlockerFailed } from "../tasks/blocker.ts"
import type { CascadeKind } from "../tasks/follow-up.ts"
import type { RetryLimits } from "../tasks/retry.ts"
import type { Role, Task } from "../tasks/task.ts"
import type { WavePlan } from "../tasks/wave.ts"
import type { WorkerAvailability } from "../workers/worker.ts"

/** The input of all decisions, as plain data of one moment. An attempt is named `task/attempt`. */
export interface EngineSnapshot {
  readonly now: number
  readonly team: Pick<Team, "phase" | "status" | "mode" | "schedule">
  /** In the order of their creation. */
  readonly tasks: readonly Task[]
  readonly waves: WavePlan
  readonly workers: readonly EngineWorker[]
  readonly history: History
  /** The running long action; no other one begins meanwhile. */
  readonly busy: LongAction["type"] | null
  /** Attempts with nothing left to merge. */
  readonly settled: ReadonlySet<string>
  /** Finished attempts that wait for a repair, with the task that does it. */
  readonly queued: ReadonlyMap<string, string>
  /** Attempts with work in another repository, and how to bring it here. */
  readonly elsewhere: ReadonlyMap<string, string>
  /** Finished attempts with their own tests. */
  readonly tested: ReadonlySet<string>
  /** The latest final verdict, unless work came after it. */
  readonly final: VerdictStatus | null
  /** The same for the finished part only. */
  readonly part: VerdictStatus | null
  readonly review: VerdictStatus | null
  /** Why the review gave no verdict. */
  readonly unreviewed: string | null
  /** A question about a review or its findings is open. */
  readonly isReviewAsked: boolean
  /** To be fixed or waived before delivery. */
  readonly findings: readonly Finding[]
  /** By gate: `wave 1`, `final`, `cross-agent`. */
  readonly refusals: ReadonlyMap<string, number>
  readonly questions: readonly Question[]
  /** A limit paused the team, not a person. */
  readonly isPausedByEngine: boolean
  readonly approvals: readonly Approval[]
  /** Unless work came after the question. */
  readonly finalApproval: ApprovalStatus | null
  /** `refused`: a person must clear the way to the target. */
  readonly delivery: "none" | "done" | "part" | "refused"
  /** Long actions that failed for a reason outside the work, such as a full disk. */
  readonly troubles: readonly Trouble[]
  /** Until then finished work waits for the next merge, unless a task needs it. */
  readonly mergeAfter?: number
}

export interface Trouble {
  readonly action: LongAction["type"]
  readonly reason: string
  readonly times: number
  readonly notBefore: number
}

export interface EngineWorker {
  readonly id: WorkerId
  readonly role: Role | null
  readonly availability: WorkerAvailability
  readonly currentTask: string | null
  /** A step, or output of its agent. */
  readonly activeAt: number
  /** Null for a worker of others, such as a person's session. */
  readonly isRunning: boolean | null
  /** Its process was gone at this orchestrator's first look: it ended with the last orchestrator, and did not crash. */
  readonly endedUnseen?: boolean
}

export type PartialDelivery = "ask" | "always" | "never"

/** 0 disables a time. */
export interface EngineLimits extends RetryLimits {
  readonly maxAgents: number
  readonly staffing: Staffing
  readonly watchdogWarningMs: number
  readonly watchdogGraceMs: number
  readonly watchdogReassignMs: number
  readonly freshStartMs: number
  readonly maxConsecutiveErrors: number
  readonly restartBackoffMs: readonly number[]
  readonly enableCascade: boolean
  readonly onBlockerFailed: OnBlockerFailed
  readonly enableReview: boolean
  /** Deliver nothing without the verdict of a review. */
  readonly reviewRequired: boolean
  readonly deliver: boolean
  /** Whether finished work is delivered when the rest is stuck. */
  readonly partialDelivery: PartialDelivery
  /** How often a gate may fail before a person must look. */
  readonly maxRefusals: number
  readonly budget: Budget
  readonly budgetPerWorker: Budget
}

export type ShortAction =
  | { readonly type: "start-worker"; readonly worker: WorkerId | null; readonly role: Role | null }
  /** A killed worker's task is set back as lost. */
  | { readonly type: "stop-worker"; readonly worker: WorkerId; readonly reason: string; readonly isKilled: boolean }
  /** Its process is gone: set its task back. */
  | {
      readonly type: "record-worker-death"
      readonly worker: WorkerId
      readonly task: string | null
      readonly reason: string
      /** After a crash the next start waits. */
      readonly hasCrashed: boolean
    }
  | { readonly type: "quarantine-worker"; readonly worker: WorkerId; readonly reason: string }
  | { readonly type: "check-status"; readonly worker: WorkerId; readonly task: TaskId; readonly silentMs: number }
  | { readonly type: "release-task"; readonly task: string; readonly reason: string }
  /** The assigned worker will not come. */
  | { readonly type: "free-task"; readonly task: string; readonly reason: string }
  | { readonly type: "notify-unblocked"; readonly task: string; readonly by: string }
  | { readonly type: "cascade"; readonly of: string; readonly kind: CascadeKind }
  /** A failed task that others wait for. */
  | { readonly type: "settle-blocker"; readonly task: string; readonly choice: BlockerChoice }
  | {
      readonly type: "pause-team"
      readonly trigger: Trigger
      readonly reason: string
      readonly options?: readonly Option[]
      readonly about?: string
    }
  | { readonly type: "fix-gate"; readonly scope: "wave" | "final"; readonly wave: number | null }
  | { readonly type: "fix-findings"; readonly numbers: readonly number[] }
  /** Decide a routine question without a person. */
  | { readonly type: "judge-approval"; readonly approval: Approval }
  | { readonly type: "ask-final" }
  | {
      readonly type: "end"
      readonly outcome: "done" | "failed" | "stuck" | "paused" | "cancelled"
      readonly reason: string
    }

/** Runs beside the loop, one at a time. */
export type LongAction =
  | { readonly type: "merge"; readonly wave: number | null }
  | { readonly type: "verify-wave"; readonly wave: number }
  | { readonly type: "verify-final" }
  | { readonly type: "review" }
  | { readonly type: "deliver" }
  /** Check whether tasks that build on a revised one still hold. */
  | { readonly type: "recheck"; readonly tasks: readonly string[] }
  /** What is finished, without the other tasks. */
  | { readonly type: "verify-part" }
  | { readonly type: "deliver-part" }

export type Action = ShortAction | LongAction

const LONG: readonly Action["type"][] = [
  "merge",
  "verify-wave",
  "verify-final",
  "verify-part",
  "recheck",
  "review",
  "deliver",
  "deliver-part",
]

export function isLong(action: Action): action is LongAction {
  return LONG.includes(action.type)
}

export interface Decision {
  readonly actions: readonly Action[]
  /** The next look without a change; null for none. */
  readonly wakeAt: number | null
}

export const NOTHING: Decision = { actions: [], wakeAt: null }

export function doNow(...actions: readonly Action[]): Decision {
  return { actions, wakeAt: null }
}

export function combine(decisions: readonly Decision[]): Decision {
  return {
    actions: decisions.flatMap(({ actions }) => actions),
    wakeAt: earliest(decisions.map(({ wakeAt }) => wakeAt)),
  }
}

export function earliest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.min(...known)
}
