import type { TeamName } from "../domain/team.ts"

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
  /** `teamwork/<team>/<worker>` */
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
  /** The file with what `workspace.setup` printed; null where no command is set. */
  readonly setupLog: string | null
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
  /** Why somebody locked it with `git worktree lock`; null where nobody did. */
  readonly locked: string | null
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
 * One git worktree per worker of one team. Whatever is about to be removed, reset or given to another attempt is pinned
 * before. Calls for one worker, also of other processes, come one after the other. The user's own checkout is never
 * written to.
 */
export interface Workspaces {
  readonly team: TeamName
  /** Where the team's work comes together: `teamwork/<team>/integration`. */
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
  /** Pins what it holds now and changes nothing, as after every run of an agent. */
  pin(request: { readonly worker: string; readonly place?: Attempt }): Promise<readonly Pin[]>
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
