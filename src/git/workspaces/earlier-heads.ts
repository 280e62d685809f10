import { withoutNear } from "../ancestry.ts"
import type { Git } from "../git.ts"
import { entriesOf, readText } from "../read-refs.ts"
import type { Ground } from "./ground.ts"
import type { LogPlace, Past } from "./workspace-record.ts"

/** Where git notes a commit that an operation left or is about to go to. */
const PSEUDO_REFS = [
  ...["ORIG_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD"],
  ...["rebase-merge/orig-head", "rebase-merge/onto", "rebase-merge/stopped-sha", "rebase-apply/orig-head"],
]

interface Whereabouts {
  readonly adminDir: string
  readonly branch: string
  readonly head: string | null
  readonly tip: string | undefined
  /** What was looked at before need not be looked at again. */
  readonly past?: Past
}

export interface EarlierHeads {
  readonly commits: readonly string[]
  /** Up to where the logs were read for it. */
  readonly logs: readonly LogPlace[]
}

/**
 * The commits that a worktree was at and that nothing else keeps: what an amend, a reset, a rebase or a switch to
 * another branch left behind. Git keeps them in its reflogs only, which go with worktree and branch, and grow with each
 * task: from each the last line is remembered that was looked at.
 */
export async function earlierHeads(
  { commonDir }: Ground,
  git: Git,
  { adminDir, branch, head, tip, past }: Whereabouts,
): Promise<EarlierHeads> {
  const own = `refs/heads/${branch}`
  const texts = [`${adminDir}/logs/HEAD`, `${commonDir}/logs/${own}`].map(readText)
  const logs = texts.map((text) => ({ length: text.length, end: text.slice(-END) }))
  const lines = texts.flatMap((text, index) => readLog(unread(text, past?.logs[index])))
  const noted = PSEUDO_REFS.map((name) => readText(`${adminDir}/${name}`).trim())
  const seen = new Set([...lines, ...noted, ...ownRefs(adminDir, "refs"), tip ?? ""].filter(isCommit))
  for (const commit of [head ?? "", ...(past?.pinned ?? [])]) seen.delete(commit)
  return { commits: await withoutKept(git, { seen, branch, head }), logs }
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

/** As much of the end of a log as tells it apart from another: both commits and when. */
const END = 200

function unread(text: string, place: LogPlace | undefined): string {
  if (place === undefined || text.slice(0, place.length).slice(-END) !== place.end) return text
  return text.slice(place.length)
}

function readLog(text: string): string[] {
  return text.split("\n").flatMap((line) => line.split(" ", 2))
}

/** Refs that belong to one worktree alone, such as those of a bisection. */
function ownRefs(adminDir: string, folder: string): string[] {
  return entriesOf(`${adminDir}/${folder}`).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    return entry.isDirectory() ? ownRefs(adminDir, path) : [readText(`${adminDir}/${path}`).trim()]
  })
}

function isCommit(text: string): boolean {
  return /^[0-9a-f]{40,64}$/.test(text) && !/^0+$/.test(text)
}
