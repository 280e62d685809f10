import type { Task } from "./task.ts"

/**
 * `needed` during the work, `pending` after the hand-in, `planning` and `validating` during QA, then `passed`, or
 * `failed` and back to the worker.
 */
export const QA_STATES = ["needed", "pending", "planning", "validating", "passed", "failed"] as const
export type QaState = (typeof QA_STATES)[number]

export const QA_TRANSITIONS = {
  needed: ["pending"],
  pending: ["planning"],
  planning: ["validating", "pending"], // pending again when QA was cut off
  validating: ["passed", "failed", "pending"],
  passed: ["needed"], // the work was changed after all
  failed: ["pending"],
} as const satisfies Record<QaState, readonly QaState[]>

/** In the words of a project manager. */
export type ExecutorState =
  | "RUNNING"
  | "PENDING_VERIFICATION"
  | "UNDER_VERIFICATION"
  | "VERIFIED"
  | "RETURNED_FOR_FIX"
  | "PAUSED"

/** RUNNING: QA has the work and has not begun. */
export type QaWorkerState = "RUNNING" | "QA_PLANNING" | "QA_VALIDATING" | "QA_COMPLETED"

export interface Lifecycle {
  readonly executor: ExecutorState
  /** Null before the hand-in. */
  readonly qa: QaWorkerState | null
}

const BY_QA = {
  needed: { executor: "RUNNING", qa: null },
  pending: { executor: "PENDING_VERIFICATION", qa: "RUNNING" },
  planning: { executor: "UNDER_VERIFICATION", qa: "QA_PLANNING" },
  validating: { executor: "UNDER_VERIFICATION", qa: "QA_VALIDATING" },
  passed: { executor: "VERIFIED", qa: "QA_COMPLETED" },
  failed: { executor: "RETURNED_FOR_FIX", qa: "QA_COMPLETED" },
} as const satisfies Record<QaState, Lifecycle>

/** Undefined without QA, or if no worker has the task. */
export function lifecycleOf({ status, qa }: Pick<Task, "status" | "qa">): Lifecycle | undefined {
  if (qa === null || status === "open" || status === "skipped" || status === "failed") return undefined
  return status === "paused" ? { ...BY_QA[qa], executor: "PAUSED" } : BY_QA[qa]
}
