export const VERDICT_SCOPES = ["task", "qa", "wave", "final", "cross-agent"] as const
export type VerdictScope = (typeof VERDICT_SCOPES)[number]

export const VERDICT_STATUSES = ["passed", "failed", "skipped"] as const
export type VerdictStatus = (typeof VERDICT_STATUSES)[number]

export interface Check {
  readonly name: string
  readonly status: VerdictStatus
  readonly evidence?: string
  /** Of a check that ran something: what, how long it took, and the file that holds all it printed. */
  readonly command?: string
  readonly durationMs?: number
  readonly outputFile?: string
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
