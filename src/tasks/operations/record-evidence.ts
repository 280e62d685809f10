import * as v from "valibot"
import { PERSON } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import { number } from "../../lib/schema.ts"
import {
  type Context,
  operation,
  ownerField,
  runFields,
  taskIdField,
  teamFields,
  textField,
  tokenField,
} from "../../store/operation.ts"
import type { Evidence, NewEvidence } from "../evidence.ts"
import { type Holder, lockHeld, renewFor } from "./assert-holds.ts"
import { evidenceFields, readEvidence, warnOfEvidence } from "./evidence-input.ts"
import { getTask, getTeam } from "./lookup.ts"

export const addEvidence = operation({
  name: "evidence.add",
  summary: "Report what was done and seen for a task",
  input: {
    ...teamFields,
    id: taskIdField,
    owner: v.optional(ownerField),
    token: v.optional(tokenField),
    ...evidenceFields,
  },
  async run(context, input): Promise<{ evidence: Evidence[]; warnings: string[] }> {
    const entries = readEvidence(input, context.settings)
    if (entries.length === 0)
      throw new AppError(
        "usage",
        (say) =>
          `say what was seen with ${say.field("addEvidence")} TEXT or ${say.field("evidenceType")} with its facts`,
      )
    const evidence = await recordEvidence(context, { ...input, taskId: input.id, entries })
    return { evidence, warnings: warnOfEvidence(entries, context.settings) }
  },
})

export interface EvidenceRecord extends TeamName, Holder {
  readonly taskId: TaskId
  /** If it is not the owner. */
  readonly by?: string
  readonly entries: readonly NewEvidence[]
}

/** Adds entries of any trust. Callers from outside can only report, through `evidence.add`. */
export async function recordEvidence({ store }: Context, record: EvidenceRecord): Promise<Evidence[]> {
  return store.write(async (tx) => {
    const { team, task } = await lockHeld(tx, record, record.taskId)
    const by = record.by ?? record.owner ?? PERSON
    await renewFor(tx, team.key, task, record.owner)
    await tx.evidence.add(team.key, { taskId: task.id, attempt: task.attempt, by, entries: record.entries })
    return (await tx.evidence.list(team.key, task.id)).slice(-record.entries.length)
  })
}

export const listEvidence = operation({
  name: "evidence.list",
  summary: "List the evidence of a task",
  input: { ...runFields, id: taskIdField },
  run: ({ store }, input): Promise<Evidence[]> =>
    store.read(async (tx) => {
      const team = await getTeam(tx, input)
      const task = await getTask(tx, team.key, input.id)
      return tx.evidence.list(team.key, task.id)
    }),
})

/** The entry stays and no longer counts. */
export const withdrawEvidence = operation({
  name: "evidence.withdraw",
  summary: "Withdraw an entry of evidence",
  input: {
    ...teamFields,
    id: taskIdField,
    number: number("number of the entry, as evidence list shows it", { isInteger: true, min: 1 }),
    owner: v.optional(ownerField),
    reason: v.optional(textField("why", 2000)),
  },
  async run({ store }, input): Promise<Evidence[]> {
    return store.write(async (tx) => {
      const { team, task } = await lockHeld(tx, input, input.id)
      const entries = await tx.evidence.list(team.key, task.id)
      const entry = entries[input.number - 1]
      if (entry === undefined) {
        throw new AppError(
          "evidence.not_found",
          `task ${task.id} has no evidence ${input.number}; it has ${entries.length}`,
          {},
          { remedy: { operation: "evidence list", fields: { id: task.id }, to: "see" } },
        )
      }
      await renewFor(tx, team.key, task, input.owner)
      if (entry.withdrawnAt !== null) return entries
      await tx.evidence.withdraw(team.key, task.id, input.number)
      await tx.events.append(team.key, input.owner ?? PERSON, {
        type: "evidence.withdrawn",
        data: { task: task.id, number: input.number, reason: input.reason ?? null },
      })
      return tx.evidence.list(team.key, task.id)
    })
  },
})
