import type { Git } from "./git.ts"
import type { Ground } from "./ground.ts"
import { entriesOf, readText } from "./read-refs.ts"

/** Where git notes a commit that an operation left or is about to go to. */
const PSEUDO_REFS = [
  ...["ORIG_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD"],
  ...["rebase-merge/orig-head", "rebase-merge/onto", "rebase-merge/stopped-sha", "rebase-apply/orig-head"],
]

/**
 * The commits that a worktree was at and that nothing else keeps: what an amend, a reset, a rebase or a switch to
 * another branch left behind. Git keeps them in its reflogs only, which go with worktree and branch.
 */
export async function earlierHeads(
  { commonDir }: Ground,
  git: Git,
  { adminDir, branch, head, tip }: { adminDir: string; branch: string; head: string | null; tip: string | undefined },
): Promise<string[]> {
  const own = `refs/heads/${branch}`
  const logs = [`${adminDir}/logs/HEAD`, `${commonDir}/logs/${own}`].flatMap((file) => readLog(readText(file)))
  const noted = PSEUDO_REFS.map((name) => readText(`${adminDir}/${name}`).trim())
  const seen = new Set([...logs, ...noted, ...ownRefs(adminDir, "refs"), tip ?? ""].filter(isCommit))
  const candidates = [...seen].filter((commit) => commit !== head)
  if (candidates.length === 0) return []
  const input = [...candidates, ...(head === null ? [] : [`^${head}`])].join("\n")
  const args = ["rev-list", "--parents", "--ignore-missing", "--stdin", "--not", `--exclude=${branch}`, "--branches"]
  const others = ["--tags", "--remotes", "--glob=refs/teamwork/"]
  const lines = (await git.read([...args, ...others], { input: `${input}\n` }))
    .split("\n")
    .filter((line) => line !== "")
  const parents = new Set(lines.flatMap((line) => line.split(" ").slice(1)))
  // Of a row of commits the last one keeps the others.
  return lines.map((line) => line.split(" ", 1)[0] ?? "").filter((commit) => seen.has(commit) && !parents.has(commit))
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
