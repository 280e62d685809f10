import * as v from "valibot"
import { AppError } from "../../kernel/errors.ts"
import { flag, number } from "../../lib/schema.ts"
import { idField, operation, roleField, taskIdField, teamFields, workerIdField } from "../../store/operation.ts"
import type { Claimed, ClaimRequest } from "../../store/port.ts"
import { rolesMatch } from "../task.ts"

const input = {
  ...teamFields,
  id: v.optional(taskIdField),
  next: flag("take the best ready task instead of a named one"),
  owner: idField("who claims the task: a worker, a session, a person"),
  role: v.optional(roleField),
  strictRole: flag("refuse a task of another role instead of warning"),
  workerId: v.optional(workerIdField),
  leaseSeconds: v.optional(number("how long the claim holds without a heartbeat", { min: 0.001, max: 31_536_000 })),
}

export interface ClaimResult extends Claimed {
  readonly warnings: string[]
}

/** Exactly one claimant gets the task: the store decides in one statement. The rest explains a refusal. */
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
      // Loading this with every claim takes 0.5 ms of 10.
      const { explainRefusal } = await import("./explain-claim.ts")
      throw await store.read((tx) => explainRefusal(tx, request))
    }
    const { role } = claimed.task
    const isOther = !rolesMatch(role, request.role)
    return {
      ...claimed,
      warnings: isOther ? [`Role mismatch - task role: ${role}, worker role: ${request.role}`] : [],
    }
  },
})
