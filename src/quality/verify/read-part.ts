import type { RunName } from "../../kernel/team.ts"
import { readHistory } from "../../reporting/operations/read-history.ts"
import type { Task } from "../../tasks/task.ts"
import { type Part, partOf } from "../gates/part.ts"
import type { ChosenState } from "./choose-state.ts"
import { hasWork, readWork } from "./task-work.ts"
import type { Verifier } from "./verifier.ts"

/** Finished tasks in the commit. */
export async function readPart<T extends Task>(
  verifier: Verifier,
  name: RunName,
  { tasks, state }: { readonly tasks: readonly T[]; readonly state: ChosenState },
): Promise<Part<T>> {
  const missing = new Set<string>()
  const done = tasks.filter(({ status }) => status === "resolved")
  for (const [id, work] of await readWork(verifier, name, done))
    if (!(await hasWork(verifier, state.commit, work))) missing.add(id)
  const { history } = await readHistory(verifier.context, name, ["task.status_changed"])
  return partOf(tasks, {
    isMissing: ({ id }) => missing.has(id),
    reasonOf: ({ id, status, pauseReason }) => {
      if (status === "paused") return pauseReason
      return status === "failed" ? (history.tasks.get(id)?.reason ?? null) : null
    },
  })
}
