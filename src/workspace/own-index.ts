import { existsSync, rmSync } from "node:fs"
import type { FileChange } from "../domain/scope.ts"
import { copyIndex } from "./copy-index.ts"
import type { Git } from "./git.ts"
import type { GitChange } from "./list-changes.ts"

/** An index beside that of the worktree, to build trees with. */
export interface OwnIndex extends Disposable {
  /** The tree of everything in the worktree that git does not ignore. */
  snapshot(except: readonly string[]): Promise<string>
  /** A tree with these of all changes. */
  apply(from: string, kept: readonly FileChange[], all: readonly GitChange[]): Promise<string>
}

export async function openIndex(git: Git): Promise<OwnIndex> {
  const folder = await git.read(["rev-parse", "--absolute-git-dir"])
  const file = `${folder}/teamwork-scope-index`
  const own = { env: { GIT_INDEX_FILE: file } }
  const remove = () => {
    for (const each of [file, `${file}.lock`]) rmSync(each, { force: true })
  }
  remove() // of whoever was interrupted
  return {
    async snapshot(except) {
      if (existsSync(`${folder}/index`)) copyIndex(`${folder}/index`, file)
      const others = except.map((path) => `:(exclude,top,literal)${path}`)
      await git.read(["-c", "advice.addEmbeddedRepo=false", "add", "--all", "--sparse", "--", ":/", ...others], own)
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
    [Symbol.dispose]: remove,
  }
}
