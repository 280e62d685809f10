import { AppError } from "../../kernel/errors.ts"
import { quoteInput } from "../../kernel/ids.ts"
import type { GateRepository } from "../gates/port.ts"
import type { Judged } from "../verdict.ts"

export interface ChosenState extends Judged {
  /** Commands may run here: the checkout is at this commit without changes. */
  readonly isHere: boolean
  /** Only if the checkout itself is judged. */
  readonly uncommitted: readonly string[]
}

/**
 * The named commit, else the first existing branch, else the current checkout. Uncommitted changes count only for
 * the last.
 */
export async function chooseState(
  repository: GateRepository,
  { commit, branches = [] }: { readonly commit?: string; readonly branches?: readonly string[] },
): Promise<ChosenState> {
  const here = await repository.find("HEAD")
  const named = commit === undefined ? await findFirst(repository, branches) : await getCommit(repository, commit)
  const judged = named ?? here
  if (judged === undefined)
    throw new AppError("gate.no_commit", `${repository.folder} has no commits yet; commit something to be judged`)
  const { commit: hash, tree } = judged
  const isHead = hash === here?.commit
  const uncommitted = isHead ? await repository.listUncommitted() : []
  return {
    commit: hash,
    tree,
    isHere: isHead && uncommitted.length === 0,
    uncommitted: named === undefined ? uncommitted : [],
  }
}

async function findFirst(repository: GateRepository, branches: readonly string[]): Promise<Judged | undefined> {
  for (const branch of branches) {
    const found = await repository.find(branch)
    if (found !== undefined) return found
  }
  return undefined
}

export async function getCommit(repository: GateRepository, revision: string): Promise<Judged> {
  const found = await repository.find(revision)
  if (found !== undefined) return found
  throw new AppError("gate.no_commit", `${quoteInput(revision)} is no commit of ${repository.folder}`, { revision })
}
