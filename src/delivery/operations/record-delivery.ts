import { ENGINE, PERSON } from "../../kernel/actor.ts"
import type { WorkPlace } from "../../kernel/repository.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { LeftOut } from "../../quality/left-out.ts"
import type { Context } from "../../store/operation.ts"
import type { CommittedWork } from "../../tasks/committed-work.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"
import { readCommitted } from "../../tasks/operations/note-committed.ts"

export interface DeliveryRecord extends TeamName {
  readonly type: "target.delivered" | "target.undone"
  readonly target: string
  readonly from: string
  readonly to: string
  /** Tasks that are not in a partial delivery, and why. */
  readonly leftOut?: readonly LeftOut[]
  readonly notes?: readonly string[]
}

/** Git keeps the facts; this is the record for people. */
export async function recordDelivery({ store }: Context, record: DeliveryRecord): Promise<void> {
  const { type, target, from, to, leftOut = [], notes = [] } = record
  const without = leftOut.map(({ task, why }) => `${task}: ${why}`)
  await store.write(async (tx) => {
    const team = await getTeam(tx, record)
    const data = { target, from, to }
    if (type === "target.undone") await tx.events.append(team.key, PERSON, { type, data })
    else {
      const part = without.length === 0 ? {} : { left_out: without }
      const told = notes.length === 0 ? {} : { notes }
      await tx.events.append(team.key, PERSON, { type, data: { ...data, ...part, ...told } })
    }
  })
}

export interface TargetRewritten {
  readonly target: string
  /** Where the work began, and where the target is now. */
  readonly from: string
  readonly to: string
  readonly dropped: readonly string[]
  readonly former: string
  readonly tip: string
  readonly works: readonly Pick<CommittedWork, "taskId" | "attempt" | "base" | "commit">[]
  readonly place: WorkPlace
}

/** The user dropped commits that the work began on; it goes on without them. */
export async function recordRewritten({ store }: Context, name: TeamName, rewritten: TargetRewritten): Promise<void> {
  const { target, from, to, dropped, former, tip, works, place } = rewritten
  await store.write(async (tx) => {
    const { key } = await getTeam(tx, name)
    const committed = await readCommitted(tx, key)
    for (const { taskId: task, attempt, base, commit } of works) {
      const known = committed.get(`${task}/${attempt}`)
      if (known === undefined) continue
      const data = { task, attempt, token: known.token, base, commit, ...place }
      await tx.events.append(key, ENGINE, { type: "task.committed", data })
    }
    const moved = { commit: tip, start: to, target, ...place }
    await tx.events.append(key, ENGINE, { type: "integration.moved", data: moved })
    await tx.events.append(key, ENGINE, { type: "target.rewritten", data: { target, from, to, dropped, former } })
  })
}
