import type { Integration } from "../../git/integration.ts"
import type { LineCommit, Merges } from "../../git/port.ts"
import { branchRef } from "../../kernel/branches.ts"

/**
 * Finds commits on the integration branch that teamwork did not make. Our commits merge pinned work or the target,
 * and merging both parents again gives the same files.
 */
export async function findForeignCommits(
  merges: Merges,
  { start, tip, target }: Integration,
  { heads, known }: { readonly heads: readonly string[]; readonly known: ReadonlySet<string> },
): Promise<LineCommit[]> {
  const strangers: LineCommit[] = []
  for (const each of await merges.line(start, tip)) {
    if (known.has(each.commit)) continue
    if (!(await isOurs(merges, each, { heads, target }))) strangers.push(each)
  }
  return strangers
}

async function isOurs(
  merges: Merges,
  { commit, parents }: LineCommit,
  { heads, target }: { readonly heads: readonly string[]; readonly target: string },
): Promise<boolean> {
  const [first, second, third] = parents
  if (first === undefined || second === undefined || third !== undefined) return false
  const merged = await merges.merge(first, second)
  if (!merged.isClean || merged.tree !== (await merges.tree(commit))) return false
  if (heads.includes(second)) return true
  const aim = await merges.find(branchRef(target))
  return aim !== undefined && merges.contains(aim, second)
}
