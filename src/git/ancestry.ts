import { AppError } from "../kernel/errors.ts"
import type { Git } from "./git.ts"
import { type CommitFacts, isFullName } from "./object-reader.ts"
import { findNamedBranch } from "./read-named-branch.ts"

/** User input never reaches git where it could be read as an option. */
export async function findCommit(git: Git, revision: string): Promise<CommitFacts | undefined> {
  const objects = await git.objects()
  if (isFullName(revision)) {
    const found = await objects.commit(revision)
    // One of our refs may name a branch: then it means the tip of that branch.
    if (found !== undefined || !revision.startsWith("refs/teamwork/")) return found
    const branch = await findNamedBranch(git, revision)
    return branch === undefined ? undefined : objects.commit(branch)
  }
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`]
  const { exitCode, stdout } = await git.run(args)
  return exitCode === 0 ? objects.commit(stdout.trim()) : undefined
}

export async function getCommit(git: Git, revision: string): Promise<CommitFacts> {
  const found = await findCommit(git, revision)
  if (found === undefined) throw new AppError("git.failed", `there is no commit ${revision}`, { revision })
  return found
}

export async function getTree(git: Git, name: string): Promise<string> {
  const tree = `${name}^{tree}`
  const found = isFullName(name) ? await (await git.objects()).id(tree) : undefined
  return found ?? git.read(["rev-parse", "--verify", "--end-of-options", tree])
}

export async function readBlob(git: Git, id: string): Promise<string> {
  const found = await (await git.objects()).read(id)
  if (found === undefined) throw new AppError("git.failed", `git has no object ${id}`, { id })
  return found.content.toString("utf8")
}

export async function isAncestor(git: Git, earlier: string, later: string): Promise<boolean> {
  if (await isNear(git, earlier, later)) return true
  return (await git.run(["merge-base", "--is-ancestor", earlier, later])).exitCode === 0
}

const NEAR = 32

/**
 * A task asks this about four times, nearly always for recent commits. A git process for each would cost 9 ms of
 * CPU, too much for the limit of the benchmark `engine`.
 */
async function isNear(git: Git, earlier: string, later: string): Promise<boolean> {
  const objects = await git.objects()
  const commits = new Set([later])
  for (const commit of commits) {
    const facts = await objects.commit(commit)
    if (facts?.commit === earlier) return true
    if (facts === undefined || commits.size > NEAR) return false
    for (const parent of facts.parents) commits.add(parent)
  }
  return false
}

/** More commits than a team merges in a day. */
const MOST_READ = 20_000

/** `isAncestor` for many commits, reading the history once. */
export function makeContains(git: Git): (later: string, earlier: string) => Promise<boolean> {
  let last: { readonly later: string; readonly commits: ReadonlySet<string> } | undefined
  return async (later, earlier) => {
    if (await isNear(git, earlier, later)) return true
    if (last?.later !== later) {
      const { stdout } = await git.run(["rev-list", `--max-count=${MOST_READ}`, later, "--"])
      last = { later, commits: new Set(stdout.trimEnd().split("\n")) }
    }
    const { commits } = last
    if (commits.has(earlier) || commits.size < MOST_READ) return commits.has(earlier)
    return (await git.run(["merge-base", "--is-ancestor", earlier, later])).exitCode === 0
  }
}
