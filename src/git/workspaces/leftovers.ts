import { chmodSync, existsSync, lstatSync } from "node:fs"
import { AppError } from "../../kernel/errors.ts"
import { getTree } from "../ancestry.ts"
import { copyIndex, type TemporaryIndex, temporaryIndex } from "../copy-index.ts"
import type { Git } from "../git.ts"
import { commitTree } from "../merges/rewrite-commits.ts"
import { type Status, treeOfIndex } from "../read-status.ts"
import { addSubmodules, excluded, type Submodule } from "./submodules.ts"

/** `stale-locks.ts` removes indexes with this prefix that killed processes left. */
export const OWN_INDEX = "teamwork-index"

export interface LeftoversRequest {
  readonly git: Git
  readonly path: string | null
  readonly view: string
  /** The index is not ours and may hide files. */
  readonly isForeign: boolean
  readonly head: string
  readonly status: Status | null
  readonly submodules: readonly Submodule[]
  /** An unfinished checkout lacks files that the worker did not delete. */
  readonly ignoreMissing: boolean
  readonly staged: string | undefined
  /** Pinned leftovers: the same content needs no new commit. */
  readonly known: string | undefined
}

/** On top of the head, without ignored files. Changes neither files nor the index. */
export async function commitLeftovers(request: LeftoversRequest): Promise<string | undefined> {
  const { git, path, view, head, status, staged, isForeign } = request
  const headTree = await getTree(git, head)
  if (path === null || (status?.changes.length === 0 && request.submodules.length === 0))
    return commitUnlessKnown(request, { headTree, tree: path === null ? (staged ?? headTree) : headTree })
  const index = `${view}/${OWN_INDEX}-${process.pid}`
  using own = temporaryIndex(index)
  if (!isForeign && status !== null && existsSync(`${view}/index`)) copyIndex(`${view}/index`, index)
  else await git.read(["read-tree", head], own)
  // Keep committed files, even if git ignores them now.
  if (treeOfIndex(index) !== headTree) await git.read(["read-tree", "-i", "-m", head], own)
  await addEverything({ ...request, path }, own)
  return await commitUnlessKnown(request, { headTree, tree: await git.read(["write-tree"], own) })
}

async function addEverything(request: LeftoversRequest & { path: string }, own: TemporaryIndex): Promise<void> {
  const { git, path, status, submodules, ignoreMissing } = request
  const nested = repositoriesIn(status).map((repository) => `:(exclude,top,literal)${repository}`)
  const flags = [ignoreMissing ? "--ignore-removal" : "--all", "--ignore-errors", "--sparse"]
  const args = ["-c", "core.safecrlf=false", "add", ...flags, "--", ":/", ...nested, ...excluded(submodules)]
  await addSubmodules(git, submodules, own)
  if ((await git.run(args, own)).exitCode === 0) return
  for (const file of await unsaved(git, own)) makeReadable(`${path}/${file}`)
  const again = await git.run(args, own)
  if (again.exitCode === 0) return
  const lost = (await unsaved(git, own)).filter((file) => hasContent(`${path}/${file}`))
  if (lost.length === 0) return
  throw new AppError(
    "workspace.unsaved",
    `${lost.slice(0, 3).join(", ")}${lost.length > 3 ? ` and ${lost.length - 3} more` : ""} in ${path} cannot be read (${again.stderr.split("\n", 1)[0]}); nothing was removed: make it readable, or move it away`,
    { files: lost },
  )
}

/** Git would keep only the commit id of untracked repositories. Their content is pinned separately. */
function repositoriesIn(status: Pick<Status, "changes"> | null): string[] {
  return (status?.changes ?? [])
    .filter((change) => change.isRepository && change.kind === "untracked")
    .map((change) => change.path)
}

async function unsaved(git: Git, own: TemporaryIndex): Promise<string[]> {
  const [changed, untracked] = await Promise.all([
    git.list(["diff-files", "--name-only", "-z", "--diff-filter=d"], own),
    git.list(["ls-files", "--others", "--exclude-standard", "-z"], own),
  ])
  return [...changed, ...untracked].filter((file) => !file.endsWith("/"))
}

function makeReadable(file: string): void {
  try {
    const { mode } = lstatSync(file)
    chmodSync(file, (mode & 0o777) | 0o400)
  } catch {
    // Not permitted: the next try shows whether it matters.
  }
}

/** False for pipes and sockets. */
function hasContent(file: string): boolean {
  const stat = lstatSync(file, { throwIfNoEntry: false })
  return stat !== undefined && (stat.isFile() || stat.isSymbolicLink() || stat.isDirectory())
}

async function commitUnlessKnown(
  { git, head, known, staged }: LeftoversRequest,
  { headTree, tree }: { readonly headTree: string; readonly tree: string },
): Promise<string | undefined> {
  const isStagedOnly = staged === undefined || staged === tree || staged === headTree
  if (tree === headTree && isStagedOnly) return undefined
  if (known !== undefined && (await isSame(git, known, head, tree))) return known
  const commit = (of: string, parents: readonly string[], message: string) =>
    commitTree(git, { tree: of, parents, message })
  const parents = isStagedOnly ? [head] : [head, await commit(staged, [head], "Staged, and changed once more")]
  return commit(tree, parents, "Leftovers: what was not committed")
}

async function isSame(git: Git, known: string, head: string, tree: string): Promise<boolean> {
  const { stdout } = await git.run(["rev-parse", "--verify", "--quiet", `${known}^{tree}`])
  const parent = await git.run(["rev-parse", "--verify", "--quiet", `${known}^1`])
  return stdout.trim() === tree && parent.stdout.trim() === head
}
