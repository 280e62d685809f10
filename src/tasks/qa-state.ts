/**
 * `needed` during the work, `pending` once it is handed in, `planning` and `validating` during QA, then `passed`, or
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
