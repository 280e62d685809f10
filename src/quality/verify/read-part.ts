import { pinRef } from "../../kernel/branches.ts"
import type { RunName } from "../../kernel/team.ts"
import { readHistory } from "../../reporting/operations/read-history.ts"
import type { Task } from "../../tasks/task.ts"
import { type Part, partOf } from "../gates/part.ts"
import type { ChosenState } from "./choose-state.ts"
import type { Verifier } from "./verifier.ts"

/** What of the tasks is finished and in the commit. */
export async function readPart<T extends Task>(
  { context, repository }: Verifier,
  name: RunName,
  { tasks, state }: { readonly tasks: readonly T[]; readonly state: ChosenState },
): Promise<Part<T>> {
  const missing = new Set<string>()
  for (const task of tasks.filter(({ status }) => status === "resolved")) {
    const head = (await repository.find(pinRef(name, { taskId: task.id, attempt: task.attempt }, "head")))?.commit
    if (head !== undefined && !(await repository.contains(state.commit, head))) missing.add(task.id)
  }
  const { history } = await readHistory(context, name, ["task.status_changed"])
  return partOf(tasks, {
    isMissing: ({ id }) => missing.has(id),
    reasonOf: ({ id, status, pauseReason }) => {
      if (status === "paused") return pauseReason
      return status === "failed" ? (history.tasks.get(id)?.reason ?? null) : null
    },
  })
}
