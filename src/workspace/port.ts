import type { FileChange, JudgedChange, JudgedChanges } from "../domain/scope.ts"
import type { TeamName } from "../domain/team.ts"

export interface AsideRequest extends TeamName {
  readonly task: string
  readonly attempt: number
  /** A worktree. What it holds counts, committed or not. */
  readonly folder: string
  /** The branch, tag or commit that the work began at; by default what is pinned as the attempt's base. */
  readonly base?: string
  /** Of the commit for what is not committed yet. */
  readonly message: string
  readonly judge: (changes: readonly FileChange[]) => JudgedChanges
}

export interface AsideResult {
  /** The commit that the work began at. */
  readonly base: string
  /** What is delivered: since the base, nothing in it is out of scope. */
  readonly head: string
  readonly kept: readonly JudgedChange[]
  /** What is not delivered; null when nothing was out of scope. */
  readonly aside: Aside | null
}

export interface Aside {
  /** On top of the head, so that `git show` tells what was set aside. */
  readonly commit: string
  readonly ref: string
  /** False when the same was set aside before. */
  readonly isNew: boolean
  readonly changes: readonly JudgedChange[]
}

/** What of a worktree's changes belongs to its task. */
export interface Scopes {
  /** Every path in which two commits or trees differ, with both ends of a rename. */
  changes(from: string, to: string): Promise<FileChange[]>
  /**
   * Commits what is in scope and sets the rest aside: pins it as a commit, and takes it out of branch and files. The
   * aside commit holds the commits as they were, and whatever was set aside before. Interrupted, it can be repeated.
   */
  setAside(request: AsideRequest): Promise<AsideResult>
}
