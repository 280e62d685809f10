import { branchRef, integrationBranch, integrationRef } from "../kernel/branches.ts"
import { AppError } from "../kernel/errors.ts"
import { quoteInput } from "../kernel/ids.ts"
import type { RunName } from "../kernel/team.ts"
import type { Merges } from "./port.ts"

export interface Integration {
  /** `refs/heads/teamwork/<project>/<team>/integration` */
  readonly ref: string
  readonly tip: string
  readonly start: string
  /** Branch to deliver to, without `refs/heads/`. */
  readonly target: string
}

export async function findIntegration(
  merges: Pick<Merges, "find" | "findNamed">,
  name: RunName,
): Promise<Integration | undefined> {
  const ref = branchRef(integrationBranch(name))
  const [tip, start, target] = await Promise.all([
    merges.find(ref),
    merges.find(integrationRef(name, "start")),
    merges.findNamed(integrationRef(name, "target")),
  ])
  if (tip === undefined || start === undefined || target === undefined) return undefined
  return { ref, tip, start, target: target.replace(/^refs\/heads\//, "") }
}

/**
 * The first call creates the integration branch at the target: the named branch, or the one checked out.
 * Idempotent, also after an interruption.
 */
export async function ensureIntegration(merges: Merges, name: RunName, target?: string): Promise<Integration> {
  const found = await findIntegration(merges, name)
  if (found !== undefined && (target === undefined || target === found.target)) return found
  const { branch, commit } = await findTarget(merges, target ?? found?.target)
  const ref = branchRef(integrationBranch(name))
  // `worktree create --base` may have created the branch without a target.
  const tip = await merges.find(ref)
  if (tip === undefined) await merges.move([{ ref, from: null, to: commit }])
  const start = await merges.find(integrationRef(name, "start"))
  if (start === undefined) await merges.move([{ ref: integrationRef(name, "start"), from: null, to: tip ?? commit }])
  await merges.nameBranch(integrationRef(name, "target"), branchRef(branch))
  const made = await findIntegration(merges, name)
  if (made === undefined) throw new AppError("merge.race", "another process removed the integration branch; try again")
  return made
}

/** Throws if the repository has no commit or the team's target branch does not exist. */
export async function assertTarget(merges: Merges, name: RunName, named?: string): Promise<void> {
  const found = await findIntegration(merges, name)
  const branch = named ?? found?.target
  if (branch === undefined && (await merges.find("HEAD")) === undefined)
    throw new AppError(
      "workspace.no_commit",
      'the repository has no commit yet, so there is nothing to work on; make one first: git add --all && git commit -m "Start"',
    )
  await findTarget(merges, branch)
}

async function findTarget(
  merges: Merges,
  named?: string,
): Promise<{ readonly branch: string; readonly commit: string }> {
  const branch = named ?? (await checkedOut(merges))
  const commit = await merges.find(branchRef(branch))
  if (commit !== undefined) return { branch, commit }
  throw new AppError(
    "merge.no_target",
    (say) =>
      `there is no branch ${quoteInput(branch)} with a commit; create it with git, or name another with ${say.field("target")} BRANCH`,
  )
}

async function checkedOut(merges: Merges): Promise<string> {
  const ref = await merges.checkedOut()
  const branch = ref?.replace(/^refs\/heads\//, "")
  if (branch !== undefined && !branch.startsWith("teamwork/")) return branch
  const now = branch === undefined ? "no branch is checked out here" : `${branch} is checked out here`
  throw new AppError(
    "merge.no_target",
    (say) => `${now}; name the branch to deliver to with ${say.field("target")} BRANCH`,
  )
}
