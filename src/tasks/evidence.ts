import type { TaskId } from "../kernel/ids.ts"

export const EVIDENCE_TYPES = ["command", "file", "test", "note"] as const
export type EvidenceType = (typeof EVIDENCE_TYPES)[number]

/** `attested`: teamwork ran it. `observed`: a hook saw the agent run it. `reported`: a claim without proof. */
export const EVIDENCE_TRUSTS = ["attested", "observed", "reported"] as const
export type EvidenceTrust = (typeof EVIDENCE_TRUSTS)[number]

export const FILE_ACTIONS = ["created", "modified", "deleted"] as const
export type FileAction = (typeof FILE_ACTIONS)[number]

/** The fields depend on the type; a note has none. */
export interface EvidenceFacts {
  readonly command?: string
  readonly exitCode?: number
  readonly output?: string
  readonly outputHash?: string
  readonly durationMs?: number
  readonly commit?: string
  /** The working tree had uncommitted changes. */
  readonly isDirty?: boolean
  readonly path?: string
  readonly action?: FileAction
  readonly passed?: number
  readonly failed?: number
}

export interface NewEvidence {
  readonly type: EvidenceType
  readonly trust: EvidenceTrust
  /** Checked against the blocked patterns. */
  readonly text: string
  readonly facts: EvidenceFacts
  /** A task with such an entry cannot be resolved. */
  readonly blockedPattern: string | null
}

export interface Evidence extends NewEvidence {
  /** From 1 within its task. */
  readonly number: number
  readonly taskId: TaskId
  readonly attempt: number
  readonly by: string
  readonly timestamp: string
  readonly withdrawnAt: string | null
}

/** The first pattern in the text, as whole words, in any case. */
export function findPattern(text: string, patterns: readonly string[]): string | undefined {
  return patterns.find((pattern) => wholeWords(pattern).test(text))
}

// With marks, since an accent may be a separate character.
const WORD = "[\\p{L}\\p{M}\\p{N}_]"

function wholeWords(pattern: string): RegExp {
  const words = pattern
    .trim()
    .split(/\s+/)
    .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
  return new RegExp(`(?<!${WORD})${words.join("\\s+")}(?!${WORD})`, "iu")
}
