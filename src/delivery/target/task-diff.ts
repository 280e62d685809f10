import type { Change, Merges } from "../../git/port.ts"
import { branchRef, integrationBranch, workerBranch } from "../../kernel/branches.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { getTask, getTeam } from "../../tasks/operations/lookup.ts"
import { readPins } from "../merge-queue/collect-candidates.ts"

export interface TaskDiff {
  readonly taskId: TaskId
  readonly attempt: number
  readonly base: string
  readonly head: string
  /** False for a worker's present branch. */
  readonly isPinned: boolean
  readonly isMerged: boolean
  readonly files: readonly Change[]
  /** As `git diff` prints it. */
  readonly patch: string
}

/** The changes of the latest attempt, or of the named one. */
export async function readTaskDiff(
  context: Context,
  merges: Merges,
  { taskId, attempt, ...asked }: TeamName & { taskId: TaskId; attempt?: number },
): Promise<TaskDiff> {
  const { task, name } = await context.store.read(async (tx) => {
    const { key, project, team, run } = await getTeam(tx, asked)
    return { task: await getTask(tx, key, taskId), name: { project, team, run } }
  })
  const number = attempt ?? task.attempt
  const tip = await merges.find(branchRef(integrationBranch(name)))
  const pinned = (await readPins(merges, name)).get(`${taskId}/${number}`)
  const worker = number === task.attempt ? (task.workerId ?? task.claimedBy) : null
  const found = pinned ?? (worker === null ? undefined : await readBranch(merges, name, { worker, tip }))
  if (found === undefined) {
    const message = `nothing is known of the commits of task ${taskId}, attempt ${number}: neither a pin nor a branch`
    throw new AppError("merge.nothing", message, { taskId, attempt: number })
  }
  const { base, head } = found
  const [files, patch] = await Promise.all([merges.changes(base, head), merges.patch(base, head)])
  const isMerged = tip !== undefined && head !== base && (await merges.contains(tip, head))
  return { taskId, attempt: number, base, head, isPinned: pinned !== undefined, isMerged, files, patch }
}

async function readBranch(
  merges: Merges,
  name: TeamName,
  { worker, tip }: { worker: string; tip: string | undefined },
) {
  const head = await merges.find(branchRef(workerBranch(name, worker)))
  const onto = tip ?? (await merges.find("HEAD"))
  const base = head === undefined || onto === undefined ? undefined : await merges.mergeBase(onto, head)
  return head === undefined || base === undefined ? undefined : { base, head }
}
