import type { RunName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"
import type { Task } from "../../tasks/task.ts"
import type { GateRepository } from "../gates/port.ts"
import { assertProven, noWork } from "../operations/submit-qa.ts"
import type { Judged } from "../verdict.ts"
import { getCommit } from "./choose-state.ts"
import { findTaskBase, mayChangeNothing } from "./verify-task.ts"

interface Work {
  readonly name: RunName
  readonly task: Task
  readonly state: Judged
  readonly uncommitted: number
  readonly base: string | undefined
}

/**
 * Refuses a commit without work: no change since the start of the task or, if that is not known, older than its
 * claim. A task that only reads needs evidence instead.
 */
export async function assertHasWork(context: Context, repository: GateRepository, work: Work): Promise<void> {
  const { name, task, state, uncommitted } = work
  if (task.status !== "in_progress" || task.qa === null) return // submitQa refuses it
  if (mayChangeNothing(task, await context.roles()))
    return context.store.read(async (tx) => assertProven(tx, await getTeam(tx, name), task))
  const named = work.base === undefined ? undefined : (await getCommit(repository, work.base)).commit
  const base = named ?? (await findTaskBase(repository, { name, task, state }))
  const isEmpty =
    base === undefined
      ? isBeforeClaim(task, await repository.times(state.commit))
      : (await repository.find(base))?.tree === state.tree
  if (!isEmpty) return
  const since =
    base === undefined ? "since it was claimed; name where it started with --base" : `since ${base.slice(0, 12)}`
  const left = uncommitted === 0 ? "" : `; ${uncommitted} changed files are not committed, commit them first`
  throw noWork(task, `nothing was committed ${since}${left}`)
}

/** Commit times are in seconds: within the same second the last move of HEAD decides. */
function isBeforeClaim(
  { claimedAt }: Task,
  { committedSeconds, movedMs }: Awaited<ReturnType<GateRepository["times"]>>,
): boolean {
  if (claimedAt === null) return false
  const claimedMs = Date.parse(claimedAt)
  return committedSeconds < Math.floor(claimedMs / 1000) || (movedMs !== undefined && movedMs < claimedMs)
}
