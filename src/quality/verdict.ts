import { VERDICT_SCOPES, VERDICT_STATUSES, type VerdictScope, type VerdictStatus } from "../kernel/event-words.ts"
import type { FirstFailure } from "./first-failure.ts"

export { VERDICT_SCOPES, VERDICT_STATUSES, type VerdictScope, type VerdictStatus }

export interface Check {
  readonly name: string
  readonly status: VerdictStatus
  readonly evidence?: string
  /** Of a check that ran a command. */
  readonly command?: string
  readonly durationMs?: number
  readonly outputFile?: string
  readonly firstFailure?: FirstFailure
  readonly baseline?: AgainstBaseline
}

/** A command compared with its result on the base commit. */
export interface AgainstBaseline {
  /** Failing tests before the work began, and now; null where the output does not name them. */
  readonly before: number | null
  readonly now: number | null
  /** Tests that fail only now. */
  readonly broken: readonly string[]
  /** Failing tests that a task was asked to add. */
  readonly asked: readonly string[]
  /** Tests that failed and then passed on the same files; null for a command that is not flaky. */
  readonly flaky: readonly string[] | null
}

/** The committed state that was judged. */
export interface Judged {
  readonly commit: string
  readonly tree: string
}

/** The result of a gate. */
export interface Verdict extends Partial<Judged> {
  readonly scope: VerdictScope
  /** Task id or wave number; null for the team as a whole. */
  readonly subject: string | null
  readonly status: VerdictStatus
  readonly checks: readonly Check[]
  readonly issues: readonly string[]
  readonly by: string
  readonly timestamp: string
}

/** The check that a task changed something, or that its agent said why nothing had to be changed. */
export const CHANGES_PRESENT = "changes_present"
