import { isAncestor } from "./ancestry.ts"
import type { Git } from "./git.ts"
import type { Branch, BranchHistory } from "./port.ts"

export async function readHistories(git: Git, tip: string, branches: readonly Branch[]): Promise<BranchHistory[]> {
  if (branches.length === 0) return []
  const heads = [...new Set(branches.flatMap((branch) => [branch.head, branch.base]))]
  const lines = await git.read(["rev-list", "--parents", "--stdin"], { input: `${[...heads, `^${tip}`].join("\n")}\n` })
  const parents: Parents = new Map(
    lines.split("\n").flatMap((line) => {
      const [commit = "", ...others] = line.split(" ")
      return commit === "" ? [] : [[commit, others] as const]
    }),
  )
  return Promise.all(
    branches.map(async (branch) => {
      const commits = reachable(parents, [branch.head])
      const foundation = reachable(parents, [branch.base])
      return {
        commits: [...commits],
        foundation: [...foundation],
        hasBase: commits.has(branch.base) || (await isAncestor(git, branch.base, branch.head)),
        foreign: listForeign(parents, branch, commits.difference(foundation)),
      }
    }),
  )
}

/** Only commits that `tip` does not have. */
type Parents = ReadonlyMap<string, readonly string[]>

function listForeign(parents: Parents, { head, mayContain, others }: Branch, own: ReadonlySet<string>): string[] {
  const line = firstParents(parents, head).filter((commit) => own.has(commit))
  const merged = line.flatMap((commit) => parents.get(commit)?.slice(1) ?? [])
  const passed = others.filter((other) => other !== head && own.has(other))
  const known = reachable(parents, mayContain)
  return [...reachable(parents, [...merged, ...passed])].filter(
    (commit) => own.has(commit) && !known.has(commit) && (passed.length > 0 || !line.includes(commit)),
  )
}

function firstParents(parents: Parents, head: string): string[] {
  const line: string[] = []
  for (let at: string | undefined = head; at !== undefined && parents.has(at); at = parents.get(at)?.[0]) line.push(at)
  return line
}

function reachable(parents: Parents, from: readonly string[]): Set<string> {
  const found = new Set<string>()
  const next = [...from]
  for (let commit = next.pop(); commit !== undefined; commit = next.pop()) {
    const before = parents.get(commit)
    if (before === undefined || found.has(commit)) continue
    found.add(commit)
    next.push(...before)
  }
  return found
}
