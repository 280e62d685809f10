import { getCommit } from "../ancestry.ts"
import type { Git } from "../git.ts"
import type { Conflict, ReplayRequest } from "../port.ts"
import type { CommitHabits } from "./commit-habits.ts"
import { mergeCommits } from "./merge-commits.ts"
import { commitTree, copyCommit } from "./rewrite-commits.ts"

/** What a commit changed since its first parent, made again on top of another one. */
export async function replayCommit(
  git: Git,
  habits: Pick<CommitHabits, "isSigning" | "env">,
  { commit, onto, and = [] }: ReplayRequest,
): Promise<{ readonly commit: string } | { readonly conflicts: readonly Conflict[] }> {
  const { parents } = await getCommit(git, commit)
  const before = await getCommit(git, parents[0] ?? commit)
  // Git merges commits by what they have in common, which is to be this one, whatever else they have.
  const base = await commitTree(git, { tree: before.tree, parents: [], message: BASE })
  const side = async (name: string) =>
    commitTree(git, { tree: (await getCommit(git, name)).tree, parents: [base], message: BASE })
  const merged = await mergeCommits(git, await side(onto), await side(commit))
  if (!merged.isClean) return { conflicts: merged.conflicts }
  // The commits of tasks are not signed where they come from either.
  const signing = and.length > 0 && (await habits.isSigning()) ? habits.env : undefined
  return { commit: await copyCommit(git, { id: commit, parents: [onto, ...and], tree: merged.tree, signing }) }
}

const BASE = "For a merge of files"
