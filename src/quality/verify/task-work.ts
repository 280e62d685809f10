import { pinRef } from "../../kernel/branches.ts"
import type { RunName } from "../../kernel/team.ts"
import { bringCommand, committedOf, tellElsewhere } from "../../tasks/committed-work.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"
import { readCommitted } from "../../tasks/operations/note-committed.ts"
import type { Task } from "../../tasks/task.ts"
import type { Verifier } from "./verifier.ts"

/** What a task came to. */
export interface TaskWork {
  readonly base: string | undefined
  readonly head: string
  /** Where it is and what brings it here, in words; null where this repository has it. */
  readonly elsewhere: string | null
}

/**
 * What each of the tasks came to: as its worker said, else as it is pinned here. A ref alone is not believed where the
 * store knows better, and a commit that is not here is told as missing, not passed over.
 */
export async function readWork(
  { context, repository, place }: Pick<Verifier, "context" | "repository" | "place">,
  name: RunName,
  tasks: readonly Task[],
): Promise<ReadonlyMap<string, TaskWork>> {
  const committed = await context.store.read(async (tx) => readCommitted(tx, (await getTeam(tx, name)).key))
  const found = new Map<string, TaskWork>()
  const at = async (ref: string) => (await repository.find(ref))?.commit
  for (const task of tasks) {
    const work = committedOf(committed, task)
    if (work !== undefined) {
      const isHere = work.commit === work.base || (await at(work.commit)) !== undefined
      const elsewhere = isHere
        ? null
        : `${tellElsewhere(work, place)}; bring it here with: ${bringCommand(name, work, place)}`
      found.set(task.id, { base: work.base, head: work.commit, elsewhere })
      continue
    }
    const own = { taskId: task.id, attempt: task.attempt }
    const head = await at(pinRef(name, own, "head"))
    if (head !== undefined) found.set(task.id, { base: await at(pinRef(name, own, "base")), head, elsewhere: null })
  }
  return found
}

/** Whether a commit has the work; where nothing was changed there is nothing to have. */
export async function hasWork(
  { repository }: Pick<Verifier, "repository">,
  commit: string,
  { base, head, elsewhere }: TaskWork,
): Promise<boolean> {
  return elsewhere === null && (head === base || repository.contains(commit, head))
}
