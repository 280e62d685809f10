import type { WorkPlace } from "../kernel/repository.ts"
import type { RunName } from "../kernel/team.ts"
import type { FileChange, JudgedChange, JudgedChanges } from "../ownership/scope.ts"

export interface AsideRequest extends RunName {
  readonly task: string
  readonly attempt: number
  /** Committed and uncommitted changes count. */
  readonly folder: string
  /** Default: the pinned base of the attempt. */
  readonly base?: string
  /** For a fix task, the commit that it fixes. If the work contains it, so do the kept commits. */
  readonly brings?: string
  readonly message: string
  readonly judge: (changes: readonly FileChange[]) => JudgedChanges
}

export interface AsideResult {
  readonly base: string
  /** What is delivered: everything since the base is in scope. */
  readonly head: string
  readonly kept: readonly JudgedChange[]
  readonly aside: Aside | null
}

export interface Aside {
  /** On top of the head, so `git show` shows what was set aside. */
  readonly commit: string
  readonly ref: string
  /** False if the same was set aside before. */
  readonly isNew: boolean
  readonly changes: readonly JudgedChange[]
}

export interface Scopes {
  /** Lists both ends of a rename. */
  changes(from: string, to: string): Promise<FileChange[]>
  /**
   * Commits what is in scope. Pins the rest as one commit, which keeps the original commits and what was set aside
   * before, and removes it from branch and files. Can be repeated after an interruption.
   */
  setAside(request: AsideRequest): Promise<AsideResult>
  /** Existing paths that git ignores. Optional: only a warning depends on it. */
  ignored?(folder: string, paths: readonly string[]): Promise<string[]>
}

/** File, executable file, symbolic link, submodule. */
export type FileMode = "100644" | "100755" | "120000" | "160000"

export interface Change {
  /** The new path; for a deletion the old one. */
  readonly path: string
  /** Differs from `path` only for a rename. */
  readonly oldPath: string
  readonly status: "added" | "modified" | "deleted" | "renamed"
  /** Null if the path does not exist. */
  readonly oldMode: FileMode | null
  readonly newMode: FileMode | null
  /** Blob id; zeros if the path does not exist. */
  readonly oldId: string
  readonly newId: string
  readonly isBinary: boolean
  readonly addedLines: number
  readonly deletedLines: number
  readonly linksTo?: string
}

export interface ConflictHunk {
  /** In the file with conflict markers, from 1. */
  readonly line: number
  readonly ours: string
  readonly theirs: string
}

export interface Conflict {
  readonly path: string
  /** Git's word: `content`, `modify/delete`, `rename/delete`, `add/add` and so on. */
  readonly kind: string
  readonly message: string
  readonly hunks: readonly ConflictHunk[]
}

export type Merged =
  | { readonly isClean: true; readonly tree: string }
  /** The tree has all files; conflicting ones contain both sides between markers. */
  | { readonly isClean: false; readonly conflicts: readonly Conflict[]; readonly tree: string }

export interface Branch {
  readonly base: string
  readonly head: string
  /** Heads that it may include, such as the work that a fix task fixes. */
  readonly mayContain: readonly string[]
  /** Heads that it must not include. */
  readonly others: readonly string[]
}

export interface BranchHistory {
  readonly commits: readonly string[]
  /** Those that its base has: unmerged work of others. */
  readonly foundation: readonly string[]
  readonly hasBase: boolean
  /** Commits of others that it merged or continued from. */
  readonly foreign: readonly string[]
}

export interface LineCommit {
  readonly commit: string
  readonly parents: readonly string[]
  readonly subject: string
}

export interface ReplayRequest {
  readonly commit: string
  readonly onto: string
  readonly and?: readonly string[]
}

export interface RefMove {
  readonly ref: string
  /** Expected value; null if it must not exist. */
  readonly from: string | null
  readonly to: string | null
}

/**
 * Merges without a checkout: makes trees and commits in the object store, and moves a branch to them at the end.
 * Commits are full ids. Only `move` and `nameBranch` change refs.
 */
export interface Merges {
  place(): Promise<WorkPlace>
  find(name: string): Promise<string | undefined>
  tree(commit: string): Promise<string>
  /** Only refs that point to a commit. */
  refs(prefix: string): Promise<ReadonlyMap<string, string>>
  mergeBase(one: string, other: string): Promise<string | undefined>
  /** True also if both are the same. */
  contains(commit: string, other: string): Promise<boolean>
  histories(tip: string, branches: readonly Branch[]): Promise<BranchHistory[]>
  changes(from: string, to: string): Promise<Change[]>
  patch(from: string, to: string): Promise<string>
  paths(tree: string): Promise<string[]>
  /** Of blobs, in bytes. */
  sizes(ids: readonly string[]): Promise<ReadonlyMap<string, number>>
  merge(ours: string, theirs: string): Promise<Merged>
  commit(request: { tree: string; parents: readonly string[]; message: string }): Promise<string>
  /**
   * Applies the changes of a commit since its first parent to `onto`, keeping author and message. Returns `onto`
   * itself if that changes nothing.
   */
  replay(request: ReplayRequest): Promise<{ readonly commit: string } | { readonly conflicts: readonly Conflict[] }>
  /** Undefined if the file is missing or not text. */
  read(tree: string, path: string): Promise<string | undefined>
  /** Existing files keep their modes. */
  write(tree: string, texts: ReadonlyMap<string, string>): Promise<string>
  /** Along first parents, newest first. */
  line(since: string, tip: string): Promise<readonly LineCommit[]>
  /** Merge commits by `task/attempt`. */
  mergedAttempts(since: string | null, tip: string): Promise<ReadonlyMap<string, string>>
  /** Atomic. False if a ref does not have its expected value. First removes locks of killed processes. */
  move(moves: readonly RefMove[]): Promise<boolean>
  /** Full ref. */
  checkedOut(): Promise<string | undefined>
  /** Full ref of the branch that one of our refs names. */
  findNamed(ref: string): Promise<string | undefined>
  /** Not a symbolic ref, so changing our ref never changes the branch. */
  nameBranch(ref: string, branch: string): Promise<void>
  /**
   * Completes or undoes what a killed process or an earlier version left. Returns descriptions of the repairs for
   * people.
   */
  recover(): Promise<readonly string[]>
  /** Warnings for people: commits cannot be signed, or a hook refuses them. */
  notes(): Promise<readonly string[]>
}

export interface Checkout {
  readonly folder: string
  /** For people: why its files cannot be changed now. */
  readonly obstacle: string | null
}

export interface Targets {
  /** Also finds a branch that is being rebased or bisected. */
  findCheckout(branch: string): Promise<Checkout | undefined>
  /**
   * Moves the branch and its checked-out files. Everything else there stays, ignored files included. False if the
   * branch is not at `from`. Throws `deliver.refused` if that would overwrite a file of the user.
   */
  move(request: { branch: string; from: string; to: string; checkout: Checkout | undefined }): Promise<boolean>
  /** Throws `repository.read_only`. */
  assertWritable(): Promise<void>
  findRemote(branch: string): Promise<{ readonly name: string; readonly url: string } | undefined>
  /** Throws `deliver.failed` if the remote refuses. */
  push(remote: string, branch: string): Promise<void>
}

export interface Attempt {
  readonly task: string
  readonly attempt: number
}

export type Place = Attempt | { readonly worker: string }

export interface Workspace {
  readonly worker: string
  readonly path: string
  /** `teamwork/<project>/<team>/<worker>` */
  readonly branch: string
  readonly base: string
  readonly head: string
  readonly attempt: Attempt | null
}

export interface WorkspaceRequest {
  readonly worker: string
  /** Default: the integration branch, or before it exists what the user has checked out. */
  readonly base?: string
  /** Owner of later pins. */
  readonly attempt?: Attempt
}

export interface CreatedWorkspace extends Workspace {
  /** False if it existed, clean and at this base. */
  readonly isNew: boolean
  /** Copied from the user's checkout, by `workspace.copy`. */
  readonly copied: readonly string[]
  /** Output file of the set-up; null if nothing ran. */
  readonly setupLog: string | null
  readonly setupNotes?: readonly string[]
}

export interface MovedWorkspace extends CreatedWorkspace {
  readonly pinned: readonly Pin[]
}

export interface WorkspaceState {
  readonly worker: string
  readonly path: string
  readonly branch: string | null
  readonly base: string | null
  readonly head: string | null
  readonly attempt: Attempt | null
  /** `unfinished`: creating or moving was interrupted. `gone`: the folder was deleted. `broken`: git cannot read it. */
  readonly state: "clean" | "changed" | "unfinished" | "gone" | "broken"
  readonly changes: readonly string[]
}

export interface SyncedWorkspace extends Workspace {
  readonly result: "up-to-date" | "fast-forward" | "merged"
  readonly onto: string
}

export interface RemovedWorkspace {
  readonly worker: string
  readonly path: string
  readonly isRemoved: boolean
  readonly pinned: readonly Pin[]
}

/**
 * One workspace for each worker of a team: a checkout in the worker's own repository, which borrows the user's
 * objects. Work is pinned in the user's repository before it is removed, reset or given to another attempt. Calls
 * for one worker are serialised across processes. In the user's repository we write only our own refs.
 */
export interface Workspaces {
  readonly team: RunName
  /** `teamwork/<project>/<team>/integration` */
  readonly integrationBranch: string
  branchOf(worker: string): string
  pathOf(worker: string): string
  /**
   * Idempotent: a worktree that is clean and at the base stays. Throws `workspace.exists` if it holds work,
   * `workspace.unproven` if the new one fails verification. After an interruption the next call starts over.
   */
  create(request: WorkspaceRequest): Promise<CreatedWorkspace>
  /**
   * Gives the worktree to the next attempt, or creates it: pins its work and changes only files that differ. Then
   * it is as clean as a fresh one, except for `workspace.keep`.
   */
  move(request: WorkspaceRequest): Promise<MovedWorkspace>
  /**
   * Merges `onto`, by default the integration branch, into the worker's branch and files. Throws
   * `workspace.conflict` without changing anything.
   */
  sync(request: { readonly worker: string; readonly onto?: string }): Promise<SyncedWorkspace>
  find(worker: string): Promise<WorkspaceState | undefined>
  list(): Promise<WorkspaceState[]>
  /** Pins the work for `place`, by default its attempt, then removes worktree and branch. */
  remove(request: { readonly worker: string; readonly place?: Attempt }): Promise<RemovedWorkspace>
  /** Moves the branches in the user's repository to the workers' commits. Pins nothing. */
  follow(): Promise<void>
  /** Pins the work and changes nothing else. */
  pin(request: { readonly worker: string; readonly place?: Attempt }): Promise<readonly Pin[]>
  /**
   * The worker lost the attempt: from now on its work is pinned as the worker's own, so that it cannot replace
   * another worker's. Does nothing without a worktree.
   */
  disown(request: { readonly worker: string; readonly attempt: Attempt }): Promise<void>
  /** Finds what interrupted processes left. `fix` pins the work and repairs. */
  examine(fix: boolean): Promise<WorkspaceProblem[]>
}

export interface WorkspaceProblem {
  readonly what: "unfinished" | "gone" | "lock"
  readonly detail: string
  readonly isFixed: boolean
}

/**
 * `base`: where the attempt started. `head`: tip of its branch. `leftovers`: uncommitted changes, as a commit on
 * top of the head. `aside`: changes outside of the task's files, as a commit. `earlier/...`: heads and leftovers
 * that later ones do not contain, as after an amend, a reset or a rebase. `nested/...`: branches of a git
 * repository inside of the worktree.
 */
export type PinKind = "base" | "head" | "leftovers" | "aside" | `earlier/${string}` | `nested/${string}`

export interface Pin {
  /** `refs/teamwork/<project>/<team>/...` */
  readonly ref: string
  readonly place: Place
  /** The attempt; a counter for a worker without a task. */
  readonly number: number
  readonly kind: PinKind
  readonly commit: string
}

export interface ListedPin extends Pin {
  readonly date: string
  readonly subject: string
  readonly isContained: boolean
}

/** Refs that keep the work of every attempt. */
export interface Pins {
  find(attempt: Attempt, kind: PinKind): Promise<Pin | undefined>
  /** Default target: what is checked out in the main checkout. */
  list(filter?: { readonly task?: string; readonly target?: string }): Promise<ListedPin[]>
  /** Makes a branch from a pin. Throws `branch.exists`. */
  recover(pin: Pin, branch: string): Promise<void>
  /** Atomic. Deletes even uncontained work, so only pins that a person named. */
  purge(pins: readonly Pin[]): Promise<void>
}
