import type { TaskId } from "../../domain/ids.ts"
import type { BranchHistory, Change } from "../../workspace/port.ts"
import type { Candidate, Notice, Outcome } from "./candidate.ts"
import { foldPaths, judgeCase, judgeChanges, mayCollide } from "./judge-changes.ts"
import type { QueuePorts } from "./merge-batch.ts"
import { mergeMessage } from "./merge-message.ts"

/** One candidate merged onto those before it. */
export interface Link {
  readonly candidate: Candidate
  readonly commit: string
  /** What it would change on the branch: the truth about it, whatever its own commits say. */
  readonly changes: readonly Change[]
  readonly notices: readonly Notice[]
  /** Everything that came with it. */
  readonly commits: readonly string[]
}

export interface Chain {
  /** Merges the candidate onto the last of the links, or onto the branch when there are none. */
  add(
    links: readonly Link[],
    candidate: Candidate,
    history: BranchHistory,
  ): Promise<{ readonly link: Link } | { readonly outcome: Outcome }>
}

/** Merges in the object store, on top of `start`. */
export function makeChain({ merges, scope }: Pick<QueuePorts, "merges" | "scope">, start: string): Chain {
  let startPaths: Promise<Map<string, string>> | undefined
  return {
    async add(links, candidate, history) {
      const early = await beforeMerging(links, candidate, history)
      if (early !== undefined) return { outcome: early }
      const onto = links.at(-1)?.commit ?? start
      const merged = await merges.merge(onto, candidate.head)
      if (!merged.isClean) {
        const paths = new Set(merged.conflicts.map((conflict) => conflict.path))
        return { outcome: { kind: "conflict", conflicts: merged.conflicts, with: whoChanged(links, paths) } }
      }
      const message = mergeMessage(candidate)
      const [changes, commit] = await Promise.all([
        merges.changes(onto, merged.tree),
        merges.commit({ tree: merged.tree, parents: [onto, candidate.head], message }),
      ])
      const { problems, notices } = judgeChanges(changes)
      const outside = (await scope(candidate, changes)).map((message) => ({ code: "scope", message }) as const)
      const all = [...outside, ...problems, ...(await caseProblems(links, changes, commit))]
      if (all.length > 0) return { outcome: { kind: "refused", notices: all } }
      return { link: { candidate, commit, changes, notices, commits: history.commits } }
    },
  }

  async function beforeMerging(
    links: readonly Link[],
    { taskId, base, head }: Candidate,
    history: BranchHistory,
  ): Promise<Outcome | undefined> {
    if (head === base) return { kind: "empty" }
    const there = new Set(links.flatMap((link) => link.commits))
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

  /** A list of all paths is made only when one of the new ones may be there already in another case. */
  async function caseProblems(links: readonly Link[], changes: readonly Change[], commit: string): Promise<Notice[]> {
    const added = newPaths(changes)
    if (added.length === 0) return []
    startPaths ??= merges.paths(start).then((paths) => foldPaths(paths))
    const known = foldPaths(links.flatMap((link) => newPaths(link.changes)))
    if (!mayCollide(added, await startPaths) && !mayCollide(added, known) && !mayCollide(added, foldPaths(added)))
      return []
    return judgeCase(added, await merges.paths(commit))
  }
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
