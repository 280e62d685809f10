import * as v from "valibot"
import { PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import { PHASE_PROGRESS, PHASE_TRANSITIONS, PHASES, type Phase } from "../../kernel/phase.ts"
import { choice } from "../../lib/schema.ts"
import { LEAD } from "../../messages/message.ts"
import { operation, ownerField, taskIdField, teamFields, textField, tokenField } from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { assertHolds } from "../../tasks/operations/assert-holds.ts"
import { lockTask, lockTeam } from "../../tasks/operations/lookup.ts"
import type { Task } from "../../tasks/task.ts"
import { askApproval } from "./ask-approval.ts"

interface PhaseMove {
  readonly task: Task
  readonly to: Phase
  readonly by: string
  readonly reason: string | null
}

/** The task must be locked. */
export async function movePhase(tx: Tx, team: StoredTeam, { task, to, by, reason }: PhaseMove): Promise<Task> {
  assertPhase(task, to)
  const moved = await tx.tasks.update(team.key, task.id, { phase: to })
  const data = { task: task.id, attempt: task.attempt, from: task.phase, to, reason }
  await tx.events.append(team.key, by, { type: "task.phase_changed", data })
  return moved
}

function assertPhase({ id, phase }: Task, to: Phase): void {
  if (phase === null) {
    const remedy = {
      operation: "project update",
      fields: { protocol: "planned" },
      to: "turn them on for the team with",
    } as const
    throw new AppError("phase.none", `task ${id} does not go through the phases`, {}, { remedy })
  }
  const allowed: readonly Phase[] = PHASE_TRANSITIONS[phase]
  if (allowed.includes(to)) return
  const way = allowed.length === 0 ? "it is in the last one" : `next comes ${allowed.join(" or ")}`
  const message = `task ${id} is in ${phase} and cannot go to ${to}: ${way}`
  throw new AppError("phase.transition", message, { taskId: id, from: phase, to })
}

/** Approving a plan is another operation. */
export const advancePhase = operation({
  name: "task.phase",
  summary: "Report on the phase a task is in and go on to the next",
  input: {
    ...teamFields,
    id: taskIdField,
    to: choice(PHASES, "the phase that begins"),
    report: textField("what came out of the phase before; for awaiting_approval the plan", 20_000),
    owner: v.optional(ownerField),
    token: v.optional(tokenField),
  },
  run: ({ store, ids }, { to, report, owner, ...input }): Promise<Task> =>
    store.write(async (tx) => {
      const team = await lockTeam(tx, input)
      const task = await lockTask(tx, team.key, input.id)
      assertHolds(task, owner, input.token)
      assertPhase(task, to)
      if (task.phase === "awaiting_approval") throw needsApproval(task)
      if (task.status !== "in_progress")
        throw new AppError("task.transition", `task ${task.id} is ${task.status}; phases belong to work in progress`)
      if (report.trim() === "")
        throw new AppError("input.invalid", (say) => `${say.field("report")} must say what came out`)
      const by = owner ?? PERSON
      const moved = await movePhase(tx, team, { task, to, by, reason: null })
      if (to === "awaiting_approval")
        await askApproval(tx, team, { scope: "agent-phase", subject: "plan", task: moved, question: report, by })
      const message = `PHASE ${PHASE_PROGRESS[task.phase ?? "skill_discovery"]} %: task ${task.id}, ${task.phase}: ${report}`
      const sent = { id: ids.uuid(), from: by, to: LEAD, type: "text", payload: { message } } as const
      await tx.messages.send(team.key, by, sent)
      return moved
    }),
})

function needsApproval({ id }: Pick<Task, "id">): AppError {
  return new AppError(
    "approval.needed",
    `the plan for task ${id} waits for an approval`,
    { taskId: id },
    {
      remedy: [
        { operation: "approvals", to: "see" },
        { operation: "approve", fields: { number: "NUMBER" }, to: "decide with" },
        { operation: "reject", fields: { number: "NUMBER", reason: "WHY" } },
      ],
    },
  )
}

/** Phases and QA must be done. */
export function assertMayEnd({ id, phase, qa }: Task): void {
  if (phase === "awaiting_approval") throw needsApproval({ id })
  if (phase !== null && phase !== "completion") {
    const [next] = PHASE_TRANSITIONS[phase]
    throw new AppError(
      "phase.transition",
      `task ${id} is in ${phase} and ends only in completion`,
      { taskId: id, from: phase },
      { remedy: { operation: "task phase", fields: { id, to: next, report: "TEXT" }, to: "go on with" } },
    )
  }
  if (qa !== null && qa !== "passed")
    throw new AppError(
      "qa.needed",
      `task ${id} can end only after QA passed it, and QA is ${qa}`,
      { taskId: id, qa },
      { remedy: { operation: "qa submit", fields: { id }, to: "hand it in with" } },
    )
}
