import type { Change, Conflict } from "../../git/port.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { Check, VerdictStatus } from "../../quality/verdict.ts"
import type { FixedWork } from "../../tasks/fix-task.ts"
import type { SharedQuestion } from "./settle-shared.ts"

export interface Attempt {
  readonly taskId: TaskId
  readonly attempt: number
}

/** The commits of one attempt: where it began, and where it got to. */
export interface Pinned {
  readonly base: string
  readonly head: string
}

/** The work of one attempt, ready to be merged. */
export interface Candidate extends Attempt, Pinned {
  readonly title: string
  readonly worker: string | null
  /** Other attempts that are part of the same commits: a worker that did several tasks without a pin for each. */
  readonly alsoFor: readonly Attempt[]
  /** Heads it may have merged: of the work that a fix mends. */
  readonly mayContain: readonly string[]
  /** Of a fix: the work that it has to bring along. */
  readonly mustContain: readonly FixedWork[]
}

/** What a gate says of a commit's files. */
export interface GateResult {
  readonly status: VerdictStatus
  readonly checks: readonly Check[]
  readonly issues: readonly string[]
  /** The end of what the commands printed. */
  readonly output: string
  /** What failed and then passed on the very same files: unreliable, and nobody's fault. */
  readonly flaky?: readonly string[]
}

/** Tests the files of a commit. A failure is certain: what fails by chance is told in `flaky`. */
export type Gate = (commit: string) => Promise<GateResult>

/** What is wrong with who changed what: a line for each change outside of what the tasks own. */
export type Scope = (candidate: Candidate, changes: readonly Change[]) => Promise<readonly string[]>

/** Something about a branch that must be known: it keeps the branch out, or is told along with the merge. */
export interface Notice {
  readonly code: NoticeCode
  readonly message: string
}

export type NoticeCode =
  | "scope"
  | "history_rewritten"
  | "foreign_commits"
  | "missing_work"
  | "git_folder"
  | "link_outside"
  | "submodule"
  | "case_collision"
  | "unreadable_path"
  | "deleted_tests"
  | "mode"
  | "large_file"
  | "attributes"
  | "shared_file"

/** How it went with one candidate. */
export type Outcome =
  | { readonly kind: "merged"; readonly commit: string; readonly notices: readonly Notice[] }
  /** It was part of the branch before. */
  | { readonly kind: "contained" }
  /** It has no commit of its own. */
  | { readonly kind: "empty" }
  /** It was begun on commits that are not merged. */
  | { readonly kind: "waiting"; readonly reason: string }
  /** It touches what a repair mends, and is merged after that repair, so that neither has to be done twice. */
  | { readonly kind: "queued"; readonly behind: TaskId }
  | { readonly kind: "refused"; readonly notices: readonly Notice[] }
  | { readonly kind: "conflict"; readonly conflicts: readonly Conflict[]; readonly with: readonly TaskId[] }
  /** The files pass the gate without it, and fail with it; `with` names the one it fails together with. */
  | { readonly kind: "guilty"; readonly gate: GateResult; readonly with: readonly TaskId[] }
  /** What it changed in shared files does not go together with what others did, and a person has to say which holds. */
  | { readonly kind: "asked"; readonly questions: readonly SharedQuestion[] }
  /** The gate fails on the branch as it is, so it says nothing about this one. */
  | { readonly kind: "untested"; readonly reason: string }

export function attemptName({ taskId, attempt }: Attempt): string {
  return `${taskId}/${attempt}`
}
