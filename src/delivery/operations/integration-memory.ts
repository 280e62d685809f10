import { ENGINE } from "../../kernel/actor.ts"
import { type Event, type EventData, type EventType, type NewEvent, ofType } from "../../kernel/events.ts"
import type { WorkPlace } from "../../kernel/repository.ts"
import type { RunName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import type { Tx } from "../../store/port.ts"
import { isSamePlace } from "../../tasks/committed-work.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"

/** Where teamwork left the integration branch. Others can move refs; they cannot change this. */
export interface IntegrationMemory {
  readonly commit: string
  readonly start: string
  readonly target: string
}

/** Undefined for a repository that the store does not know, as in runs of earlier versions. */
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

export async function noteRefs({ store }: Context, name: RunName, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  await store.write(async (tx) => {
    const { key } = await getTeam(tx, name)
    for (const event of events) await tx.events.append(key, ENGINE, event)
  })
}

/** Records once that the target moved without teamwork. */
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
