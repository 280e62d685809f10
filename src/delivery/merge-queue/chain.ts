import type { BranchHistory, Change, Conflict, Merged } from "../../git/port.ts"
import type { TaskId } from "../../kernel/ids.ts"
import { describeMissingWork } from "../../tasks/fix-task.ts"
import { type MergedFile, UNITED } from "../shared-files/shared-file.ts"
import type { Candidate, Notice, Outcome } from "./candidate.ts"
import { foldPaths, judgeCase, judgeChanges, mayCollide } from "./judge-changes.ts"
import type { QueuePorts } from "./merge-batch.ts"
import type { SharedQuestion } from "./settle-shared.ts"

/** One candidate, merged on top of the ones before. */
export interface Link {
  readonly candidate: Candidate
  readonly commit: string
  /** What it really changes on the branch. */
  readonly changes: readonly Change[]
  readonly notices: readonly Notice[]
  readonly commits: readonly string[]
  /** Files that were merged by a rule, and how. */
  readonly shared: readonly MergedFile[]
  /** Some files hold both sides' additions one below the other; only a gate can judge that. */
  readonly isUnited: boolean
}

type PutTogether =
  | { readonly tree: string; readonly changes: readonly Change[]; readonly told: readonly MergedFile[] }
  | { readonly conflicts: readonly Conflict[] }
  | { readonly questions: readonly SharedQuestion[] }

export interface Chain {
  add(
    links: readonly Link[],
    candidate: Candidate,
    history: BranchHistory,
  ): Promise<{ readonly link: Link } | { readonly outcome: Outcome }>
  /** From now on, do not merge this candidate by taking both sides' additions. */
  refuseUnion(candidate: Candidate): void
}

/** Merges in git's object store, on top of `start`. */
export function makeChain(
  { merges, scope, shared }: Pick<QueuePorts, "merges" | "scope" | "shared">,
  start: string,
): Chain {
  const memory = makeMemory()
  const apart = new Set<Candidate>()
  let startPaths: Promise<Map<string, string>> | undefined
  return {
    refuseUnion: (candidate) => void apart.add(candidate),
    async add(links, candidate, history) {
      const { commits: there, paths: known } = memory.of(links)
      const onto = links.at(-1)?.commit ?? start
      const early = (await findMissing(onto, candidate)) ?? beforeMerging(there, candidate, history)
      if (early !== undefined) return { outcome: early }
      const first = await merges.merge(onto, candidate.head)
      const put = await putTogether(onto, candidate, first)
      if ("conflicts" in put) {
        const paths = new Set(put.conflicts.map((conflict) => conflict.path))
        return { outcome: { kind: "conflict", conflicts: put.conflicts, with: whoChanged(links, paths) } }
      }
      if ("questions" in put) return { outcome: { kind: "asked", questions: put.questions } }
      const { tree, changes } = put
      const commit = await merges.commit({ tree, parents: [onto, candidate.head], message: mergeMessage(candidate) })
      const { problems, notices } = judgeChanges(changes)
      const outside = (await scope(candidate, changes)).map((message) => ({ code: "scope", message }) as const)
      const all = [...outside, ...problems, ...(await caseProblems(known, changes, commit))]
      if (all.length > 0) return { outcome: { kind: "refused", notices: all } }
      const told = put.told.map(({ path, how }) => ({ code: "shared_file", message: `${path}: ${how}` }) as const)
      return {
        link: {
          candidate,
          commit,
          changes,
          notices: [...notices, ...told],
          commits: history.commits,
          shared: put.told,
          isUnited: put.told.some(({ how }) => how === UNITED),
        },
      }
    },
  }

  async function putTogether(onto: string, candidate: Candidate, merged: Merged): Promise<PutTogether> {
    const changes = merged.isClean ? await merges.changes(onto, merged.tree) : []
    const settled = await shared?.settle({ candidate, onto, merged, changes, mayUnite: !apart.has(candidate) })
    if (settled === undefined || settled.kind === "conflict")
      return merged.isClean ? { tree: merged.tree, changes, told: [] } : { conflicts: merged.conflicts }
    if (settled.kind === "asked") return { questions: settled.questions }
    const { tree, told } = settled
    return { tree, told, changes: merged.isClean && tree === merged.tree ? changes : await merges.changes(onto, tree) }
  }

  /** A fix that was resolved by hand, or has no commit, may lack the work that it should bring. */
  async function findMissing(onto: string, { head, mustContain }: Candidate): Promise<Outcome | undefined> {
    const notices: Notice[] = []
    for (const work of mustContain) {
      if ((await merges.contains(head, work.head)) || (await merges.contains(onto, work.head))) continue
      notices.push({ code: "missing_work", message: describeMissingWork(work) })
    }
    return notices.length === 0 ? undefined : { kind: "refused", notices }
  }

  /** Listing all paths is slow, so do it only when a new path may exist in another case. */
  async function caseProblems(known: Folded, changes: readonly Change[], commit: string): Promise<Notice[]> {
    const added = newPaths(changes)
    if (added.length === 0) return []
    startPaths ??= merges.paths(start).then((paths) => foldPaths(paths))
    if (!mayCollide(added, await startPaths) && !mayCollide(added, known) && !mayCollide(added, foldPaths(added)))
      return []
    return judgeCase(added, await merges.paths(commit))
  }
}

type Folded = ReadonlyMap<string, string>

function beforeMerging(
  there: ReadonlySet<string>,
  { taskId, base, head }: Candidate,
  history: BranchHistory,
): Outcome | undefined {
  if (head === base) return { kind: "empty" }
  if (history.commits.every((commit) => there.has(commit))) return { kind: "contained" }
  if (!history.hasBase) {
    const message = `the history was rewritten: ${short(base)}, which task ${taskId} began from, is not part of ${short(head)}`
    return { kind: "refused", notices: [{ code: "history_rewritten", message }] }
  }
  const [first, ...more] = history.foreign
  if (first !== undefined) {
    const count = more.length === 0 ? "a commit" : `${more.length + 1} commits`
    const message = `it brings ${count} of others along that are not merged, ${short(first)} among them`
    return { kind: "refused", notices: [{ code: "foreign_commits", message }] }
  }
  const missing = history.foundation.find((commit) => !there.has(commit))
  if (missing === undefined) return undefined
  return { kind: "waiting", reason: `it was begun on ${short(missing)}, which is not merged` }
}

/** Remembers what a series of links changed, so that one more link costs one more step. */
function makeMemory() {
  let known = forget()
  return {
    of(links: readonly Link[]): { commits: ReadonlySet<string>; paths: Folded } {
      if (links.length < known.count || links[known.count - 1] !== known.last) known = forget()
      for (const link of links.slice(known.count)) {
        for (const commit of link.commits) known.commits.add(commit)
        foldPaths(newPaths(link.changes), known.paths)
      }
      known = { ...known, count: links.length, last: links.at(-1) }
      return known
    },
  }
}

function forget() {
  const last: Link | undefined = undefined
  return { count: 0, last: last as Link | undefined, commits: new Set<string>(), paths: new Map<string, string>() }
}

function newPaths(changes: readonly Change[]): string[] {
  return changes.filter(({ status }) => status === "added" || status === "renamed").map((change) => change.path)
}

function whoChanged(links: readonly Link[], paths: ReadonlySet<string>): TaskId[] {
  const touched = links.filter((link) =>
    link.changes.some(({ path, oldPath }) => paths.has(path) || paths.has(oldPath)),
  )
  return touched.map((link) => link.candidate.taskId)
}

function short(commit: string): string {
  return commit.slice(0, 10)
}

/** The trailers tell programs which attempts the merge contains. */
function mergeMessage(candidate: Candidate): string {
  const attempts = [candidate, ...candidate.alsoFor]
  const title = candidate.title.replaceAll(/[\s\p{Cc}]+/gu, " ").trim()
  const trailers = attempts.flatMap(({ taskId, attempt }) => [
    `Teamwork-Task: ${taskId}`,
    `Teamwork-Attempt: ${attempt}`,
  ])
  return `Merge task ${attempts.map((each) => each.taskId).join(", ")}: ${title}\n\n${trailers.join("\n")}\n`
}
