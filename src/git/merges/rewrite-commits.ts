import type { FileChange, JudgedChange, JudgedChanges } from "../../ownership/scope.ts"
import { getCommit, getTree, isAncestor } from "../ancestry.ts"
import { type GitChange, listChanges } from "../changes.ts"
import type { Git } from "../git.ts"
import { IDENTITY } from "../identity.ts"

export interface RewriteRequest {
  readonly base: string
  readonly head: string
  readonly brings: string | undefined
  readonly judge: (changes: readonly FileChange[]) => JudgedChanges
  readonly makeTree: (kept: readonly FileChange[], all: readonly GitChange[]) => Promise<string>
}

export interface Rewritten {
  readonly head: string
  readonly isChanged: boolean
  readonly aside: readonly JudgedChange[]
}

/**
 * Reduces the commits since the base to changes in scope. Commits before the first one out of scope stay. A history
 * that is not a plain line becomes one commit, because we must not repeat what it merged; only the merge of the
 * work that a fix task fixes is kept.
 */
export async function rewriteCommits(git: Git, request: RewriteRequest): Promise<Rewritten> {
  const rewritten = await keepInScope(git, request)
  const { head, brings } = request
  if (brings === undefined || !rewritten.isChanged || !(await isAncestor(git, brings, head))) return rewritten
  if (await isAncestor(git, brings, rewritten.head)) return rewritten
  // Without the merge, the fixed work would count as missing.
  const parents = [rewritten.head, (await getCommit(git, brings)).commit]
  const tree = await getTree(git, rewritten.head)
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
  if (aside.length === 0 && (await isAncestor(git, base, head))) return { head, isChanged: false, aside }
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
  readonly signing?: Readonly<Record<string, string>> | undefined
}

/** Keeps author, committer, dates and message. Returns the parent if the copy would change nothing. */
export async function copyCommit(git: Git, { id, parents, tree, signing }: CopiedCommit): Promise<string> {
  const [parent = "", second] = parents
  if (second === undefined && tree === (await getTree(git, parent))) return parent
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

interface NewCommit {
  readonly tree: string
  readonly parents: readonly string[]
  readonly message: string
  /** Default: teamwork's own identity. */
  readonly env?: Readonly<Record<string, string>>
  readonly isSigned?: boolean
}

export async function commitTree(git: Git, { tree, parents, message, env, isSigned }: NewCommit): Promise<string> {
  const sign = isSigned === true ? ["-S"] : []
  const from = [...new Set(parents)].flatMap((parent) => ["-p", parent])
  const args = ["commit-tree", ...sign, tree, ...from, "-F", "-"]
  return git.read(args, { input: `${message}\n`, env: env ?? IDENTITY })
}
