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

/** The task must be locked. */
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
  const hint = qa === "planning" ? "; its plan waits for an approval" : ""
  const message = `QA of task ${id} is ${qa} and cannot become ${to}${hint}`
  throw new AppError("qa.transition", message, { taskId: id, from: qa, to }, { remedy: nextSteps(id)[qa] })
}

export function noQa({ id }: Pick<Task, "id">): AppError {
  return new AppError(
    "qa.none",
    `the work of task ${id} needs no QA`,
    { taskId: id },
    { remedy: { operation: "project update", fields: { qa: "on" }, to: "turn it on for the team with" } },
  )
}

function nextSteps(id: string): Readonly<Record<QaState, readonly Remedy[]>> {
  const fields = { id }
  return {
    needed: [{ operation: "qa submit", fields, to: "hand the work in with" }],
    failed: [{ operation: "qa submit", fields, to: "fix what QA found and hand it in with" }],
    pending: [{ operation: "qa plan", fields, to: "plan it with" }],
    planning: [
      { operation: "approvals", to: "see" },
      { operation: "qa plan", fields, to: "plan again when it was rejected, with" },
    ],
    validating: [
      { operation: "qa record", fields, to: "score it with" },
      { operation: "qa accept", fields, to: "accept what is reported with" },
    ],
    passed: [
      { operation: "task update", fields: { id, status: "resolved" }, to: "resolve it with" },
      { operation: "qa submit", fields: { id, commit: "COMMIT" }, to: "hand in another commit with" },
    ],
  }
}
