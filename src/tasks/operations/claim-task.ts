import { AppError } from "../../kernel/errors.ts"
import { flag, number, optional } from "../../lib/fields.ts"
import { idField, operation, roleField, taskIdField, teamFields, workerIdField } from "../../store/operation.ts"
import type { ClaimRequest } from "../../store/port.ts"
import { rolesMatch, type Task } from "../task.ts"

const input = {
  ...teamFields,
  id: optional(taskIdField),
  next: flag("take the best ready task instead of a named one"),
  owner: idField("who claims the task: a worker, a session, a person"),
  role: optional(roleField),
  strictRole: flag("refuse a task of another role instead of warning"),
  workerId: optional(workerIdField),
  leaseSeconds: optional(number("how long the claim holds without a heartbeat", { min: 0.001, max: 31_536_000 })),
}

export interface ClaimResult {
  readonly task: Task
  readonly takenOverFrom: string | null
  readonly renewed: boolean
  readonly warnings: string[]
}

/** Gives a task to exactly one claimant. The store decides in one statement; everything after a refusal only explains it. */
export const claimTask = operation({
  name: "task.claim",
  summary: "Claim a task by its id, or with next the best ready one",
  input,
  async run({ store, settings }, input): Promise<ClaimResult> {
    if ((input.id === undefined) === (input.next !== true)) {
      throw new AppError(
        "usage",
        (say) => `name the task with ${say.field("id")}, or take the best ready one with ${say.field("next")}`,
      )
    }
    const request: ClaimRequest = {
      project: input.project,
      team: input.team,
      taskId: input.id ?? null,
      owner: input.owner,
      workerId: input.workerId ?? (input.owner as ClaimRequest["workerId"]),
      role: input.role ?? null,
      strictRole: input.strictRole ?? false,
      leaseMs: (input.leaseSeconds ?? settings.leaseSeconds) * 1000,
    }
    const claimed = await store.claimTask(request)
    if (claimed === undefined) {
      const { explainRefusal } = await import("./explain-claim.ts")
      throw await store.read((tx) => explainRefusal(tx, request))
    }
    const { task } = claimed
    return {
      task,
      takenOverFrom: claimed.takenOverFrom,
      renewed: claimed.renewed,
      warnings: rolesMatch(task.role, request.role)
        ? []
        : [`Role mismatch - task role: ${task.role}, worker role: ${request.role}`],
    }
  },
})
