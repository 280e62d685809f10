import type { Change, Conflict } from "../../git/port.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { Check, VerdictStatus } from "../../quality/verdict.ts"
import type { FixedWork } from "../../tasks/fix-task.ts"
import type { SharedQuestion } from "./settle-shared.ts"

export interface Attempt {
  readonly taskId: TaskId
  readonly attempt: number
}

/** The first and last commit of an attempt. */
export interface Pinned {
  readonly base: string
  readonly head: string
}

export interface Candidate extends Attempt, Pinned {
  readonly title: string
  readonly worker: string | null
  /** Attempts with the same commits: a worker that did several tasks without a pin for each. */
  readonly alsoFor: readonly Attempt[]
  /** Of a fix: heads that it may have merged. */
  readonly mayContain: readonly string[]
  /** Of a fix: work that it must contain. */
  readonly mustContain: readonly FixedWork[]
}

export interface GateResult {
  readonly status: VerdictStatus
  readonly checks: readonly Check[]
  readonly issues: readonly string[]
  /** The end of the output. */
  readonly output: string
  /** Checks that failed and then passed on the same files. */
  readonly flaky?: readonly string[]
}

/** Tests the files of a commit. A check that fails by chance is named in `flaky` and fails nothing. */
export type Gate = (commit: string) => Promise<GateResult>

/** Returns a line for each change outside of what the tasks own. */
export type Scope = (candidate: Candidate, changes: readonly Change[]) => Promise<readonly string[]>

/** A problem keeps the branch out; a notice is only shown. */
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

export type Outcome =
  | { readonly kind: "merged"; readonly commit: string; readonly notices: readonly Notice[] }
  /** The branch had it before. */
  | { readonly kind: "contained" }
  /** The attempt has no commit. */
  | { readonly kind: "empty" }
  /** It builds on commits that are not merged. */
  | { readonly kind: "waiting"; readonly reason: string }
  /** It touches the same files as a repair, and is merged after it. */
  | { readonly kind: "queued"; readonly behind: TaskId }
  | { readonly kind: "refused"; readonly notices: readonly Notice[] }
  | { readonly kind: "conflict"; readonly conflicts: readonly Conflict[]; readonly with: readonly TaskId[] }
  /** The gate passes without it and fails with it; `with` names the partner it fails together with. */
  | { readonly kind: "guilty"; readonly gate: GateResult; readonly with: readonly TaskId[] }
  /** Its changes to shared files contradict others. A person must choose. */
  | { readonly kind: "asked"; readonly questions: readonly SharedQuestion[] }
  /** The gate fails on the branch without it, so it proves nothing. */
  | { readonly kind: "untested"; readonly reason: string }

export function attemptName({ taskId, attempt }: Attempt): string {
  return `${taskId}/${attempt}`
}
