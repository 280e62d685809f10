import { AppError } from "../../kernel/errors.ts"
import type { Remedy } from "../../kernel/remedy.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { QA_TRANSITIONS, type QaState } from "../../tasks/qa-state.ts"
import type { Task } from "../../tasks/task.ts"

interface QaMove {
  readonly task: Task
  readonly to: QaState
  readonly by: string
}

/** The next state of QA on a task, which must be locked, with its event. */
export async function moveQa(tx: Tx, team: StoredTeam, { task, to, by }: QaMove): Promise<Task> {
  assertQa(task, to)
  const moved = await tx.tasks.update(team.key, task.id, { qa: to })
  const data = { task: task.id, attempt: task.attempt, from: task.qa, to }
  await tx.events.append(team.key, by, { type: "task.qa_changed", data })
  return moved
}

export function assertQa({ id, qa }: Task, to: QaState): void {
  if (qa === null) throw noQa({ id })
  const allowed: readonly QaState[] = QA_TRANSITIONS[qa]
  if (allowed.includes(to)) return
  const { hint = "", remedy } = wayOn(id, qa)
  const message = `QA of task ${id} is ${qa} and cannot become ${to}${hint}`
  throw new AppError("qa.transition", message, { taskId: id, from: qa, to }, { remedy })
}

export function noQa({ id }: Pick<Task, "id">): AppError {
  return new AppError(
    "qa.none",
    `the work of task ${id} needs no QA`,
    { taskId: id },
    { remedy: { operation: "project update", fields: { qa: "on" }, to: "turn it on for the team with" } },
  )
}

/** What brings it on from there. */
function wayOn(id: string, qa: QaState): { readonly hint?: string; readonly remedy: Remedy | readonly Remedy[] } {
  switch (qa) {
    case "needed":
      return { remedy: { operation: "qa submit", fields: { id }, to: "hand the work in with" } }
    case "failed":
      return { remedy: { operation: "qa submit", fields: { id }, to: "mend what QA found and hand it in with" } }
    case "pending":
      return { remedy: { operation: "qa plan", fields: { id }, to: "plan it with" } }
    case "planning":
      return {
        hint: "; its plan waits for an approval",
        remedy: [
          { operation: "approvals", to: "see" },
          { operation: "qa plan", fields: { id }, to: "plan again when it was rejected, with" },
        ],
      }
    case "validating":
      return {
        remedy: [
          { operation: "qa record", fields: { id }, to: "score it with" },
          { operation: "qa accept", fields: { id }, to: "accept what is reported with" },
        ],
      }
    case "passed":
      return {
        remedy: [
          { operation: "task update", fields: { id, status: "resolved" }, to: "resolve it with" },
          { operation: "qa submit", fields: { id, commit: "COMMIT" }, to: "hand in another commit with" },
        ],
      }
  }
}
