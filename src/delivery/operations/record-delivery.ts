import { PERSON } from "../../kernel/actor.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"

export interface DeliveryRecord extends TeamName {
  readonly type: "target.delivered" | "target.undone"
  readonly target: string
  readonly from: string
  readonly to: string
}

/** Writes down that the target branch was moved. Git keeps the facts; this tells them. */
export async function recordDelivery({ store }: Context, record: DeliveryRecord): Promise<void> {
  const { type, target, from, to } = record
  await store.write(async (tx) => {
    const team = await getTeam(tx, record)
    await tx.events.append(team.key, PERSON, { type, data: { target, from, to } })
  })
}
