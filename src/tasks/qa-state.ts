/**
 * How far the check of a task's work by somebody else is: `needed` while it is worked on, `pending` once it was handed
 * in, `planning` and `validating` while QA is at it, then `passed`, or `failed` and back with whoever did the work.
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
