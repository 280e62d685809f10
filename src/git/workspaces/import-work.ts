import { lstatSync } from "node:fs"
import { entriesOf, readText } from "../../lib/read-files.ts"
import { type Git, isGitFailure } from "../git.ts"
import { isCommitId, readRefs } from "../read-refs.ts"
import { importLargeFiles } from "./import-lfs.ts"
import { importObjects } from "./import-objects.ts"
import { ownPackedRefs } from "./private-repository.ts"
import { type CheckoutPlace, writeHead } from "./view.ts"
import type { WorkspaceContext } from "./workspace-context.ts"

/** Files with a commit that an operation left or goes to. */
const PSEUDO_REFS = [
  "ORIG_HEAD",
  "MERGE_HEAD",
  "CHERRY_PICK_HEAD",
  "REVERT_HEAD",
  "REBASE_HEAD",
  "rebase-merge/orig-head",
  "rebase-merge/onto",
  "rebase-merge/stopped-sha",
  "rebase-apply/orig-head",
]

type Target = Pick<WorkspaceContext, "git" | "commonDir">
type Source = CheckoutPlace & { readonly isLinked: boolean }

/** Read from the files of the worker's repository. */
export interface CheckedOut {
  readonly branch: string | null
  readonly commit: string | null
}

async function readCheckedOut({ git, commonDir }: Target, source: Source): Promise<CheckedOut> {
  const head = readText(`${source.gitDir}/HEAD`).trim()
  if (isCommitId(head)) return { branch: null, commit: head }
  const ref = /^ref: (refs\/heads\/\S+)$/.exec(head)?.[1]
  if (ref === undefined) return { branch: null, commit: null }
  const refs = await readRefs(git, source.isLinked ? commonDir : source.gitDir, ref)
  return { branch: ref.slice("refs/heads/".length), commit: refs.get(ref) ?? null }
}

/** The commit is null if the worker's repository has none or is damaged; then only its files can be kept. */
export async function importHead(target: Target, source: Source): Promise<CheckedOut> {
  const { branch, commit } = await readCheckedOut(target, source)
  if (commit === null || source.isLinked) return { branch, commit }
  if (!(await tryImport(target, source, commit))) return { branch, commit: null }
  writeHead(source.view, commit)
  return { branch, commit }
}

async function tryImport(target: Target, { gitDir }: Source, commit: string): Promise<boolean> {
  try {
    await importObjects(target, gitDir, [commit])
    importLargeFiles(gitDir, target.commonDir)
    return true
  } catch (error) {
    if (isGitFailure(error)) return false
    throw error
  }
}

/**
 * Imports commits that would disappear with the worker's repository: left behind by an amend, a reset, a rebase, a
 * stash or a switch to another branch.
 */
export async function importEarlier(
  target: Target,
  source: Source,
  { branch, head, known }: { readonly branch: string; readonly head: string; readonly known: readonly string[] },
): Promise<string[]> {
  const { gitDir, isLinked } = source
  const logs = isLinked
    ? [`${gitDir}/logs/HEAD`, `${target.commonDir}/logs/refs/heads/${branch}`]
    : filesBelow(`${gitDir}/logs`)
  const packed = isLinked ? [] : ownPackedRefs(source).split("\n")
  const mentioned = [
    ...logs.flatMap((file) => readText(file).split("\n")).flatMap((line) => line.split(" ", 2)),
    ...PSEUDO_REFS.map((name) => readText(`${gitDir}/${name}`).trim()),
    ...filesBelow(`${gitDir}/refs`).map((file) => readText(file).trim()),
    ...packed.map((line) => line.split(" ", 1)[0] ?? ""),
  ]
  const commits = new Set(mentioned.filter(isCommitId))
  for (const commit of [head, ...known]) commits.delete(commit)
  const imported: string[] = []
  for (const commit of commits) if (isLinked || (await tryImport(target, source, commit))) imported.push(commit)
  return withoutKept(target.git, imported, { branch, head })
}

/** Reads all refs only if the head's history lacks a commit. */
async function withoutKept(
  git: Git,
  commits: readonly string[],
  { branch, head }: { readonly branch: string; readonly head: string },
): Promise<string[]> {
  if (commits.length === 0) return []
  const input = `${[...commits, `^${head}`].join("\n")}\n`
  const list = async (...others: string[]) => {
    const args = ["rev-list", "--parents", "--ignore-missing", "--stdin", ...others]
    return (await git.read(args, { input })).split("\n").filter((line) => line !== "")
  }
  if ((await list()).length === 0) return []
  const refs = ["--not", `--exclude=${branch}`, "--branches", "--tags", "--remotes", "--glob=refs/teamwork/"]
  const lines = await list(...refs)
  const parents = new Set(lines.flatMap((line) => line.split(" ").slice(1)))
  const asked = new Set(commits)
  // The last commit of a line keeps the others.
  return lines.map((line) => line.split(" ", 1)[0] ?? "").filter((commit) => asked.has(commit) && !parents.has(commit))
}

/** Does not follow links. */
function filesBelow(folder: string): string[] {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  return entriesOf(folder).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return filesBelow(path)
    return entry.isFile() ? [path] : []
  })
}
