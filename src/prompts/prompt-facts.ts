import type { Document } from "../kernel/document.ts"
import type { TeamName } from "../kernel/team.ts"
import type { Artifact } from "../knowledge/artifact.ts"
import type { Wisdom } from "../knowledge/wisdom.ts"
import type { Message } from "../messages/message.ts"
import type { Finding } from "../quality/finding.ts"
import type { Escalation } from "../requests/escalation.ts"
import type { Evidence } from "../tasks/evidence.ts"
import type { Task } from "../tasks/task.ts"

/** What a prompt tells of a task and its surroundings, all of one moment. */
export interface PromptFacts {
  readonly team: TeamName & { readonly goal: string; readonly session: string; readonly totalWaves: number }
  readonly task: Task
  /** Where whoever does the task works, if a worker has a folder of its own. */
  readonly worktree: string | null
  /** What it needed, and before that what its role did, where the role works on in a loop. */
  readonly needs: readonly (Task & { readonly evidence: readonly Evidence[] })[]
  /** What these made, the latest last. */
  readonly artifacts: readonly (Artifact & { readonly content: string | null })[]
  /** Tasks that are not done and own files. */
  readonly others: readonly Pick<Task, "id" | "title" | "files">[]
  /** What the lead lets this attempt write besides the task's files. */
  readonly granted: readonly string[]
  /** Whether the engine merges what tasks change in shared files, so that this one may. */
  readonly isCoordinated: boolean
  /** Unread ones, oldest first. */
  readonly messages: readonly Message[]
  /** What an import brought. */
  readonly wisdom: readonly Document[]
  /** What the team wrote down itself, the most relevant first. */
  readonly learned: readonly Wisdom[]
  /** Open findings of reviews in files of the task, the gravest first. */
  readonly findings: readonly Finding[]
  readonly evidence: readonly Evidence[]
  readonly setbacks: readonly Setback[]
  /** What people decided about the task, the latest last. */
  readonly decisions: readonly Escalation[]
  /** What whoever runs the team said while it worked, oldest first. */
  readonly feedback: readonly string[]
}

/** Why work on the task did not end there. */
export interface Setback {
  /** The attempt it happened to. */
  readonly attempt: number
  readonly what: "reopened" | "released" | "rejected" | "failed" | "verdict" | "setback"
  readonly by: string
  readonly timestamp: string
  readonly reason: string
  /** What whoever tries next should do otherwise. */
  readonly advice?: string
}
