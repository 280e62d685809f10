import type { Judged } from "../verdict.ts"

/** Read-only, with temporary checkouts. */
export interface GateRepository {
  /** The top of the checkout it was opened in. */
  readonly folder: string
  find(revision: string): Promise<Judged | undefined>
  /** `movedMs`: when HEAD moved here last, if git knows. */
  times(commit: string): Promise<{ readonly committedSeconds: number; readonly movedMs: number | undefined }>
  contains(later: string, earlier: string): Promise<boolean>
  /** Whether `commit` is `base` or one commit on top of it, no merge. */
  isNextTo(base: string, commit: string): Promise<boolean>
  findBase(...commits: string[]): Promise<string | undefined>
  /** Where the work started, in a worktree of a worker. */
  findStart(): Promise<string | undefined>
  /** Without ignored files. */
  listUncommitted(): Promise<string[]>
  /** Whether the checkout has files that git ignores. */
  hasIgnored(): Promise<boolean>
  listMerges(base: string, commit: string): Promise<string[]>
  /** Without context lines and renames. */
  readDiff(base: string, commit: string): Promise<string>
  openTree(tree: string): TreeObjects
  /** A key of the set-up of a checkout; empty for none. */
  describeSetup(tree: string): Promise<string>
  /** Compares the installed dependencies with those of a fresh checkout. */
  compareSetup(tree: string): Promise<"same" | "outdated" | "unknown">
  /** Lends a checkout with its dependencies installed. */
  checkedOut<T>(commit: string, use: (folder: string) => Promise<T>): Promise<T>
}

/** Paths are relative, with slashes. */
export interface TreeFiles {
  /** `""` for the top. Folders end with a slash. Empty if there is no such folder. */
  list(folder: string): Promise<readonly string[]>
  read(path: string): Promise<string>
}

export interface TreeObjects extends TreeFiles {
  /** The git object id; `""` for the top. */
  id(path: string): Promise<string | undefined>
  bytes(path: string): Promise<Uint8Array | undefined>
}
