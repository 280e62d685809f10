import type { WorkPlace } from "../kernel/repository.ts"
import type { RunName } from "../kernel/team.ts"
import type { FileChange, JudgedChange, JudgedChanges } from "../ownership/scope.ts"

export interface AsideRequest extends RunName {
  readonly task: string
  readonly attempt: number
  /** A worktree. What it holds counts, committed or not. */
  readonly folder: string
  /** The branch, tag or commit that the work began at; by default what is pinned as the attempt's base. */
  readonly base?: string
  /** Of a fix: the commit that it has to bring along. Where the work contains it, so does what is kept. */
  readonly brings?: string
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
  /** Those of the paths in a worktree that are there and that git ignores; left out where nobody has to know. */
  ignored?(folder: string, paths: readonly string[]): Promise<string[]>
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
  /** The tree has every file; those in conflict as git leaves them, with both sides between markers. */
  | { readonly isClean: false; readonly conflicts: readonly Conflict[]; readonly tree: string }

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

export interface ReplayRequest {
  readonly commit: string
  readonly onto: string
  /** Further parents of the new one. */
  readonly and?: readonly string[]
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
 * its ref. Commits are named in full. Nothing but `move` and `nameBranch` changes what anybody sees.
 */
export interface Merges {
  /** The repository that all of this happens in. */
  place(): Promise<WorkPlace>
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
  /** `base`, where it is known for sure: the last commit that both have in their history. */
  merge(ours: string, theirs: string, base?: string): Promise<Merged>
  commit(request: { tree: string; parents: readonly string[]; message: string }): Promise<string>
  /**
   * The commit again on top of another: what it changed since its first parent, of the same author with the same words.
   * `onto` itself where nothing is left of it.
   */
  replay(request: ReplayRequest): Promise<{ readonly commit: string } | { readonly conflicts: readonly Conflict[] }>
  /** What a file holds in a commit or tree; undefined where there is no such file, or where it is no text. */
  read(tree: string, path: string): Promise<string | undefined>
  /** The tree with these texts in it; modes stay, and a new file is a plain one. */
  write(tree: string, texts: ReadonlyMap<string, string>): Promise<string>
  /** The commits on the way from `since` to `tip` along the first parents, newest first. */
  line(since: string, tip: string): Promise<readonly LineCommit[]>
  /** The merges on the way from `since` to `tip` that stand for an attempt at a task: commit by `task/attempt`. */
  mergedAttempts(since: string | null, tip: string): Promise<ReadonlyMap<string, string>>
  /**
   * All of them or none. False, and nothing moved, when one of them is not where it must be: somebody was faster.
   * What a killed process left locked is freed first.
   */
  move(moves: readonly RefMove[]): Promise<boolean>
  /** The branch, in full, that is checked out in the folder; undefined where none is. */
  checkedOut(): Promise<string | undefined>
  /** The branch, in full, that a ref of ours names. */
  findNamed(ref: string): Promise<string | undefined>
  /** Makes a ref of ours name a branch. The ref is not symbolic, so nothing done to it reaches the branch. */
  nameBranch(ref: string, branch: string): Promise<void>
  /** Ends what a killed process left half done, or an earlier version; what was mended, in words. */
  recover(): Promise<readonly string[]>
  /** What a person should know of the commits that are made here: that they cannot be signed, or a hook refuses them. */
  notes(): Promise<readonly string[]>
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
  /** Throws `repository.read_only` where nothing can be written into the repository. */
  assertWritable(): Promise<void>
  /** The remote that the branch is pushed to, with its address. */
  findRemote(branch: string): Promise<{ readonly name: string; readonly url: string } | undefined>
  /** Throws `deliver.failed` when the remote refuses. */
  push(remote: string, branch: string): Promise<void>
}

/** The attempt at a task that a workspace is used for. */
export interface Attempt {
  readonly task: string
  readonly attempt: number
}

/** Whose work something is: of an attempt at a task, or of a worker that has none. */
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
  /** A branch, tag or commit; by default the integration branch, or before there is one the branch checked out. */
  readonly base?: string
  /** What it is for; what is pinned later belongs to it. */
  readonly attempt?: Attempt
}

export interface CreatedWorkspace extends Workspace {
  /** False where it was there already, at this base and clean. */
  readonly isNew: boolean
  /** Files that were copied from the main checkout because of `workspace.copy`. */
  readonly copied: readonly string[]
  /** The file with what the set-up printed; null where nothing ran. */
  readonly setupLog: string | null
  /** What a person should know of the set-up, such as a tool that is not installed. */
  readonly setupNotes?: readonly string[]
}

export interface MovedWorkspace extends CreatedWorkspace {
  /** What was pinned of the attempt before. */
  readonly pinned: readonly Pin[]
}

/** How a workspace is found, whatever happened to it. */
export interface WorkspaceState {
  readonly worker: string
  readonly path: string
  /** The branch that is checked out there. */
  readonly branch: string | null
  readonly base: string | null
  readonly head: string | null
  readonly attempt: Attempt | null
  /**
   * `unfinished`: whoever made or moved it was interrupted. `gone`: its folder was deleted by somebody else. `broken`:
   * git cannot read it any more.
   */
  readonly state: "clean" | "changed" | "unfinished" | "gone" | "broken"
  /** Files with changes that are not committed, new ones among them. */
  readonly changes: readonly string[]
}

export interface SyncedWorkspace extends Workspace {
  readonly result: "up-to-date" | "fast-forward" | "merged"
  /** The branch or commit it was brought up to. */
  readonly onto: string
}

export interface RemovedWorkspace {
  readonly worker: string
  readonly path: string
  /** False where there was none. */
  readonly isRemoved: boolean
  readonly pinned: readonly Pin[]
}

/**
 * One workspace per worker of one team: a checkout in a repository of the worker's own, which borrows its objects from the
 * user's. Everything that is about to be removed, reset or given to another attempt is pinned in the user's repository
 * before. Calls for one worker, also of other processes, come one after the other. Of the user's repository nothing is
 * written but refs of ours.
 */
export interface Workspaces {
  readonly team: RunName
  /** Where the team's work comes together: `teamwork/<project>/<team>/integration`. */
  readonly integrationBranch: string
  branchOf(worker: string): string
  pathOf(worker: string): string
  /**
   * A fresh worktree, proven. Safe to repeat: one that is there, clean and at the base stays as it is; `workspace.exists`
   * where it holds anything else. Interrupted, the next call starts over.
   */
  create(request: WorkspaceRequest): Promise<CreatedWorkspace>
  /**
   * Gives the worktree to the next attempt: pins what it holds and takes it to the base by writing only the files that
   * differ. Afterwards it is as clean as a fresh one, apart from `workspace.keep`. Makes it where there is none.
   */
  move(request: WorkspaceRequest): Promise<MovedWorkspace>
  /**
   * Throws `workspace.unproven` with the reason unless the worktree is where it should be, on its branch, clean, and at
   * `base`: exactly there, or with `resumes` on top of it. To be asked before an agent starts.
   */
  prove(request: { readonly worker: string; readonly base: string; readonly resumes?: boolean }): Promise<Workspace>
  /**
   * Brings the worker's branch up to the integration branch, or to `onto`, and its files with it. On a conflict
   * (`workspace.conflict`) nothing changes.
   */
  sync(request: { readonly worker: string; readonly onto?: string }): Promise<SyncedWorkspace>
  find(worker: string): Promise<WorkspaceState | undefined>
  list(): Promise<WorkspaceState[]>
  /** Pins what it holds, then removes worktree and branch. `place` says whose work it is, if not of its attempt. */
  remove(request: { readonly worker: string; readonly place?: Attempt }): Promise<RemovedWorkspace>
  /** Lets the branches in the user's repository follow what their workers have committed by now. Pins nothing. */
  follow(): Promise<void>
  /** Pins what it holds now and changes nothing, as after every run of an agent. */
  pin(request: { readonly worker: string; readonly place?: Attempt }): Promise<readonly Pin[]>
  /**
   * The attempt is no longer this worker's: what the worktree holds from now on is pinned as the worker's own, and cannot
   * take the place of what somebody else does for the attempt. Pins nothing, and does nothing where there is no worktree.
   */
  disown(request: { readonly worker: string; readonly attempt: Attempt }): Promise<void>
  /** What interrupted or careless processes left; with `fix` it is pinned and then mended. */
  examine(fix: boolean): Promise<Leftover[]>
}

export interface Leftover {
  readonly what: "unfinished" | "gone" | "lock"
  readonly detail: string
  readonly isFixed: boolean
}

/**
 * `base`: where the attempt started. `head`: where its branch was. `leftovers`: what was not committed, as a commit on
 * top of the head. `aside`: changes outside of the task's files, as a commit. `earlier/...`: heads and leftovers that
 * later ones of the same attempt do not contain, as after an amend, a reset or a rebase. `nested/...`: the branches of
 * a git repository inside of the worktree.
 */
export type PinKind = "base" | "head" | "leftovers" | "aside" | `earlier/${string}` | `nested/${string}`

export interface Pin {
  /** `refs/teamwork/<project>/<team>/...` */
  readonly ref: string
  readonly place: Place
  /** Of a task: which attempt. Of a worker without a task: which time. */
  readonly number: number
  readonly kind: PinKind
  readonly commit: string
}

export interface ListedPin extends Pin {
  /** When the commit was made. */
  readonly date: string
  readonly subject: string
  /** Whether the target has the commit, as git says. */
  readonly isContained: boolean
}

/** The refs that keep every attempt of a team's work from being lost. All of one call are written, or none. */
export interface Pins {
  /**
   * Pins commits of one attempt. What was pinned under the same kind and is not contained in the new commit stays, as
   * `earlier/...`. Pinning the same again changes nothing.
   */
  pin(attempt: Attempt, commits: Partial<Record<"base" | "head" | "leftovers" | "aside", string>>): Promise<Pin[]>
  find(attempt: Attempt, kind: PinKind): Promise<Pin | undefined>
  /** Those of one task, or all; `target` is a branch or commit, by default what is checked out in the main checkout. */
  list(filter?: { readonly task?: string; readonly target?: string }): Promise<ListedPin[]>
  /** Makes a branch of a pin; never moves one that exists (`branch.exists`). */
  recover(pin: Pin, branch: string): Promise<void>
  /** Forgets the given pins, whoever contains them: only for what a person named. */
  purge(pins: readonly Pin[]): Promise<void>
}
