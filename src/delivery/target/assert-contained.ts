import type { Merges } from "../../git/port.ts"
import { AppError } from "../../kernel/errors.ts"
import type { WorkPlace } from "../../kernel/repository.ts"
import type { RunName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { bringCommand, type CommittedWork, describeElsewhere, findCommitted } from "../../tasks/committed-work.ts"
import { fixIdOf } from "../../tasks/fix-task.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"
import { readCommitted } from "../../tasks/operations/note-committed.ts"
import { attemptName, type Pinned } from "../merge-queue/candidate.ts"
import { readPins } from "../merge-queue/collect-candidates.ts"

/** Refuses to deliver a commit that lacks the work of a resolved task, whatever a verdict says. */
export async function assertContained(
  context: Context,
  merges: Merges,
  { name, commit }: { readonly name: RunName; readonly commit: string },
): Promise<void> {
  const pins = await readPins(merges, name)
  for (const work of await listDue(context, name, { pins, here: await merges.place() })) {
    if (await merges.contains(commit, work.commit)) continue
    const { taskId } = work
    const details = { task: taskId, commit: work.commit }
    if ((await merges.find(work.commit)) !== undefined) {
      const message = `the work of task ${taskId}, ${work.commit.slice(0, 12)}, is not part of ${commit.slice(0, 12)}`
      const remedy = { operation: "swarm merge", to: "merge it with" } as const
      throw new AppError("deliver.refused", message, details, { remedy })
    }
    const here = await merges.place()
    const message = `task ${taskId} is not merged: ${describeElsewhere(work, here)}; bring it here with: ${bringCommand(name, work, here)}`
    throw new AppError("deliver.refused", message, details)
  }
}

/** Work that could not be merged comes with its fix, or not at all if the fix was skipped. */
async function listDue(
  { store }: Context,
  name: RunName,
  { pins, here }: { readonly pins: ReadonlyMap<string, Pinned>; readonly here: WorkPlace },
): Promise<CommittedWork[]> {
  return store.read(async (tx) => {
    const { key } = await getTeam(tx, name)
    const tasks = await tx.tasks.list(key)
    const committed = await readCommitted(tx, key)
    const statuses = new Map(tasks.map(({ id, status }) => [id, status]))
    return tasks.flatMap((task) => {
      if (task.status !== "resolved" || (statuses.get(fixIdOf(task)) ?? "resolved") !== "resolved") return []
      // Without a recorded commit, the pin counts.
      const { id: taskId, attempt, claimToken: token } = task
      const pin = pins.get(attemptName({ taskId, attempt }))
      const pinned = pin && { taskId, attempt, token, base: pin.base, commit: pin.head, place: here }
      const work = findCommitted(committed, task) ?? pinned
      return work === undefined || work.commit === work.base ? [] : [work]
    })
  })
}
