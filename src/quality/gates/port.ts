import type { Judged } from "../verdict.ts"

/** A repository as gates need it: read-only, with temporary checkouts. */
export interface GateRepository {
  /** The top of the checkout it was opened in. */
  readonly folder: string
  /** Resolves a branch, tag or commit. */
  find(revision: string): Promise<Judged | undefined>
  /** When the commit was made, and when HEAD moved here last, where git keeps that. */
  times(commit: string): Promise<{ readonly committedSeconds: number; readonly movedMs: number | undefined }>
  /** Whether `later` contains `earlier`. */
  contains(later: string, earlier: string): Promise<boolean>
  /** Whether `commit` is `base` or a single commit on top of it, no merge. */
  isNextTo(base: string, commit: string): Promise<boolean>
  /** The merge base. */
  findBase(...commits: string[]): Promise<string | undefined>
  /** Where the work started, in a worktree of a worker. */
  findStart(): Promise<string | undefined>
  /** Changed and untracked files of the checkout, without ignored ones. */
  listUncommitted(): Promise<string[]>
  /** Whether the checkout has files that git ignores. */
  hasIgnored(): Promise<boolean>
  /** Merge commits between `base` and `commit`. */
  listMerges(base: string, commit: string): Promise<string[]>
  /** The diff without context lines and renames. */
  readDiff(base: string, commit: string): Promise<string>
  openTree(tree: string): TreeObjects
  /** A key of what teamwork installs in a checkout of the tree; empty for nothing. */
  describeSetup(tree: string): Promise<string>
  /** Compares what is installed in this checkout with what a fresh one would have. */
  compareSetup(tree: string): Promise<"same" | "outdated" | "unknown">
  /** Lends a checkout of the commit with its dependencies installed. */
  checkedOut<T>(commit: string, use: (folder: string) => Promise<T>): Promise<T>
}

/** The files of a tree. Paths are relative, with slashes. */
export interface TreeFiles {
  /** Names in a folder, `""` for the top. Names of folders end with a slash. Empty for no folder. */
  list(folder: string): Promise<readonly string[]>
  read(path: string): Promise<string>
}

export interface TreeObjects extends TreeFiles {
  /** The git object id of a file or folder, `""` for the top. */
  id(path: string): Promise<string | undefined>
  bytes(path: string): Promise<Uint8Array | undefined>
}
