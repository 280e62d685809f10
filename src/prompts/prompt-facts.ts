import type { Document } from "../kernel/document.ts"
import type { TeamName } from "../kernel/team.ts"
import type { Artifact } from "../knowledge/artifact.ts"
import type { Wisdom } from "../knowledge/wisdom.ts"
import type { Message } from "../messages/message.ts"
import type { Finding } from "../quality/finding.ts"
import type { Escalation } from "../requests/escalation.ts"
import type { Evidence } from "../tasks/evidence.ts"
import type { Task } from "../tasks/task.ts"

export interface PromptFacts {
  readonly team: TeamName & { readonly goal: string; readonly session: string; readonly totalWaves: number }
  readonly task: Task
  readonly worktree: string | null
  /** Needed tasks; before them earlier tasks of its role, where the role works in a loop. */
  readonly needs: readonly (Task & { readonly evidence: readonly Evidence[] })[]
  /** Of these tasks, the latest last. */
  readonly artifacts: readonly (Artifact & { readonly content: string | null })[]
  /** Open tasks that own files. */
  readonly others: readonly Pick<Task, "id" | "title" | "files">[]
  /** By the lead, for this attempt. */
  readonly granted: readonly string[]
  /** The engine merges changes in shared files, so this task may make some. */
  readonly isCoordinated: boolean
  /** Unread, oldest first. */
  readonly messages: readonly Message[]
  /** From an import. */
  readonly wisdom: readonly Document[]
  /** From the team, the most relevant first. */
  readonly learned: readonly Wisdom[]
  /** Open, in files of the task, the most severe first. */
  readonly findings: readonly Finding[]
  readonly evidence: readonly Evidence[]
  readonly setbacks: readonly Setback[]
  /** By people, about the task, the latest last. */
  readonly decisions: readonly Escalation[]
  /** From the person who runs the team, oldest first. */
  readonly feedback: readonly string[]
}

export interface Setback {
  readonly attempt: number
  readonly what: "reopened" | "released" | "rejected" | "failed" | "verdict" | "setback"
  readonly by: string
  readonly timestamp: string
  readonly reason: string
  /** For the next attempt. */
  readonly advice?: string
}
