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

/** Everything the engine decides by, as plain data of one moment. */
export interface EngineSnapshot {
  /** The store's clock. */
  readonly now: number
  readonly team: Pick<Team, "phase" | "status" | "mode" | "schedule">
  /** All of them, in the order in which they were made. */
  readonly tasks: readonly Task[]
  readonly waves: WavePlan
  readonly workers: readonly EngineWorker[]
  readonly history: History
  /** The long action that is under way; no other one is begun meanwhile. */
  readonly busy: LongAction["type"] | null
  /** Attempts, as `task/attempt`, of which nothing is left to merge. */
  readonly settled: ReadonlySet<string>
  /** Attempts, as `task/attempt`, that are done and are merged after a repair, with the task that does it. */
  readonly queued: ReadonlyMap<string, string>
  /** Attempts, as `task/attempt`, whose work is in another repository, and in words what brings it here. */
  readonly elsewhere: ReadonlyMap<string, string>
  /** Attempts, as `task/attempt`, that are done and brought tests of their own. */
  readonly tested: ReadonlySet<string>
  /** The latest word on everything, if no work came after it. */
  readonly final: VerdictStatus | null
  /** The same on what is finished, without the tasks that are not. */
  readonly part: VerdictStatus | null
  readonly review: VerdictStatus | null
  /** Why the review gave no verdict. */
  readonly unreviewed: string | null
  /** A person was asked about a review or its findings, and has not answered. */
  readonly isReviewAsked: boolean
  /** Open findings that must be fixed or waived before the work is delivered. */
  readonly findings: readonly Finding[]
  /** How often each gate said no so far: `wave 1`, `final`, `cross-agent`. */
  readonly refusals: ReadonlyMap<string, number>
  /** What waits for a person. */
  readonly questions: readonly Question[]
  /** The team is paused because a limit was reached, not because somebody wished it. */
  readonly isPausedByEngine: boolean
  /** What waits for an approval. */
  readonly approvals: readonly Approval[]
  /** What was said of the final delivery, if no work came after it was asked for. */
  readonly finalApproval: ApprovalStatus | null
  /** Whether the target has it all, or what is finished; `refused` when it could not be brought there and a person has to. */
  readonly delivery: "none" | "done" | "part" | "refused"
  /** Long actions that did not come to an end for a reason that is not the work's, such as a full disk. */
  readonly troubles: readonly Trouble[]
  /** Until then what is done is gathered for the next merge, if nobody waits for it. */
  readonly mergeAfter?: number
}

export interface Trouble {
  readonly action: LongAction["type"]
  readonly reason: string
  readonly times: number
  /** Not tried again before. */
  readonly notBefore: number
}

/** A worker as the store and its process tell. */
export interface EngineWorker {
  readonly id: WorkerId
  readonly role: Role | null
  readonly availability: WorkerAvailability
  readonly currentTask: string | null
  /** When it was last seen to do something: a step, or its agent's output. */
  readonly activeAt: number
  /**
   * Whether its process runs; null for one that is none of this orchestrator's, such as a session of a person. Until a
   * process that was started says so itself, its availability is `spawning`.
   */
  readonly isRunning: boolean | null
  /** Its process was gone when this orchestrator first looked: it ended together with the one before, not by a fault of its own. */
  readonly endedUnseen?: boolean
}

export type PartialDelivery = "ask" | "always" | "never"

/** What the configuration and the command line say. 0 disables a time. */
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
  /** Nothing is delivered without the verdict of a review. */
  readonly reviewRequired: boolean
  readonly deliver: boolean
  /** What becomes of finished work when the rest cannot go on: delivered, offered to a person, or left. */
  readonly partialDelivery: PartialDelivery
  /** How often a gate may send the team back to work before a person has to look. */
  readonly maxRefusals: number
  /** Of the whole run. */
  readonly budget: Budget
  readonly budgetPerWorker: Budget
}

/** Done at once. */
export type ShortAction =
  | { readonly type: "start-worker"; readonly worker: WorkerId | null; readonly role: Role | null }
  /** Whatever it held goes back: given back by itself, or set back as lost where it is killed. */
  | { readonly type: "stop-worker"; readonly worker: WorkerId; readonly reason: string; readonly isKilled: boolean }
  /** Its process is gone: whatever it held is set back. */
  | {
      readonly type: "bury-worker"
      readonly worker: WorkerId
      readonly task: string | null
      readonly reason: string
      /** A crash makes the next start wait; an end with the whole team does not. */
      readonly hasCrashed: boolean
    }
  | { readonly type: "quarantine-worker"; readonly worker: WorkerId; readonly reason: string }
  | { readonly type: "check-status"; readonly worker: WorkerId; readonly task: TaskId; readonly silentMs: number }
  | { readonly type: "release-task"; readonly task: string; readonly reason: string }
  /** It was meant for a worker that will not come, and is anybody's from now on. */
  | { readonly type: "free-task"; readonly task: string; readonly reason: string }
  | { readonly type: "tell-unblocked"; readonly task: string; readonly by: string }
  | { readonly type: "cascade"; readonly of: string; readonly kind: CascadeKind }
  /** It failed and others wait for it. */
  | { readonly type: "settle-blocker"; readonly task: string; readonly choice: BlockerChoice }
  | {
      readonly type: "pause-team"
      readonly trigger: Trigger
      readonly reason: string
      readonly options?: readonly Option[]
      readonly about?: string
    }
  /** What the gate found becomes a task. */
  | { readonly type: "fix-gate"; readonly scope: "wave" | "final"; readonly wave: number | null }
  /** Findings of reviews become tasks. */
  | { readonly type: "fix-findings"; readonly numbers: readonly number[] }
  /** Has whoever leads the team decide on what nobody else is asked about. */
  | { readonly type: "judge-approval"; readonly approval: Approval }
  /** Asks for the word to deliver. */
  | { readonly type: "ask-final" }
  /** Nothing more can be done: `done`, or why a person has to look. */
  | {
      readonly type: "end"
      readonly outcome: "done" | "failed" | "stuck" | "paused" | "cancelled"
      readonly reason: string
    }

/** Takes long, and is alone. */
export type LongAction =
  | { readonly type: "merge"; readonly wave: number | null }
  | { readonly type: "verify-wave"; readonly wave: number }
  | { readonly type: "verify-final" }
  | { readonly type: "review" }
  | { readonly type: "deliver" }
  /** Finds out whether tasks still hold that build on a revised one. */
  | { readonly type: "recheck"; readonly tasks: readonly string[] }
  /** What is finished, without the tasks that are not. */
  | { readonly type: "verify-part" }
  | { readonly type: "deliver-part" }

export type Action = ShortAction | LongAction

export interface Decision {
  readonly actions: readonly Action[]
  /** When to look again though nothing changes; null: only when something does. */
  readonly wakeAt: number | null
}
