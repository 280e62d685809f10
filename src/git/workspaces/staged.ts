import { existsSync, lstatSync } from "node:fs"
import { entriesOf } from "../../lib/read-files.ts"
import { getTree } from "../ancestry.ts"
import { copyIndex, temporaryIndex } from "../copy-index.ts"
import { type Git, isGitFailure } from "../git.ts"
import { treeOfIndex } from "../read-status.ts"
import { importObjects } from "./import-objects.ts"
import type { WorkspaceContext } from "./workspace-context.ts"
import type { FoundWorkspace } from "./workspace-record.ts"

/** Imports the tree of the worker's index. Undefined if it is that of the commit or unreadable. */
export async function keepStaged(
  source: Pick<WorkspaceContext, "git" | "commonDir">,
  git: Git,
  { found, head }: { readonly found: FoundWorkspace; readonly head: string },
): Promise<string | undefined> {
  const { gitDir, view, isLinked } = found
  // A link may lead to an index of others.
  if (lstatSync(`${gitDir}/index`, { throwIfNoEntry: false })?.isFile() !== true) return undefined
  if (treeOfIndex(`${gitDir}/index`) === (await getTree(git, head))) return undefined
  const index = `${view}/teamwork-index-staged-${process.pid}`
  using own = temporaryIndex(index)
  try {
    copyIndex(`${gitDir}/index`, index)
    const entries = await git.list(["ls-files", "--stage", "-z"], own)
    const files = entries.flatMap((entry) => {
      const [, mode, id = "", stage] = /^(\d+) ([0-9a-f]+) (\d)\t/.exec(entry) ?? []
      return mode === "160000" ? [] : [{ id, stage }]
    })
    if (files.some(({ stage }) => stage !== "0")) return undefined
    if (!isLinked) await importObjects(source, gitDir, ownObjects(gitDir, [...new Set(files.map(({ id }) => id))]))
    return await git.read(["write-tree", "--missing-ok"], own)
  } catch (error) {
    if (isGitFailure(error)) return undefined
    throw error
  }
}

/** Objects that may be missing in the user's repository. */
function ownObjects(gitDir: string, ids: readonly string[]): string[] {
  if (entriesOf(`${gitDir}/objects/pack`).length > 0) return [...ids]
  return ids.filter((id) => existsSync(`${gitDir}/objects/${id.slice(0, 2)}/${id.slice(2)}`))
}
