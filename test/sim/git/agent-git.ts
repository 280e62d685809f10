// What an agent does with git in its worktree.
import { mergeCommits } from "./merge-files.ts"
import type { SimRepository, SimWorktree } from "./repository.ts"

/** Commits everything that lies in the folder. */
export function commitAll(
  repository: SimRepository,
  worktree: SimWorktree,
  { message, amends = false }: { readonly message: string; readonly amends?: boolean },
): string {
  const head = repository.headOf(worktree)
  const parents = amends ? repository.objects.commit(head).parents : [head]
  const files = repository.visible(worktree.files)
  return goTo(repository, worktree, repository.commitFiles({ files, parents, message: `${message}\n` }))
}

export function resetHard(repository: SimRepository, worktree: SimWorktree, commit: string): void {
  const before = repository.objects.files(repository.headOf(worktree))
  const after = repository.objects.files(commit)
  // What git does not track stays where it is.
  const untracked = [...worktree.files].filter(([path]) => !before.has(path) && !after.has(path))
  worktree.files = new Map([...after, ...untracked])
  goTo(repository, worktree, commit)
}

/** `git merge`: the paths in conflict, which whoever called it has to mend before it commits; none when all is done. */
export function mergeInto(
  repository: SimRepository,
  worktree: SimWorktree,
  other: string,
): { readonly conflicts: readonly string[]; commit(): void } {
  const { objects } = repository
  const head = repository.headOf(worktree)
  const merged = mergeCommits(objects, head, other)
  if (merged.isClean) worktree.files = new Map(objects.files(merged.tree))
  return {
    conflicts: merged.isClean ? [] : merged.conflicts.map((conflict) => conflict.path),
    commit() {
      const files = repository.visible(worktree.files)
      goTo(repository, worktree, repository.commitFiles({ files, parents: [head, other], message: "Merge\n" }))
    },
  }
}

/** In the worker's own repository: nobody else sees it before it is pinned. */
function goTo(repository: SimRepository, worktree: SimWorktree, commit: string): string {
  const { head } = worktree
  if (head !== null && !repository.objects.contains(commit, head)) repository.dropped.add(head)
  worktree.head = commit
  worktree.log.push(commit)
  return commit
}
