import { existsSync, linkSync, lstatSync, readFileSync, renameSync } from "node:fs"
import type { FileChange } from "../ownership/scope.ts"
import type { GitChange } from "./changes.ts"
import { copyIndex, temporaryIndex } from "./copy-index.ts"
import type { Git } from "./git.ts"
import { mayHideFiles } from "./read-index.ts"
import { treeOfIndex } from "./read-status.ts"
import { addSubmodules, excluded, type Submodule } from "./workspaces/submodules.ts"

/** A temporary index beside the worktree's own, for building trees. */
export interface OwnIndex extends Disposable {
  /** All files that git does not ignore. Throws `git.failed` if git cannot add one. */
  snapshot(submodules: readonly Submodule[], except?: readonly string[]): Promise<string>
  /** Adds only the kept changes to `from`. */
  apply(from: string, kept: readonly FileChange[], all: readonly GitChange[]): Promise<string>
  /**
   * Replaces the worktree's index after committing a snapshot. False if another process holds its lock, or if it
   * would keep hiding changes of files.
   */
  takeOver(): boolean
}

interface IndexStart {
  readonly folder: string
  /** For an index that may belong to an earlier commit. */
  readonly head?: { readonly commit: string; readonly tree: string }
  /** The worker's index, which may have staged files that git ignores. */
  readonly staged?: string
}

export function openIndex(git: Git, { folder, head, staged }: IndexStart): OwnIndex {
  const file = `${folder}/teamwork-scope-index`
  const own = temporaryIndex(file)
  const add = ["-c", "advice.addEmbeddedRepo=false", "add", "--all", "--sparse", "--", ":/"]
  const start = async () => {
    if (existsSync(`${folder}/index`)) copyIndex(`${folder}/index`, file)
    // Keep committed files, even if git ignores them now.
    if (head !== undefined && treeOfIndex(file) !== head.tree)
      await git.read(["read-tree", "-i", "-m", head.commit], own)
  }
  const addStaged = async () => {
    const paths =
      staged === undefined || head === undefined
        ? []
        : await listStaged(git, { index: staged, folder, tree: head.tree })
    if (paths.length > 0)
      await git.read(["add", "--force", "--sparse", "--pathspec-from-file=-", "--pathspec-file-nul"], {
        ...own,
        input: paths.map((path) => `:(top,literal)${path}\0`).join(""),
      })
  }
  return {
    async snapshot(submodules, except = []) {
      await start()
      await addSubmodules(git, submodules, own)
      await addStaged()
      const left = except.map((path) => `:(exclude,top,literal)${path}`)
      await git.read([...add, ...excluded(submodules), ...left], own)
      return git.read(["write-tree"], own)
    },
    async apply(from, kept, all) {
      await git.read(["read-tree", from], own)
      const paths = new Set(kept.map((change) => change.path))
      const lines = all
        .filter((change) => paths.has(change.path))
        .sort((a, b) => Number(b.change === "deleted") - Number(a.change === "deleted"))
        .map(({ change, mode, oid, path }) => `${change === "deleted" ? "0" : mode} ${oid}\t${path}\0`)
      if (lines.length > 0) await git.read(["update-index", "-z", "--index-info"], { ...own, input: lines.join("") })
      return git.read(["write-tree"], own)
    },
    takeOver() {
      const lock = `${folder}/index.lock`
      try {
        if (mayHideFiles(readFileSync(file))) return false
        // Like git. A link keeps the file's time, by which git decides which files to compare again.
        linkSync(file, lock)
        renameSync(lock, `${folder}/index`)
        return true
      } catch {
        return false // the lock is held, or the file system has no hard links: leave it to git, which waits
      }
    },
    [Symbol.dispose]: () => own[Symbol.dispose](),
  }
}

async function listStaged(
  git: Git,
  { index, folder, tree }: { readonly index: string; readonly folder: string; readonly tree: string },
): Promise<string[]> {
  if (lstatSync(index, { throwIfNoEntry: false })?.isFile() !== true || treeOfIndex(index) === tree) return []
  const copy = `${folder}/teamwork-scope-staged`
  using own = temporaryIndex(copy)
  copyIndex(index, copy)
  const flags = ["--cached", "--name-only", "--diff-filter=A", "--ignore-submodules=all", "-z"]
  const { exitCode, stdout } = await git.run(["diff-index", ...flags, tree], own)
  const root = git.folder
  const paths = exitCode === 0 ? stdout.split("\0").filter((path) => path !== "") : []
  return paths.filter((path) => lstatSync(`${root}/${path}`, { throwIfNoEntry: false })?.isFile() === true)
}
