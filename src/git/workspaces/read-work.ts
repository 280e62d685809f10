import { lstatSync } from "node:fs"
import { AppError } from "../../kernel/errors.ts"
import { withoutNear } from "../ancestry.ts"
import type { Git } from "../git.ts"
import { entriesOf, readRefs, readText } from "../read-refs.ts"
import { bringLargeFiles } from "./bring-lfs.ts"
import { bringObjects } from "./bring-objects.ts"
import type { Ground } from "./ground.ts"
import { ownPackedRefs } from "./private-repository.ts"
import { type CheckoutPlace, writeHead } from "./view.ts"

/** Where git notes a commit that an operation left or is about to go to. */
const PSEUDO_REFS = [
  ...["ORIG_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD"],
  ...["rebase-merge/orig-head", "rebase-merge/onto", "rebase-merge/stopped-sha", "rebase-apply/orig-head"],
]

type Source = Pick<Ground, "git" | "commonDir">
type Worked = CheckoutPlace & { readonly isLinked: boolean }

/** What the worker's repository has checked out, read from its files. */
export interface CheckedOut {
  /** Null where no branch is. */
  readonly branch: string | null
  /** Null where there is no commit, or the repository cannot be read. */
  readonly commit: string | null
}

async function readCheckedOut({ git, commonDir }: Source, found: Worked): Promise<CheckedOut> {
  const head = readText(`${found.gitDir}/HEAD`).trim()
  if (isCommit(head)) return { branch: null, commit: head }
  const ref = /^ref: (refs\/heads\/\S+)$/.exec(head)?.[1]
  if (ref === undefined) return { branch: null, commit: null }
  const refs = await readRefs(git, found.isLinked ? commonDir : found.gitDir, ref)
  return { branch: ref.slice("refs/heads/".length), commit: refs.get(ref) ?? null }
}

/**
 * The commit that a worker is at, brought into the user's repository. Null where its repository has none or is damaged;
 * then only its files can be kept.
 */
export async function bringHead(source: Source, found: Worked): Promise<CheckedOut> {
  const { branch, commit } = await readCheckedOut(source, found)
  if (commit === null || found.isLinked) return { branch, commit }
  if (!(await bring(source, found, [commit]))) return { branch, commit: null }
  writeHead(found.view, commit)
  return { branch, commit }
}

async function bring(source: Source, { gitDir }: Worked, commits: readonly string[]): Promise<boolean> {
  try {
    await bringObjects(source, gitDir, commits)
    bringLargeFiles(gitDir, source.commonDir)
    return true
  } catch (error) {
    if (error instanceof AppError && error.code === "git.failed") return false
    throw error
  }
}

/**
 * The commits that a workspace was at and that nothing else keeps: what an amend, a reset, a rebase, a stash or a switch
 * to another branch left behind. They go with the worker's repository, so they are brought into the user's.
 */
export async function bringEarlier(
  source: Source,
  found: Worked,
  { branch, head, known }: { readonly branch: string; readonly head: string | null; readonly known: readonly string[] },
): Promise<string[]> {
  const { gitDir, isLinked } = found
  const logs = isLinked
    ? [`${gitDir}/logs/HEAD`, `${source.commonDir}/logs/refs/heads/${branch}`]
    : filesBelow(`${gitDir}/logs`)
  const noted = [
    ...logs.flatMap((file) => readLog(readText(file))),
    ...PSEUDO_REFS.map((name) => readText(`${gitDir}/${name}`).trim()),
    ...filesBelow(`${gitDir}/refs`).map((file) => readText(file).trim()),
    ...(isLinked
      ? []
      : ownPackedRefs(found)
          .split("\n")
          .map((line) => line.split(" ", 1)[0] ?? "")),
  ]
  const seen = new Set(noted.filter(isCommit))
  for (const commit of [head ?? "", ...known]) seen.delete(commit)
  if (seen.size === 0) return []
  const brought: string[] = []
  for (const commit of seen) if (isLinked || (await bring(source, found, [commit]))) brought.push(commit)
  return withoutKept(source.git, { seen: new Set(brought), branch, head })
}

/** Git is asked about all refs only for what is not right before the head. */
async function withoutKept(
  git: Git,
  { seen, branch, head }: { readonly seen: ReadonlySet<string>; readonly branch: string; readonly head: string | null },
): Promise<string[]> {
  const candidates = head === null ? [...seen] : await withoutNear(git, head, seen)
  if (candidates.length === 0) return []
  const input = [...candidates, ...(head === null ? [] : [`^${head}`])].join("\n")
  const list = async (...others: string[]) => {
    const args = ["rev-list", "--parents", "--ignore-missing", "--stdin", ...others]
    return (await git.read(args, { input: `${input}\n` })).split("\n").filter((line) => line !== "")
  }
  // Mostly they are where the head came from; every ref there is need only be read where they are not.
  if (head !== null && (await list()).length === 0) return []
  const lines = await list(
    ...["--not", `--exclude=${branch}`, "--branches", "--tags", "--remotes", "--glob=refs/teamwork/"],
  )
  const parents = new Set(lines.flatMap((line) => line.split(" ").slice(1)))
  const asked = new Set(candidates)
  // Of a row of commits the last one keeps the others.
  return lines.map((line) => line.split(" ", 1)[0] ?? "").filter((commit) => asked.has(commit) && !parents.has(commit))
}

function readLog(text: string): string[] {
  return text.split("\n").flatMap((line) => line.split(" ", 2))
}

/** Links are not followed. */
function filesBelow(folder: string): string[] {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  return entriesOf(folder).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return filesBelow(path)
    return entry.isFile() ? [path] : []
  })
}

function isCommit(text: string): boolean {
  return /^[0-9a-f]{40,64}$/.test(text) && !/^0+$/.test(text)
}
