import { pinRef } from "../../kernel/branches.ts"
import type { RunName } from "../../kernel/team.ts"
import { bringCommand, describeElsewhere, findCommitted } from "../../tasks/committed-work.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"
import { readCommitted } from "../../tasks/operations/note-committed.ts"
import type { Task } from "../../tasks/task.ts"
import type { Verifier } from "./verifier.ts"

export interface TaskWork {
  readonly base: string | undefined
  readonly head: string
  /** Where it is and how to get it; null if it is here. */
  readonly elsewhere: string | null
}

/** Commits that workers recorded, else those pinned here. Reports commits that are not here. */
export async function readWork(
  { context, repository, place }: Pick<Verifier, "context" | "repository" | "place">,
  name: RunName,
  tasks: readonly Task[],
): Promise<ReadonlyMap<string, TaskWork>> {
  const committed = await context.store.read(async (tx) => readCommitted(tx, (await getTeam(tx, name)).key))
  const found = new Map<string, TaskWork>()
  const at = async (ref: string) => (await repository.find(ref))?.commit
  for (const task of tasks) {
    const work = findCommitted(committed, task)
    if (work !== undefined) {
      const isHere = work.commit === work.base || (await at(work.commit)) !== undefined
      const elsewhere = isHere
        ? null
        : `${describeElsewhere(work, place)}; bring it here with: ${bringCommand(name, work, place)}`
      found.set(task.id, { base: work.base, head: work.commit, elsewhere })
      continue
    }
    const own = { taskId: task.id, attempt: task.attempt }
    const head = await at(pinRef(name, own, "head"))
    if (head !== undefined) found.set(task.id, { base: await at(pinRef(name, own, "base")), head, elsewhere: null })
  }
  return found
}

/** A task without a change counts as contained. */
export async function hasWork(
  { repository }: Pick<Verifier, "repository">,
  commit: string,
  { base, head, elsewhere }: TaskWork,
): Promise<boolean> {
  return elsewhere === null && (head === base || repository.contains(commit, head))
}
