import { ENGINE } from "../../kernel/actor.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { lockTask, lockTeam } from "../../tasks/operations/lookup.ts"
import { withdrawEscalations } from "./escalation-holds.ts"
import { raiseEscalation } from "./raise-escalation.ts"

interface Waiting extends TeamName {
  readonly task: TaskId
  readonly worker: string
}

/** All capable agents are rate-limited. The task waits, unless a person decides otherwise. */
export async function askAboutLimit({ store }: Context, { reason, ...waiting }: Waiting & { readonly reason: string }) {
  await store.write(async (tx) => {
    const team = await lockTeam(tx, waiting)
    const task = await lockTask(tx, team.key, waiting.task)
    await raiseEscalation(tx, team, { trigger: "rate_limited", summary: reason, task, by: ENGINE })
  })
}

export async function withdrawLimitQuestion({ store }: Context, { task, worker, ...name }: Waiting): Promise<void> {
  await store.write(async (tx) => withdrawLimit(tx, await lockTeam(tx, name), { taskId: task, by: worker }))
}

export async function withdrawLimit(
  tx: Tx,
  team: StoredTeam,
  { taskId, by }: { readonly taskId: TaskId; readonly by: string },
): Promise<void> {
  await withdrawEscalations(tx, team, { taskId, by, isMeant: ({ trigger }) => trigger === "rate_limited" })
}
