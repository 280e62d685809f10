import { branchRef, pinRef, workerBranch } from "../../kernel/branches.ts"
import type { RunName } from "../../kernel/team.ts"
import type { Task } from "../../tasks/task.ts"
import type { GateRepository } from "../gates/port.ts"
import type { Judged } from "../verdict.ts"

/** HEAD of the worker's worktree; from elsewhere the branch of the task, its pin, or HEAD here. */
export async function findResolvedState(
  repository: Pick<GateRepository, "find" | "findStart">,
  name: RunName,
  { id, attempt, workerId, claimedBy }: Task,
): Promise<Judged | undefined> {
  if ((await repository.findStart()) !== undefined) return repository.find("HEAD")
  const worker = workerId ?? claimedBy
  const branch = worker === null ? undefined : await repository.find(branchRef(workerBranch(name, worker)))
  const pinned = await repository.find(pinRef(name, { taskId: id, attempt }, "head"))
  return branch ?? pinned ?? (await repository.find("HEAD"))
}
