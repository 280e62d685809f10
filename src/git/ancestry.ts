import { AppError } from "../kernel/errors.ts"
import type { Git } from "./git.ts"
import { type CommitFacts, isFullName } from "./kept-processes.ts"
import { findNamedBranch } from "./read-named-branch.ts"

/** The commit that a branch, tag or id means. What a user names never reaches git where an option could stand. */
export async function findCommit(git: Git, revision: string): Promise<CommitFacts | undefined> {
  const answers = await git.answers()
  if (isFullName(revision)) {
    const found = await answers.commit(revision)
    // A ref of ours that names a branch means what the branch is at.
    if (found !== undefined || !revision.startsWith("refs/teamwork/")) return found
    const branch = await findNamedBranch(git, revision)
    return branch === undefined ? undefined : answers.commit(branch)
  }
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`]
  const { exitCode, stdout } = await git.run(args)
  return exitCode === 0 ? answers.commit(stdout.trim()) : undefined
}

export async function getCommit(git: Git, revision: string): Promise<CommitFacts> {
  const found = await findCommit(git, revision)
  if (found === undefined) throw new AppError("git.failed", `there is no commit ${revision}`, { revision })
  return found
}

/** The id of the tree of a commit, or of the tree itself. */
export async function getTree(git: Git, name: string): Promise<string> {
  const tree = `${name}^{tree}`
  const found = isFullName(name) ? await (await git.answers()).id(tree) : undefined
  return found ?? git.read(["rev-parse", "--verify", "--end-of-options", tree])
}

export async function readBlob(git: Git, id: string): Promise<string> {
  const found = await (await git.answers()).read(id)
  if (found === undefined) throw new AppError("git.failed", `git has no object ${id}`, { id })
  return found.content.toString("utf8")
}

/** So far work is followed commit by commit; what lies farther back, git itself finds faster. */
const NEAR = 32
/** As many are read at once when those next to it were not enough: more than a team merges in a day. */
const MANY = 20_000

/** Whether `later` contains `earlier`. Asked for several of the same `later`, it goes on from where it was. */
export function makeContains(git: Git): (later: string, earlier: string) => Promise<boolean> {
  let walk = beginAt("")
  let before: Promise<unknown> = Promise.resolve()
  const ask = async (later: string, earlier: string) => {
    if (walk.from !== later) walk = beginAt(later)
    if (await walkNear(git, walk, earlier)) return true
    if (!walk.isWhole && !walk.isFar) await readFar(git, walk)
    if (walk.isWhole || walk.seen.has(earlier)) return walk.seen.has(earlier)
    return (await git.run(["merge-base", "--is-ancestor", earlier, later])).exitCode === 0
  }
  return (later, earlier) => {
    // One at a time: they share the walk.
    const asked = before.then(() => ask(later, earlier))
    before = asked.catch(() => undefined)
    return asked
  }
}

interface Walk {
  readonly from: string
  readonly seen: Set<string>
  /** Those whose parents were not looked at yet. */
  readonly next: string[]
  /** Git was asked for many at once. */
  isFar: boolean
  /** Everything that it contains was seen. */
  isWhole: boolean
}

function beginAt(from: string): Walk {
  return { from, seen: new Set(), next: [from], isFar: false, isWhole: false }
}

/** Whether it is among the next ones, as far as that was followed. */
async function walkNear(git: Git, walk: Walk, earlier: string): Promise<boolean> {
  const { seen, next } = walk
  const answers = await git.answers()
  while (next.length > 0 && seen.size < NEAR && !seen.has(earlier)) {
    const facts = await answers.commit(next[0] ?? "")
    // What git cannot read here it says itself.
    if (facts === undefined) return false
    next.shift()
    seen.add(facts.commit)
    for (const parent of facts.parents) if (!seen.has(parent)) next.push(parent)
  }
  walk.isWhole ||= next.length === 0
  return seen.has(earlier)
}

async function readFar(git: Git, walk: Walk): Promise<void> {
  const { exitCode, stdout } = await git.run(["rev-list", `--max-count=${MANY}`, walk.from, "--"])
  if (exitCode !== 0) return
  const commits = stdout.trimEnd().split("\n")
  for (const commit of commits) walk.seen.add(commit)
  walk.isFar = true
  walk.isWhole = commits.length < MANY
}

/** Those of the commits that are not found among the next ones before `head`. */
export async function withoutNear(git: Git, head: string, commits: ReadonlySet<string>): Promise<string[]> {
  const left = new Set(commits)
  if (left.size === 0) return []
  const answers = await git.answers()
  const next = [head]
  for (let count = 0; count < NEAR && left.size > 0; count++) {
    const commit = next.shift()
    if (commit === undefined) break
    left.delete(commit)
    next.push(...((await answers.commit(commit))?.parents ?? []))
  }
  return [...left]
}

/** Whether the commits from the base to this one are a line without a merge, and not many. */
export async function isShortLine(git: Git, base: string, commit: string): Promise<boolean> {
  const answers = await git.answers()
  let at: string | undefined = commit
  for (let count = 0; count < NEAR && at !== undefined; count++) {
    if (at === base) return true
    const parents: readonly string[] = (await answers.commit(at))?.parents ?? []
    if (parents.length !== 1) return false
    at = parents[0]
  }
  return false
}
