import { existsSync, lstatSync } from "node:fs"
import { AppError } from "../../kernel/errors.ts"
import { readText } from "../../lib/read-files.ts"
import { temporaryIndex } from "../copy-index.ts"
import { isGitFailure, withVariables } from "../git.ts"
import { commitTree } from "../merges/rewrite-commits.ts"
import { readRefs } from "../read-refs.ts"
import type { Status } from "../read-status.ts"
import { importObjects } from "./import-objects.ts"
import { withObjectsOf } from "./private-repository.ts"
import { nestedGitDir, type Submodule } from "./submodules.ts"
import type { WorkspaceContext } from "./workspace-context.ts"

const LEFTOVERS = "heads/teamwork-leftovers"

type Source = Pick<WorkspaceContext, "git" | "source" | "commonDir">

/** Without ignored ones. */
export function listNested(
  path: string,
  status: Pick<Status, "changes"> | null,
  moved: readonly Submodule[],
): string[] {
  const untracked = (status?.changes ?? []).filter((change) => change.isRepository)
  const folders = [...untracked, ...moved].map((each) => `${path}/${each.path}`)
  // The worker may have run `git init` in the workspace itself.
  const own = lstatSync(`${path}/.git`, { throwIfNoEntry: false })?.isDirectory() === true ? [path] : []
  return [...folders, ...own].filter((folder) => existsSync(`${folder}/.git`))
}

/**
 * Imports nested repositories with their uncommitted files below `refs/.../nested/<n>/`: a commit of the workspace
 * would keep only their commit ids. No git runs in them.
 */
export async function pinNested(source: Source, nested: readonly string[], prefix: string): Promise<void> {
  for (const [index, folder] of nested.entries()) await keepNested(source, folder, `${prefix}nested/${index + 1}/`)
}

async function keepNested(source: Source, folder: string, prefix: string): Promise<void> {
  try {
    const gitDir = nestedGitDir(folder)
    const refs = await readNestedRefs(source, gitDir)
    const head = findHead(gitDir, refs)
    const isWhole = await tryImport(source, gitDir, [...refs.values(), ...(head === undefined ? [] : [head])])
    const kept = new Map(isWhole ? refs : [])
    kept.set(LEFTOVERS, await keepFiles(source, folder, isWhole ? head : undefined))
    const lines = [...kept].map(([ref, id]) => `update ${prefix}${ref} ${id}\n`)
    await source.git.read(["update-ref", "--stdin"], { input: lines.join("") })
  } catch (error) {
    if (!isGitFailure(error)) throw error
    throw new AppError(
      "workspace.unsaved",
      `${folder} is a separate git repository and cannot be kept (${error.message}); nothing was removed: move it away`,
      { folder },
      { cause: error },
    )
  }
}

/** Names without `refs/`; unusual names are replaced by the commit. */
async function readNestedRefs({ git }: Source, gitDir: string): Promise<Map<string, string>> {
  const refs = await readRefs(git, gitDir, "refs/")
  return new Map(
    [...refs].map(([ref, id]) => {
      const name = ref.slice("refs/".length)
      return [/^[\w][\w/-]*$/.test(name) && !name.includes("//") ? name : `others/${id.slice(0, 16)}`, id]
    }),
  )
}

function findHead(gitDir: string, refs: ReadonlyMap<string, string>): string | undefined {
  const head = readText(`${gitDir}/HEAD`).trim()
  const ref = /^ref: refs\/(\S+)$/.exec(head)?.[1]
  if (ref !== undefined) return refs.get(ref)
  return /^[0-9a-f]{40,64}$/.test(head) ? head : undefined
}

/** False if the history is incomplete, as in a shallow clone: then only files are kept. */
async function tryImport(source: Source, gitDir: string, ids: readonly string[]): Promise<boolean> {
  if (ids.length === 0) return true
  try {
    await importObjects(source, gitDir, ids)
    return true
  } catch (error) {
    if (isGitFailure(error)) return false
    throw error
  }
}

async function keepFiles(source: Source, folder: string, head: string | undefined): Promise<string> {
  const { git } = source
  const tree = await treeOfFiles(source, folder)
  const known = head === undefined ? undefined : await (await git.objects()).commit(head)
  if (known?.tree === tree) return known.commit
  const parents = head === undefined ? [] : [head]
  return commitTree(git, { tree, parents, message: "Leftovers: what was not committed" })
}

/** Uses the settings of the user's repository, and writes new objects there. */
async function treeOfFiles({ source, commonDir }: Source, folder: string, env = {}): Promise<string> {
  using index = temporaryIndex(`${commonDir}/teamwork-nested-index-${process.pid}`)
  const place = { GIT_DIR: commonDir, GIT_WORK_TREE: folder, ...index.env }
  const inside = withVariables(source.in(folder), { ...place, ...env })
  await inside.run([...ADD, "--", "."])
  return await inside.read(["write-tree"])
}

const ADD = ["-c", "core.safecrlf=false", "-c", "advice.addEmbeddedRepo=false", "add", "--all", "--ignore-errors"]

export async function hasChanges(source: Source, folder: string, head: string | undefined): Promise<boolean> {
  const objects = withObjectsOf(nestedGitDir(folder))
  const committed = await source.git.run(["rev-parse", "--verify", "--quiet", `${head}^{tree}`], { env: objects })
  return committed.exitCode !== 0 || committed.stdout.trim() !== (await treeOfFiles(source, folder, objects))
}
