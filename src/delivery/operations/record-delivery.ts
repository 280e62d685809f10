import { PERSON } from "../../kernel/actor.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { LeftOut } from "../../quality/left-out.ts"
import type { Context } from "../../store/operation.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"

export interface DeliveryRecord extends TeamName {
  readonly type: "target.delivered" | "target.undone"
  readonly target: string
  readonly from: string
  readonly to: string
  /** Of a part that was delivered: the tasks that are not in it, and why. */
  readonly leftOut?: readonly LeftOut[]
}

/** Writes down that the target branch was moved. Git keeps the facts; this tells them. */
export async function recordDelivery({ store }: Context, record: DeliveryRecord): Promise<void> {
  const { type, target, from, to, leftOut = [] } = record
  const without = leftOut.map(({ task, why }) => `${task}: ${why}`)
  await store.write(async (tx) => {
    const team = await getTeam(tx, record)
    const data = { target, from, to }
    if (type === "target.undone") await tx.events.append(team.key, PERSON, { type, data })
    else {
      const part = without.length === 0 ? {} : { left_out: without }
      await tx.events.append(team.key, PERSON, { type, data: { ...data, ...part } })
    }
  })
}
