import type { Judged } from "../verdict.ts"

/** A repository as gates need it. It is read, never changed; what is checked out for a gate is gone afterwards. */
export interface GateRepository {
  /** The top folder of the checkout that it was opened in. */
  readonly folder: string
  /** What a branch, tag or commit means. Undefined when there is no such commit. */
  find(revision: string): Promise<Judged | undefined>
  /** When a commit was made, in seconds as git has it, and when HEAD moved here last, in milliseconds where that is kept. */
  times(commit: string): Promise<{ readonly committedSeconds: number; readonly movedMs: number | undefined }>
  /** Whether `later` contains `earlier`. */
  contains(later: string, earlier: string): Promise<boolean>
  /** Whether `commit` is `base`, or one commit on top of it and no merge. */
  isNextTo(base: string, commit: string): Promise<boolean>
  /** The newest commit that all of them contain. */
  findBase(...commits: string[]): Promise<string | undefined>
  /** Where the work in the checkout started, if it is a worker's worktree. */
  findStart(): Promise<string | undefined>
  /** Files of the checkout that differ from its commit; those that git does not know are among them, ignored ones not. */
  listUncommitted(): Promise<string[]>
  /** Whether there are files in the checkout that git ignores. */
  hasIgnored(): Promise<boolean>
  /** Commits with more than one parent that `commit` contains and `base` does not. */
  listMerges(base: string, commit: string): Promise<string[]>
  /** What differs between two commits, as text without lines of context; renames are a removal and an addition. */
  readDiff(base: string, commit: string): Promise<string>
  openTree(tree: string): TreeObjects
  /** What is installed by itself in a checkout of a tree: another text where commands may end otherwise. Empty for nothing. */
  describeSetup(tree: string): Promise<string>
  /** How what is installed in this checkout stands to what a fresh one of the tree would have. */
  compareSetup(tree: string): Promise<"same" | "outdated" | "unknown">
  /** Lends a folder that holds the commit, made ready to work in. */
  checkedOut<T>(commit: string, use: (folder: string) => Promise<T>): Promise<T>
}

/** The files of a tree, whether it is checked out or not. Paths are relative, with slashes. */
export interface TreeFiles {
  /** Names in a folder, `""` for the top; those of folders end with a slash. Empty for what is no folder. */
  list(folder: string): Promise<readonly string[]>
  read(path: string): Promise<string>
}

/** The same with how git knows them. */
export interface TreeObjects extends TreeFiles {
  /** git's id of a file or a folder, `""` for the top: another as soon as anything in it is another. */
  id(path: string): Promise<string | undefined>
  /** A file byte by byte; undefined for what is none. */
  bytes(path: string): Promise<Uint8Array | undefined>
}
