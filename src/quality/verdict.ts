import { VERDICT_SCOPES, VERDICT_STATUSES, type VerdictScope, type VerdictStatus } from "../kernel/event-words.ts"
import type { FirstFailure } from "./first-failure.ts"

export { VERDICT_SCOPES, VERDICT_STATUSES, type VerdictScope, type VerdictStatus }

export interface Check {
  readonly name: string
  readonly status: VerdictStatus
  readonly evidence?: string
  /** Of a check that ran something: what, how long it took, and the file that holds all it printed. */
  readonly command?: string
  readonly durationMs?: number
  readonly outputFile?: string
  /** Of a check that failed: the first test that did, where its output tells. */
  readonly firstFailure?: FirstFailure
  /** Of a check that ran something: how that is next to the base commit, where there is anything to say. */
  readonly baseline?: AgainstBaseline
}

/** How a command stands next to the base commit, by the tests that its output names. */
export interface AgainstBaseline {
  /** How many tests failed before the work began, and fail now; null where the output does not tell. */
  readonly before: number | null
  readonly now: number | null
  /** Tests that fail now and did not before. */
  readonly broken: readonly string[]
  /** Failing tests that a task was asked to add. */
  readonly asked: readonly string[]
  /** It failed and then passed on the same files: the tests that did; null for a steady one. */
  readonly flaky: readonly string[] | null
}

/** The committed state that was judged. */
export interface Judged {
  readonly commit: string
  readonly tree: string
}

/** The word of a gate; one shape for every gate. */
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

/** The check that a task which should change something did, or that its agent said why nothing needs to be changed. */
export const CHANGES_PRESENT = "changes_present"
