import type { Event, EventType } from "../../kernel/events.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"
import { emptyHistory, type History, tell } from "../history.ts"

export interface PartOfHistory {
  readonly history: History
  /** Where `catchUp` goes on. */
  cursor: string
}

const ALL = 1_000_000
const AT_ONCE = 5000

/** What events of these types alone tell: a look at the runs of agents need not read everything that ever happened. */
export async function readHistory(
  { store }: Context,
  name: TeamName,
  types: readonly EventType[],
): Promise<PartOfHistory> {
  return store.read(async (tx) => {
    const { key } = await getTeam(tx, name)
    const cursor = await tx.events.tailCursor(key, { count: 0 })
    const events: Event[] = []
    for (const type of types) events.push(...(await tx.events.list(key, { type, limit: ALL })).events)
    const history = emptyHistory()
    for (const event of events.sort((a, b) => a.seq - b.seq)) tell(history, event)
    return { history, cursor }
  })
}

/** Adds what happened since. */
export async function catchUp({ store }: Context, name: TeamName, part: PartOfHistory): Promise<void> {
  for (;;) {
    const page = await store.read(async (tx) =>
      tx.events.list((await getTeam(tx, name)).key, { after: part.cursor, limit: AT_ONCE }),
    )
    for (const event of page.events) tell(part.history, event)
    part.cursor = page.cursor
    if (page.events.length < AT_ONCE) return
  }
}
