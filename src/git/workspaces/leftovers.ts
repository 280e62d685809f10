import { chmodSync, existsSync, lstatSync, rmSync } from "node:fs"
import { AppError } from "../../kernel/errors.ts"
import { getTree } from "../ancestry.ts"
import { copyIndex } from "../copy-index.ts"
import type { Git } from "../git.ts"
import { commitTree } from "../merges/rewrite-commits.ts"
import { type Status, treeOfIndex } from "../read-status.ts"
import { addSubmodules, excluded, type Submodule } from "./submodules.ts"

/** How the names of indexes begin that are made for leftovers; `stale-locks.ts` removes those that were left. */
export const OWN_INDEX = "teamwork-index"

export interface LeftoversRequest {
  /** Looks at the workspace. */
  readonly git: Git
  /** The workspace's folder; null when it is gone. */
  readonly path: string | null
  /** The git folder with the index. */
  readonly view: string
  /** That index is not ours, and may hide files. */
  readonly isForeign: boolean
  readonly head: string
  /** Null where git cannot tell. */
  readonly status: Status | null
  readonly submodules: readonly Submodule[]
  /** A checkout that was never finished lacks files that nobody deleted. */
  readonly ignoreMissing: boolean
  /** What the worker had put into its own index, where that is neither committed nor in its files. */
  readonly staged: string | undefined
  /** Leftovers that are pinned already: the same again need no new commit. */
  readonly known: string | undefined
}

/**
 * What a workspace holds that is in no commit, as a commit on top of its head; undefined when there is nothing. Ignored
 * files are left out. Built with an index of its own: neither the files nor any other index changes.
 */
export async function commitLeftovers(request: LeftoversRequest): Promise<string | undefined> {
  const { git, path, view, head, status, staged, isForeign } = request
  const headTree = await getTree(git, head)
  if (path === null || (status?.changes.length === 0 && request.submodules.length === 0))
    return commitUnlessKnown(request, { headTree, tree: path === null ? (staged ?? headTree) : headTree })
  const index = `${view}/${OWN_INDEX}-${process.pid}`
  const own = { env: { GIT_INDEX_FILE: index } }
  rmSync(index, { force: true })
  rmSync(`${index}.lock`, { force: true })
  try {
    if (!isForeign && status !== null && existsSync(`${view}/index`)) copyIndex(`${view}/index`, index)
    else await git.read(["read-tree", head], own)
    // What was committed stays committed, also where git would ignore it by now.
    if (treeOfIndex(index) !== headTree) await git.read(["read-tree", "-i", "-m", head], own)
    await addEverything({ ...request, path }, own)
    return await commitUnlessKnown(request, { headTree, tree: await git.read(["write-tree"], own) })
  } finally {
    rmSync(index, { force: true })
  }
}

type Options = { readonly env: Record<string, string> }

async function addEverything(request: LeftoversRequest & { path: string }, own: Options): Promise<void> {
  const { git, path, status, submodules, ignoreMissing } = request
  const nested = repositoriesIn(status).map((repository) => `:(exclude,top,literal)${repository}`)
  const args = [
    ...["-c", "core.safecrlf=false", "add"],
    ignoreMissing ? "--ignore-removal" : "--all",
    "--ignore-errors",
    "--sparse",
    "--",
    ":/",
    ...nested,
    ...excluded(submodules),
  ]
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

/** Untracked repositories, which git would keep by name only; their content is pinned on its own. */
function repositoriesIn(status: Pick<Status, "changes"> | null): string[] {
  return (status?.changes ?? [])
    .filter((change) => change.isRepository && change.kind === "untracked")
    .map((change) => change.path)
}

async function unsaved(git: Git, own: Options): Promise<string[]> {
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
    // Not ours to change: the next try shows whether it matters.
  }
}

/** Pipes and sockets hold nothing that could be kept. */
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
