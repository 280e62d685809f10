import { chmodSync, existsSync, lstatSync, rmSync } from "node:fs"
import { AppError } from "../../kernel/errors.ts"
import { copyIndex } from "../copy-index.ts"
import type { Git } from "../git.ts"
import type { Status } from "../read-status.ts"

/** Our own commits must not depend on whether the user told git a name. */
export const IDENTITY = {
  GIT_AUTHOR_NAME: "teamwork",
  GIT_AUTHOR_EMAIL: "teamwork@localhost",
  GIT_COMMITTER_NAME: "teamwork",
  GIT_COMMITTER_EMAIL: "teamwork@localhost",
}

/** The same as it stands in a commit. */
export const OURS = `${IDENTITY.GIT_AUTHOR_NAME} <${IDENTITY.GIT_AUTHOR_EMAIL}>`

/** How the names of indexes begin that are made for leftovers; `stale-locks.ts` removes those that were left. */
export const OWN_INDEX = "teamwork-index"

export interface LeftoversRequest {
  /** In the worktree. */
  readonly git: Git
  /** The worktree's folder; null when it is gone, and only what was staged is left. */
  readonly path: string | null
  readonly adminDir: string
  readonly head: string
  /** Null where git cannot read the index. */
  readonly status: Pick<Status, "changes" | "hidden"> | null
  /** A checkout that was never finished lacks files that nobody deleted. */
  readonly ignoreMissing: boolean
  /** Leftovers that are pinned already: the same again need no new commit. */
  readonly known: string | undefined
}

/**
 * What a worktree holds that is in no commit, as a commit on top of its head; undefined when there is nothing. Ignored
 * files are left out. Built with an index of its own: neither the worktree nor its index changes.
 */
export async function commitLeftovers(request: LeftoversRequest): Promise<string | undefined> {
  const { git, path, adminDir, head, status } = request
  if (path !== null && status?.changes.length === 0 && status.hidden.length === 0) return undefined
  // A git whose caller was killed may still be writing to that one's index.
  const index = `${adminDir}/${OWN_INDEX}-${process.pid}`
  const own = { env: { GIT_INDEX_FILE: index } }
  rmSync(index, { force: true })
  rmSync(`${index}.lock`, { force: true })
  try {
    const isReadable = (status !== null || path === null) && existsSync(`${adminDir}/index`)
    if (isReadable) copyIndex(`${adminDir}/index`, index)
    else await git.read(["read-tree", head], own)
    // Without its files, an index with conflicts or damage tells nothing more.
    if (path === null && (await git.run(["write-tree"], own)).exitCode !== 0) return undefined
    const isHalfStaged = status?.changes.some((change) => change.isStagedAndChanged) === true
    const staged = isHalfStaged ? await git.read(["write-tree"], own) : undefined
    if (path !== null) await addEverything({ ...request, path }, own)
    const tree = await git.read(["write-tree"], own)
    return await commitUnlessKnown(request, tree, staged)
  } finally {
    rmSync(index, { force: true })
  }
}

type Options = { readonly env: Record<string, string> }

async function addEverything(request: LeftoversRequest & { path: string }, own: Options): Promise<void> {
  const { git, path, status, ignoreMissing } = request
  await showHidden(git, status?.hidden ?? [], own)
  const nested = repositoriesIn(status).map((repository) => `:(exclude,top,literal)${repository}`)
  const args = [
    ...["-c", "core.safecrlf=false", "add"],
    ignoreMissing ? "--ignore-removal" : "--all",
    "--ignore-errors",
    "--sparse",
    "--",
    ":/",
    ...nested,
  ]
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

/** Makes git look at paths again that somebody told it to look away from. */
export async function showHidden(git: Git, hidden: readonly string[], options: Partial<Options> = {}): Promise<void> {
  if (hidden.length === 0) return
  const input = `${hidden.join("\0")}\0`
  // Each of the two marks is taken back by a call of its own.
  await git.read(["update-index", "--no-assume-unchanged", "-z", "--stdin"], { ...options, input })
  await git.read(["update-index", "--no-skip-worktree", "-z", "--stdin"], { ...options, input })
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
  { git, head, known }: LeftoversRequest,
  tree: string,
  staged: string | undefined,
): Promise<string | undefined> {
  const headTree = await git.read(["rev-parse", "--verify", `${head}^{tree}`])
  const isStagedOnly = staged === undefined || staged === tree || staged === headTree
  if (tree === headTree && isStagedOnly) return undefined
  if (known !== undefined && (await isSame(git, known, head, tree))) return known
  const commit = async (of: string, parents: readonly string[], message: string) =>
    git.read(["commit-tree", of, ...parents.flatMap((parent) => ["-p", parent]), "-m", message], { env: IDENTITY })
  const parents = isStagedOnly ? [head] : [head, await commit(staged, [head], "Staged, and changed once more")]
  return commit(tree, parents, "Leftovers: what was not committed")
}

async function isSame(git: Git, known: string, head: string, tree: string): Promise<boolean> {
  const { stdout } = await git.run(["rev-parse", "--verify", "--quiet", `${known}^{tree}`])
  const parent = await git.run(["rev-parse", "--verify", "--quiet", `${known}^1`])
  return stdout.trim() === tree && parent.stdout.trim() === head
}
