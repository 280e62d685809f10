import { AppError } from "../../kernel/errors.ts"
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
  throw new AppError("qa.transition", `QA of task ${id} is ${qa} and cannot become ${to}; ${wayOn(id, qa)}`, {
    taskId: id,
    from: qa,
    to,
  })
}

export function noQa({ id }: Pick<Task, "id">): AppError {
  const way = "turn it on for the team with: teamwork project update --qa on"
  return new AppError("qa.none", `the work of task ${id} needs no QA; ${way}`, { taskId: id })
}

/** What brings it on from there. */
function wayOn(id: string, qa: QaState): string {
  switch (qa) {
    case "needed":
      return `hand the work in with: teamwork qa submit ${id}`
    case "failed":
      return `mend what QA found and hand it in with: teamwork qa submit ${id}`
    case "pending":
      return `QA plans next: teamwork qa plan ${id}`
    case "planning":
      return "its plan waits for an approval: see teamwork approvals, or plan again when it was rejected"
    case "validating":
      return `QA scores it with: teamwork qa record ${id}; a report is decided with: teamwork qa accept ${id}`
    case "passed":
      return `resolve it with: teamwork task update --id ${id} --status resolved; another commit is handed in with: teamwork qa submit ${id} --commit COMMIT`
  }
}
