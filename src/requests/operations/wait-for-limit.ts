import { ENGINE } from "../../kernel/actor.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { lockTask, lockTeam } from "../../tasks/operations/lookup.ts"
import { toEscalation } from "../escalation.ts"
import { withdrawEscalation } from "./escalation-holds.ts"
import { raiseEscalation } from "./raise-escalation.ts"

interface Waiting extends TeamName {
  readonly task: TaskId
  readonly worker: string
}

/** Every agent that could do the task is rate-limited: it is waited for, unless a person decides otherwise meanwhile. */
export async function askAboutLimit({ store }: Context, { reason, ...waiting }: Waiting & { readonly reason: string }) {
  await store.write(async (tx) => {
    const team = await lockTeam(tx, waiting)
    const task = await lockTask(tx, team.key, waiting.task)
    await raiseEscalation(tx, team, { trigger: "rate_limited", summary: reason, task, by: ENGINE })
  })
}

/** The wait is over, one way or the other: nobody has to decide any more. */
export async function endAskAboutLimit({ store }: Context, { task, worker, ...name }: Waiting): Promise<void> {
  await store.write(async (tx) => withdrawLimit(tx, await lockTeam(tx, name), { taskId: task, by: worker }))
}

export async function withdrawLimit(
  tx: Tx,
  team: StoredTeam,
  { taskId, by }: { readonly taskId: TaskId; readonly by: string },
): Promise<void> {
  for (const record of await tx.records.list(team.key, { kind: "escalation", status: "open", taskId }))
    if (toEscalation(record).trigger === "rate_limited") await withdrawEscalation(tx, team, { record, by })
}
