import type { WorkPlace } from "../kernel/repository.ts"
import type { RunName } from "../kernel/team.ts"
import type { FileChange, JudgedChange, JudgedChanges } from "../ownership/scope.ts"

export interface AsideRequest extends RunName {
  readonly task: string
  readonly attempt: number
  /** A worktree. Committed and uncommitted changes count. */
  readonly folder: string
  /** The branch, tag or commit that the work started from; by default the pinned base of the attempt. */
  readonly base?: string
  /** Of a fix task: the commit that it fixes. If the work contains it, so do the kept commits. */
  readonly brings?: string
  /** For the commit of uncommitted changes. */
  readonly message: string
  readonly judge: (changes: readonly FileChange[]) => JudgedChanges
}

export interface AsideResult {
  /** The commit that the work started from. */
  readonly base: string
  /** What is delivered: between base and head nothing is out of scope. */
  readonly head: string
  readonly kept: readonly JudgedChange[]
  /** What is not delivered; null if nothing was out of scope. */
  readonly aside: Aside | null
}

export interface Aside {
  /** On top of the head, so that `git show` shows what was set aside. */
  readonly commit: string
  readonly ref: string
  /** False if the same was set aside before. */
  readonly isNew: boolean
  readonly changes: readonly JudgedChange[]
}

/** Which changes of a worktree belong to its task. */
export interface Scopes {
  /** Every path in which two commits or trees differ, with both ends of a rename. */
  changes(from: string, to: string): Promise<FileChange[]>
  /**
   * Commits what is in scope. Pins the rest as one commit that keeps the original commits and what was set aside before,
   * and removes it from branch and files. Can be repeated after an interruption.
   */
  setAside(request: AsideRequest): Promise<AsideResult>
  /** Those of the paths that exist in a worktree and that git ignores. Optional: only a warning depends on it. */
  ignored?(folder: string, paths: readonly string[]): Promise<string[]>
}

/** Git's mode of a tree entry: file, executable file, symbolic link, submodule. */
export type FileMode = "100644" | "100755" | "120000" | "160000"

/** One path that differs between two trees. */
export interface Change {
  /** The new path; for a deletion the old one. */
  readonly path: string
  /** Differs from `path` only for a rename. */
  readonly oldPath: string
  readonly status: "added" | "modified" | "deleted" | "renamed"
  /** Null where the path does not exist. */
  readonly oldMode: FileMode | null
  readonly newMode: FileMode | null
  /** Blob ids; zeros where the path does not exist. */
  readonly oldId: string
  readonly newId: string
  readonly isBinary: boolean
  readonly addedLines: number
  readonly deletedLines: number
  /** The target of a symbolic link, as written. */
  readonly linksTo?: string
}

export interface ConflictHunk {
  /** In the file with its conflict markers, from 1. */
  readonly line: number
  readonly ours: string
  readonly theirs: string
}

export interface Conflict {
  readonly path: string
  /** Git's word: `content`, `modify/delete`, `rename/delete`, `add/add` and so on. */
  readonly kind: string
  /** Git's message. */
  readonly message: string
  readonly hunks: readonly ConflictHunk[]
}

export type Merged =
  | { readonly isClean: true; readonly tree: string }
  /** The tree has all files; those in conflict have both sides between markers. */
  | { readonly isClean: false; readonly conflicts: readonly Conflict[]; readonly tree: string }

/** The commits of one attempt, from its base to its head. */
export interface Branch {
  readonly base: string
  readonly head: string
  /** Heads whose commits it may include, such as the work that a fix task fixes. */
  readonly mayContain: readonly string[]
  /** Heads whose commits it must not include. */
  readonly others: readonly string[]
}

/** What a branch adds to the history of another. */
export interface BranchHistory {
  /** Every commit that the other does not have; none if it is merged. */
  readonly commits: readonly string[]
  /** Those of them that its base has: work of others that is not merged yet. */
  readonly foundation: readonly string[]
  /** Its base is still in its history. */
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
  /** More parents of the new commit. */
  readonly and?: readonly string[]
}

export interface RefMove {
  readonly ref: string
  /** Its expected value; null: it must not exist. */
  readonly from: string | null
  /** Null deletes it. */
  readonly to: string | null
}

/**
 * Merging without a checkout: trees and commits are made in the object store and become part of a branch when its ref
 * moves. Commits are full ids. Only `move` and `nameBranch` change refs.
 */
export interface Merges {
  place(): Promise<WorkPlace>
  /** The commit that a ref or any other revision names. */
  find(name: string): Promise<string | undefined>
  /** The tree of a commit. */
  tree(commit: string): Promise<string>
  /** Every ref below the prefix that points to a commit. */
  refs(prefix: string): Promise<ReadonlyMap<string, string>>
  mergeBase(one: string, other: string): Promise<string | undefined>
  /** Whether `other` is the commit or one of its ancestors. */
  contains(commit: string, other: string): Promise<boolean>
  /** What each branch adds to the history of `tip`. */
  histories(tip: string, branches: readonly Branch[]): Promise<BranchHistory[]>
  changes(from: string, to: string): Promise<Change[]>
  /** A diff for people. */
  patch(from: string, to: string): Promise<string>
  /** Every path of a commit or tree. */
  paths(tree: string): Promise<string[]>
  /** Of blobs, in bytes. */
  sizes(ids: readonly string[]): Promise<ReadonlyMap<string, number>>
  merge(ours: string, theirs: string): Promise<Merged>
  commit(request: { tree: string; parents: readonly string[]; message: string }): Promise<string>
  /**
   * Applies what a commit changed since its first parent to `onto`, with the same author and message. Returns `onto`
   * itself if that changes nothing.
   */
  replay(request: ReplayRequest): Promise<{ readonly commit: string } | { readonly conflicts: readonly Conflict[] }>
  /** The text of a file; undefined if there is no such file or it is not text. */
  read(tree: string, path: string): Promise<string | undefined>
  /** The tree with these texts in it. Existing files keep their modes. */
  write(tree: string, texts: ReadonlyMap<string, string>): Promise<string>
  /** The commits from `since` to `tip` along first parents, newest first. */
  line(since: string, tip: string): Promise<readonly LineCommit[]>
  /** The merge commits of attempts from `since` to `tip`, by `task/attempt`. */
  mergedAttempts(since: string | null, tip: string): Promise<ReadonlyMap<string, string>>
  /** Atomic. False if a ref does not have its expected value. First removes the locks of killed processes. */
  move(moves: readonly RefMove[]): Promise<boolean>
  /** The full ref of the branch that is checked out in the folder. */
  checkedOut(): Promise<string | undefined>
  /** The full ref of the branch that one of our refs names. */
  findNamed(ref: string): Promise<string | undefined>
  /** Makes one of our refs name a branch. It is not a symbolic ref, so changing it never changes the branch. */
  nameBranch(ref: string, branch: string): Promise<void>
  /** Completes or undoes what a killed process or an earlier version left. Returns what was repaired, for people. */
  recover(): Promise<readonly string[]>
  /** What people should know about new commits: that they cannot be signed, or that a hook refuses them. */
  notes(): Promise<readonly string[]>
}

/** A folder in which a branch is in use. */
export interface Checkout {
  readonly folder: string
  /** Why its files cannot be changed now, for people. */
  readonly obstacle: string | null
}

/** The user's own branches. */
export interface Targets {
  /** Undefined if the branch is not checked out, and no rebase or bisect of it is going on. */
  findCheckout(branch: string): Promise<Checkout | undefined>
  /**
   * Moves the branch and the files where it is checked out. Everything else there stays, ignored files included. False if
   * the branch is not at `from`. Throws `deliver.refused` if that would overwrite a file of the user.
   */
  move(request: { branch: string; from: string; to: string; checkout: Checkout | undefined }): Promise<boolean>
  /** Throws `repository.read_only`. */
  assertWritable(): Promise<void>
  /** The remote that the branch is pushed to. */
  findRemote(branch: string): Promise<{ readonly name: string; readonly url: string } | undefined>
  /** Throws `deliver.failed` if the remote refuses. */
  push(remote: string, branch: string): Promise<void>
}

/** The attempt at a task that a workspace is used for. */
export interface Attempt {
  readonly task: string
  readonly attempt: number
}

/** What work belongs to: an attempt at a task, or a worker without one. */
export type Place = Attempt | { readonly worker: string }

export interface Workspace {
  readonly worker: string
  /** The folder of the worktree. */
  readonly path: string
  /** `teamwork/<project>/<team>/<worker>` */
  readonly branch: string
  /** The commit that the work started from. */
  readonly base: string
  /** The commit that the branch is at. */
  readonly head: string
  readonly attempt: Attempt | null
}

export interface WorkspaceRequest {
  readonly worker: string
  /** A branch, tag or commit; by default the integration branch, or before it exists what the user has checked out. */
  readonly base?: string
  /** Later pins belong to it. */
  readonly attempt?: Attempt
}

export interface CreatedWorkspace extends Workspace {
  /** False if it existed, clean and at this base. */
  readonly isNew: boolean
  /** Files that `workspace.copy` copied from the user's checkout. */
  readonly copied: readonly string[]
  /** The file with the output of the set-up; null if nothing ran. */
  readonly setupLog: string | null
  /** Warnings of the set-up, such as a missing tool. */
  readonly setupNotes?: readonly string[]
}

export interface MovedWorkspace extends CreatedWorkspace {
  /** The pins of the attempt before. */
  readonly pinned: readonly Pin[]
}

/** A workspace in any condition. */
export interface WorkspaceState {
  readonly worker: string
  readonly path: string
  /** The branch that is checked out there. */
  readonly branch: string | null
  readonly base: string | null
  readonly head: string | null
  readonly attempt: Attempt | null
  /**
   * `unfinished`: creating or moving it was interrupted. `gone`: its folder was deleted. `broken`: git cannot read it.
   */
  readonly state: "clean" | "changed" | "unfinished" | "gone" | "broken"
  /** Files with uncommitted changes, new ones included. */
  readonly changes: readonly string[]
}

export interface SyncedWorkspace extends Workspace {
  readonly result: "up-to-date" | "fast-forward" | "merged"
  /** The branch or commit that was merged. */
  readonly onto: string
}

export interface RemovedWorkspace {
  readonly worker: string
  readonly path: string
  /** False if there was none. */
  readonly isRemoved: boolean
  readonly pinned: readonly Pin[]
}

/**
 * One workspace for each worker of a team: a checkout in the worker's own repository, which borrows the user's objects.
 * Work is pinned in the user's repository before it is removed, reset or given to another attempt. Calls for one worker
 * are serialised across processes. In the user's repository only our own refs are written.
 */
export interface Workspaces {
  readonly team: RunName
  /** `teamwork/<project>/<team>/integration` */
  readonly integrationBranch: string
  branchOf(worker: string): string
  pathOf(worker: string): string
  /**
   * A fresh, verified worktree. Idempotent: one that is clean and at the base stays. Throws `workspace.exists` if it holds
   * work, and `workspace.unproven` if the new one is not as it should be. After an interruption the next call starts over.
   */
  create(request: WorkspaceRequest): Promise<CreatedWorkspace>
  /**
   * Gives the worktree to the next attempt: pins what it holds and changes only the files that differ. Then it is as clean
   * as a fresh one, except for `workspace.keep`. Creates it if there is none.
   */
  move(request: WorkspaceRequest): Promise<MovedWorkspace>
  /**
   * Merges the integration branch, or `onto`, into the worker's branch and files. Throws `workspace.conflict` without
   * changing anything.
   */
  sync(request: { readonly worker: string; readonly onto?: string }): Promise<SyncedWorkspace>
  find(worker: string): Promise<WorkspaceState | undefined>
  list(): Promise<WorkspaceState[]>
  /** Pins the work, then removes worktree and branch. `place` is what it belongs to, by default its attempt. */
  remove(request: { readonly worker: string; readonly place?: Attempt }): Promise<RemovedWorkspace>
  /** Moves the branches in the user's repository to what the workers have committed. Pins nothing. */
  follow(): Promise<void>
  /** Pins the work and changes nothing else, as after each run of an agent. */
  pin(request: { readonly worker: string; readonly place?: Attempt }): Promise<readonly Pin[]>
  /**
   * The attempt no longer belongs to this worker: from now on its work is pinned as the worker's own, so that it cannot
   * replace another worker's. Does nothing if there is no worktree.
   */
  disown(request: { readonly worker: string; readonly attempt: Attempt }): Promise<void>
  /** Finds what interrupted processes left. With `fix`, pins the work and repairs it. */
  examine(fix: boolean): Promise<Leftover[]>
}

export interface Leftover {
  readonly what: "unfinished" | "gone" | "lock"
  readonly detail: string
  readonly isFixed: boolean
}

/**
 * `base`: where the attempt started. `head`: where its branch was. `leftovers`: uncommitted changes, as a commit on top of
 * the head. `aside`: changes outside of the task's files, as a commit. `earlier/...`: heads and leftovers that later ones
 * of the attempt do not contain, as after an amend, a reset or a rebase. `nested/...`: branches of a git repository inside
 * of the worktree.
 */
export type PinKind = "base" | "head" | "leftovers" | "aside" | `earlier/${string}` | `nested/${string}`

export interface Pin {
  /** `refs/teamwork/<project>/<team>/...` */
  readonly ref: string
  readonly place: Place
  /** The attempt; for a worker without a task, a counter. */
  readonly number: number
  readonly kind: PinKind
  readonly commit: string
}

export interface ListedPin extends Pin {
  /** Of the commit. */
  readonly date: string
  readonly subject: string
  /** Whether the target contains the commit. */
  readonly isContained: boolean
}

/** The refs that keep the work of every attempt of a team. */
export interface Pins {
  find(attempt: Attempt, kind: PinKind): Promise<Pin | undefined>
  /** Of one task, or all. `target` is a branch or commit, by default what is checked out in the main checkout. */
  list(filter?: { readonly task?: string; readonly target?: string }): Promise<ListedPin[]>
  /** Makes a branch of a pin. Throws `branch.exists`. */
  recover(pin: Pin, branch: string): Promise<void>
  /** Deletes pins, contained or not: only for what a person named. Atomic. */
  purge(pins: readonly Pin[]): Promise<void>
}
