import type { FileChange, JudgedChange, JudgedChanges } from "../../ownership/scope.ts"
import type { Git } from "../git.ts"
import { IDENTITY, OURS } from "../identity.ts"
import { type GitChange, listChanges } from "../list-changes.ts"
import { writeCommit } from "../write-commit.ts"

export interface RewriteRequest {
  readonly base: string
  readonly head: string
  readonly brings: string | undefined
  readonly judge: (changes: readonly FileChange[]) => JudgedChanges
  /** The base with these of all changes. */
  readonly makeTree: (kept: readonly FileChange[], all: readonly GitChange[]) => Promise<string>
}

export interface Rewritten {
  readonly head: string
  readonly isChanged: boolean
  /** What the commits as they were held besides. */
  readonly aside: readonly JudgedChange[]
}

/**
 * The commits since the base with only what is in scope. Those before the first that holds anything else stay as they
 * are. A history that is no plain line from the base becomes one commit: nothing of what it merged is ours to repeat,
 * except for what a fix has to bring along.
 */
export async function rewriteCommits(git: Git, request: RewriteRequest): Promise<Rewritten> {
  const rewritten = await keepInScope(git, request)
  const { head, brings } = request
  const contains = async (commit: string, other: string) =>
    (await git.run(["merge-base", "--is-ancestor", other, commit])).exitCode === 0
  if (brings === undefined || !rewritten.isChanged || !(await contains(head, brings))) return rewritten
  if (await contains(rewritten.head, brings)) return rewritten
  // What it merged is judged by its files like all the rest, and would count as missing without the commits.
  const parents = [rewritten.head, await git.read(["rev-parse", "--verify", `${brings}^{commit}`])]
  const tree = await treeOf(git, rewritten.head)
  return { ...rewritten, head: await commitTree(git, { tree, parents, message: MERGE_KEPT }) }
}

const MERGE_KEPT = "Merge the work that this fixes, with what is in scope"

async function keepInScope(git: Git, request: RewriteRequest): Promise<Rewritten> {
  const { base, head, judge, makeTree } = request
  if (base === head) return { head, isChanged: false, aside: [] }
  const commits = await readCommits(git, base, head)
  const isLine = commits.every(({ parents }, index) => parents.join() === (commits[index - 1]?.id ?? base))
  if (!isLine || commits.length === 0) return squash(git, request)
  const aside: JudgedChange[] = []
  let parent = base
  let isChanged = false
  for (const { id } of commits) {
    const changes = await listChanges(git, base, id)
    const judged = judge(changes)
    if (judged.aside.length > 0) isChanged = true
    aside.push(...judged.aside)
    if (isChanged) parent = await copyCommit(git, { id, parents: [parent], tree: await makeTree(judged.kept, changes) })
    else parent = id
  }
  return { head: parent, isChanged, aside }
}

async function squash(git: Git, { base, head, judge, makeTree }: RewriteRequest): Promise<Rewritten> {
  const changes = await listChanges(git, base, head)
  const { kept, aside } = judge(changes)
  const { exitCode } = await git.run(["merge-base", "--is-ancestor", base, head])
  if (aside.length === 0 && exitCode === 0) return { head, isChanged: false, aside }
  const subjects = await git.read(["log", "--format=- %s", `${base}..${head}`])
  const message = `Changes that are in scope, from a history that is no line\n\n${subjects}`
  const tree = await makeTree(kept, changes)
  return { head: await commitTree(git, { tree, parents: [base], message }), isChanged: true, aside }
}

async function readCommits(git: Git, base: string, head: string): Promise<{ id: string; parents: string[] }[]> {
  const text = await git.read(["rev-list", "--reverse", "--topo-order", "--parents", `${base}..${head}`])
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [id = "", ...parents] = line.split(" ")
      return { id, parents }
    })
}

interface CopiedCommit {
  readonly id: string
  readonly parents: readonly string[]
  readonly tree: string
  /** Variables for a git that signs it. */
  readonly signing?: Readonly<Record<string, string>> | undefined
}

/** Of the same author with the same words; none where nothing of it is left. */
export async function copyCommit(git: Git, { id, parents, tree, signing }: CopiedCommit): Promise<string> {
  const [parent = "", second] = parents
  if (second === undefined && tree === (await treeOf(git, parent))) return parent
  const format = "--format=%an%x00%ae%x00%ad%x00%cn%x00%ce%x00%cd%x00%B"
  const text = await git.read(["log", "-1", "--date=raw", "--no-show-signature", format, id])
  const [name, email, date, committer, committerEmail, committed, ...message] = text.split("\0")
  const env = {
    GIT_AUTHOR_NAME: name || IDENTITY.GIT_AUTHOR_NAME,
    GIT_AUTHOR_EMAIL: email || IDENTITY.GIT_AUTHOR_EMAIL,
    GIT_AUTHOR_DATE: date ?? "",
    GIT_COMMITTER_NAME: committer || IDENTITY.GIT_COMMITTER_NAME,
    GIT_COMMITTER_EMAIL: committerEmail || IDENTITY.GIT_COMMITTER_EMAIL,
    GIT_COMMITTER_DATE: committed ?? "",
    ...signing,
  }
  return commitTree(git, { tree, parents, message: message.join("\0"), env, isSigned: signing !== undefined })
}

export async function commitTree(
  git: Git,
  commit: {
    readonly tree: string
    readonly parents: readonly string[]
    readonly message: string
    readonly env?: Readonly<Record<string, string>>
    readonly isSigned?: boolean
  },
): Promise<string> {
  const { tree, env } = commit
  const [parents, message] = [[...new Set(commit.parents)], `${commit.message}\n`]
  const written =
    env === undefined ? await writeCommit(git, { tree, parents, message, author: OURS, committer: OURS }) : undefined
  if (written !== undefined) return written
  const sign = commit.isSigned === true ? ["-S"] : []
  const args = ["commit-tree", ...sign, tree, ...parents.flatMap((parent) => ["-p", parent]), "-F", "-"]
  return git.read(args, { input: message, env: env ?? IDENTITY })
}

export function treeOf(git: Git, commit: string): Promise<string> {
  return git.read(["rev-parse", "--verify", `${commit}^{tree}`])
}
