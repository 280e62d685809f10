import type { EventType } from "../../kernel/events.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"
import { applyEvent, emptyHistory, type History } from "../history.ts"

export interface HistoryReader {
  readonly history: History
  /** Reads what came since the last call. One call at a time. */
  read(): Promise<History>
}

const ALL = 1_000_000
const EVENTS_AT_ONCE = 5000

/** The whole history, read step by step from its beginning. */
export function followHistory(
  { store }: Context,
  name: TeamName,
  history = emptyHistory(),
  after?: string,
): HistoryReader {
  return {
    history,
    async read() {
      for (;;) {
        const page = await store.read(async (tx) =>
          tx.events.list((await getTeam(tx, name)).key, { after, limit: EVENTS_AT_ONCE }),
        )
        for (const event of page.events) applyEvent(history, event)
        after = page.cursor
        if (page.events.length < EVENTS_AT_ONCE) return history
      }
    },
  }
}

/** Reads only past events of these types. */
export async function readHistory(
  context: Context,
  name: TeamName,
  types: readonly EventType[],
): Promise<HistoryReader> {
  const { events, cursor } = await context.store.read(async (tx) => {
    const { key } = await getTeam(tx, name)
    const cursor = await tx.events.tailCursor(key, { count: 0 })
    const pages = []
    for (const type of types) pages.push((await tx.events.list(key, { type, limit: ALL })).events)
    return { events: pages.flat().sort((a, b) => a.seq - b.seq), cursor }
  })
  const history = emptyHistory()
  for (const event of events) applyEvent(history, event)
  return followHistory(context, name, history, cursor)
}
