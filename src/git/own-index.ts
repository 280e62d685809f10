import { existsSync, linkSync, lstatSync, readFileSync, renameSync, rmSync } from "node:fs"
import type { FileChange } from "../ownership/scope.ts"
import type { GitChange } from "./changes.ts"
import { copyIndex } from "./copy-index.ts"
import type { Git } from "./git.ts"
import { mayHideFiles } from "./read-index.ts"
import { treeOfIndex } from "./read-status.ts"
import { addSubmodules, excluded, type Submodule } from "./workspaces/submodules.ts"

/** An index beside that of the worktree, to build trees with. */
export interface OwnIndex extends Disposable {
  /** The tree of everything in the worktree that git does not ignore; undefined when git cannot add it. */
  trySnapshot(submodules: readonly Submodule[]): Promise<string | undefined>
  snapshot(submodules: readonly Submodule[], except: readonly string[]): Promise<string>
  /** A tree with these of all changes. */
  apply(from: string, kept: readonly FileChange[], all: readonly GitChange[]): Promise<string>
  /**
   * Takes the place of the worktree's own index, as it is after the snapshot: what is there is what is committed. False,
   * and nothing done, while somebody else writes that, or when it would go on hiding files.
   */
  takeOver(): boolean
}

interface IndexStart {
  /** Git's own folder, with the index to begin with. */
  readonly folder: string
  /** The commit that the files are compared with, where the index there may be of an earlier one. */
  readonly head?: { readonly commit: string; readonly tree: string }
  /** The index of somebody else, who may have staged files that git would ignore. */
  readonly staged?: string
}

export function openIndex(git: Git, { folder, head, staged }: IndexStart): OwnIndex {
  const file = `${folder}/teamwork-scope-index`
  const own = { env: { GIT_INDEX_FILE: file } }
  const remove = () => {
    for (const each of [file, `${file}.lock`]) rmSync(each, { force: true })
  }
  const add = ["-c", "advice.addEmbeddedRepo=false", "add", "--all", "--sparse", "--", ":/"]
  const start = async () => {
    if (existsSync(`${folder}/index`)) copyIndex(`${folder}/index`, file)
    // What was committed stays committed, also where git would ignore it by now.
    if (head !== undefined && treeOfIndex(file) !== head.tree)
      await git.read(["read-tree", "-i", "-m", head.commit], own)
  }
  /** Files that were staged although they are ignored are meant. */
  const addStaged = async () => {
    const paths =
      staged === undefined || head === undefined ? [] : await listStaged(git, { index: staged, folder, head })
    if (paths.length > 0)
      await git.read(["add", "--force", "--sparse", "--pathspec-from-file=-", "--pathspec-file-nul"], {
        ...own,
        input: paths.map((path) => `:(top,literal)${path}\0`).join(""),
      })
  }
  remove() // of whoever was interrupted
  return {
    async trySnapshot(submodules) {
      await start()
      await addSubmodules(git, submodules, own)
      await addStaged()
      const { exitCode } = await git.run([...add, ...excluded(submodules)], own)
      return exitCode === 0 ? git.read(["write-tree"], own) : undefined
    },
    async snapshot(submodules, except) {
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
        // The way git itself does it, and with the time of the file, which tells git what to look at again.
        linkSync(file, lock)
        renameSync(lock, `${folder}/index`)
        return true
      } catch {
        // Somebody holds the lock, or the file system has no such links: git itself knows how to wait.
        return false
      }
    },
    [Symbol.dispose]: remove,
  }
}

/** New files in an index of somebody else that are there, and that git would ignore. */
async function listStaged(
  git: Git,
  {
    index,
    folder,
    head,
  }: { readonly index: string; readonly folder: string; readonly head: { readonly tree: string } },
): Promise<string[]> {
  if (lstatSync(index, { throwIfNoEntry: false })?.isFile() !== true || treeOfIndex(index) === head.tree) return []
  const copy = `${folder}/teamwork-scope-staged`
  try {
    copyIndex(index, copy)
    const diff = [
      "diff-index",
      "--cached",
      "--name-only",
      "--diff-filter=A",
      "--ignore-submodules=all",
      "-z",
      head.tree,
    ]
    const { exitCode, stdout } = await git.run(diff, { env: { GIT_INDEX_FILE: copy } })
    const root = git.folder
    const paths = exitCode === 0 ? stdout.split("\0").filter((path) => path !== "") : []
    return paths.filter((path) => lstatSync(`${root}/${path}`, { throwIfNoEntry: false })?.isFile() === true)
  } finally {
    rmSync(copy, { force: true })
  }
}
