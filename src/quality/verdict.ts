import { VERDICT_SCOPES, VERDICT_STATUSES, type VerdictScope, type VerdictStatus } from "../kernel/event-words.ts"
import type { FirstFailure } from "./first-failure.ts"

export { VERDICT_SCOPES, VERDICT_STATUSES, type VerdictScope, type VerdictStatus }

export interface Check {
  readonly name: string
  readonly status: VerdictStatus
  readonly evidence?: string
  readonly command?: string
  readonly durationMs?: number
  readonly outputFile?: string
  readonly firstFailure?: FirstFailure
  readonly baseline?: AgainstBaseline
}

/** Compared with the base commit. */
export interface AgainstBaseline {
  /** Failing tests before and now; null if the output does not name them. */
  readonly before: number | null
  readonly now: number | null
  /** Tests that fail only now. */
  readonly broken: readonly string[]
  /** Failing tests that a task had to add. */
  readonly asked: readonly string[]
  /** Tests that failed and then passed on the same files; null if not flaky. */
  readonly flaky: readonly string[] | null
}

export interface Judged {
  readonly commit: string
  readonly tree: string
}

export interface Verdict extends Partial<Judged> {
  readonly scope: VerdictScope
  /** Task id or wave number; null for the team. */
  readonly subject: string | null
  readonly status: VerdictStatus
  readonly checks: readonly Check[]
  readonly issues: readonly string[]
  readonly by: string
  readonly timestamp: string
}

/** The task changed something, or its agent said why not. */
export const CHANGES_PRESENT = "changes_present"
