import { ENGINE } from "../../kernel/actor.ts"
import { type Event, type EventData, type EventType, type NewEvent, ofType } from "../../kernel/events.ts"
import type { WorkPlace } from "../../kernel/repository.ts"
import type { RunName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import type { Tx } from "../../store/port.ts"
import { isSamePlace } from "../../tasks/committed-work.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"

/** Where teamwork left the integration branch of a run. Refs can be moved by anybody; this cannot. */
export interface IntegrationMemory {
  readonly commit: string
  readonly start: string
  readonly target: string
}

/** Undefined where nothing is known of this repository, as of a run that an earlier version began. */
export async function readIntegrationMemory(
  { store }: Pick<Context, "store">,
  name: RunName,
  here: WorkPlace,
): Promise<IntegrationMemory | undefined> {
  const last = await store.read(async (tx) => findLast(tx, (await getTeam(tx, name)).key, "integration.moved"))
  const [moved] = ofType(last, "integration.moved")
  if (moved === undefined) return undefined
  const { commit, start, target, machine, folder, repository } = moved.data
  const place = { machine, folder, repository: repository as WorkPlace["repository"] }
  return isSamePlace(place, here) ? { commit, start, target } : undefined
}

async function findLast(tx: Tx, key: number, type: EventType): Promise<readonly Event[]> {
  const after = await tx.events.tailCursor(key, { count: 1, type })
  return (await tx.events.list(key, { after, type, limit: 1 })).events
}

/** Writes down what was done to refs, in one transaction. */
export async function noteRefs({ store }: Context, name: RunName, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  await store.write(async (tx) => {
    const { key } = await getTeam(tx, name)
    for (const event of events) await tx.events.append(key, ENGINE, event)
  })
}

/** Tells once that the target is at a commit that teamwork did not bring it to. */
export async function noteTargetMoved(
  { store }: Context,
  name: RunName,
  data: EventData<"target.moved">,
): Promise<void> {
  await store.write(async (tx) => {
    const { key } = await getTeam(tx, name)
    const [last] = ofType(await findLast(tx, key, "target.moved"), "target.moved")
    if (last?.data.to === data.to) return
    await tx.events.append(key, ENGINE, { type: "target.moved", data })
  })
}
