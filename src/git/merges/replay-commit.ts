import { getCommit } from "../ancestry.ts"
import type { Git } from "../git.ts"
import type { Conflict, ReplayRequest } from "../port.ts"
import type { CommitPolicy } from "./commit-policy.ts"
import { mergeCommits } from "./merge-commits.ts"
import { commitTree, copyCommit } from "./rewrite-commits.ts"

export async function replayCommit(
  git: Git,
  policy: Pick<CommitPolicy, "isSigning" | "env">,
  { commit, onto, and = [] }: ReplayRequest,
): Promise<{ readonly commit: string } | { readonly conflicts: readonly Conflict[] }> {
  const { parents } = await getCommit(git, commit)
  const before = await getCommit(git, parents[0] ?? commit)
  // New commits without history force git to use exactly this merge base.
  const base = await commitTree(git, { tree: before.tree, parents: [], message: BASE })
  const side = async (name: string) =>
    commitTree(git, { tree: (await getCommit(git, name)).tree, parents: [base], message: BASE })
  const merged = await mergeCommits(git, await side(onto), await side(commit))
  if (!merged.isClean) return { conflicts: merged.conflicts }
  // Tasks' own commits are never signed.
  const signing = and.length > 0 && (await policy.isSigning()) ? policy.env : undefined
  return { commit: await copyCommit(git, { id: commit, parents: [onto, ...and], tree: merged.tree, signing }) }
}

const BASE = "For a merge of files"
