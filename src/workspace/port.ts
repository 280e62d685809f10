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

/** How git keeps an entry of a tree: a file, an executable file, a symbolic link, a commit of another repository. */
export type FileMode = "100644" | "100755" | "120000" | "160000"

/** One path that differs between two states of the files. */
export interface Change {
  /** Where it is now; for a deleted one, where it was. */
  readonly path: string
  /** Another than `path` only if it was renamed. */
  readonly oldPath: string
  readonly status: "added" | "modified" | "deleted" | "renamed"
  /** Null where it does not exist. */
  readonly oldMode: FileMode | null
  readonly newMode: FileMode | null
  /** Names of the contents; zeros where there are none. */
  readonly oldId: string
  readonly newId: string
  readonly isBinary: boolean
  readonly addedLines: number
  readonly deletedLines: number
  /** What a symbolic link points to, as it is written in it. */
  readonly linksTo?: string
}

/** One place of a file that two sides changed differently. */
export interface ConflictHunk {
  /** In the file with its conflict markers, from 1. */
  readonly line: number
  readonly ours: string
  readonly theirs: string
}

export interface Conflict {
  readonly path: string
  /** `content`, `modify/delete`, `rename/delete`, `add/add` and what else git tells apart. */
  readonly kind: string
  /** In git's words. */
  readonly message: string
  readonly hunks: readonly ConflictHunk[]
}

export type Merged =
  | { readonly isClean: true; readonly tree: string }
  | { readonly isClean: false; readonly conflicts: readonly Conflict[] }

/** The commits of one attempt: a line from its base to its head. */
export interface Branch {
  readonly base: string
  readonly head: string
  /** Heads whose commits it may have taken in, as the work that a fix mends. */
  readonly mayContain: readonly string[]
  /** Heads of others, whose commits it must not have taken in. */
  readonly others: readonly string[]
}

/** What a branch adds to the history of another. */
export interface BranchHistory {
  /** Every commit that the other does not have; none when it is merged. */
  readonly commits: readonly string[]
  /** Those of them it was begun on: somebody else's work that is not merged yet. */
  readonly foundation: readonly string[]
  /** The commit it began from is still in its history. */
  readonly hasBase: boolean
  /** Those that came along with a merge, or by going on from somebody else's head. */
  readonly foreign: readonly string[]
}

export interface LineCommit {
  readonly commit: string
  readonly parents: readonly string[]
  readonly subject: string
}

export interface RefMove {
  readonly ref: string
  /** Where it must be now; null: it must not exist. */
  readonly from: string | null
  /** Null: it goes. */
  readonly to: string | null
}

/**
 * Merging without any checkout: trees and commits are made in the object store, and become part of a branch by moving
 * its ref. Commits are named in full. Nothing but `move` and `pointTo` changes what anybody sees.
 */
export interface Merges {
  /** The commit that a ref, or anything else git can resolve, names. */
  find(name: string): Promise<string | undefined>
  /** The tree of a commit. */
  tree(commit: string): Promise<string>
  /** Every ref below the prefix, with its commit. */
  refs(prefix: string): Promise<ReadonlyMap<string, string>>
  mergeBase(one: string, other: string): Promise<string | undefined>
  /** Whether the commit has the other in its history, or is it. */
  contains(commit: string, other: string): Promise<boolean>
  /** What each branch adds to the history of `tip`, asked of git at once. */
  histories(tip: string, branches: readonly Branch[]): Promise<BranchHistory[]>
  changes(from: string, to: string): Promise<Change[]>
  /** The differences as people read them. */
  patch(from: string, to: string): Promise<string>
  /** Every path of a commit or tree. */
  paths(tree: string): Promise<string[]>
  /** How many bytes the contents have. */
  sizes(ids: readonly string[]): Promise<ReadonlyMap<string, number>>
  merge(ours: string, theirs: string): Promise<Merged>
  commit(request: { tree: string; parents: readonly string[]; message: string }): Promise<string>
  /** The commits on the way from `since` to `tip` along the first parents, newest first. */
  line(since: string, tip: string): Promise<readonly LineCommit[]>
  /** The merges on the way from `since` to `tip` that stand for an attempt at a task: commit by `task/attempt`. */
  mergedAttempts(since: string | null, tip: string): Promise<ReadonlyMap<string, string>>
  /**
   * All of them or none. False, and nothing moved, when one of them is not where it must be: somebody was faster.
   * What a killed process left locked is freed first.
   */
  move(moves: readonly RefMove[]): Promise<boolean>
  /** The ref that a symbolic one points to. */
  pointsTo(ref: string): Promise<string | undefined>
  pointTo(ref: string, target: string): Promise<void>
  /** Ends what a killed process left half done; what was mended, in words. */
  recover(): Promise<readonly string[]>
}

/** Where a branch is in use in a folder. */
export interface Checkout {
  readonly folder: string
  /** Why its files cannot be changed now, in words; null when nothing is in the way. */
  readonly obstacle: string | null
}

/** The user's own branches: where they are checked out, moving them without a loss there, and bringing them elsewhere. */
export interface Targets {
  /** Undefined when no folder has the branch checked out or is about to. */
  findCheckout(branch: string): Promise<Checkout | undefined>
  /**
   * Moves the branch, and with it the files where it is checked out; everything of the user's stays as it is, ignored
   * files too. False, and nothing changed, when the branch is not at `from`. Throws `deliver.refused` when a file of the
   * user's is in the way.
   */
  move(request: { branch: string; from: string; to: string; checkout: Checkout | undefined }): Promise<boolean>
  /** The remote that the branch is pushed to, with its address. */
  findRemote(branch: string): Promise<{ readonly name: string; readonly url: string } | undefined>
  /** Throws `deliver.failed` when the remote refuses. */
  push(remote: string, branch: string): Promise<void>
}
