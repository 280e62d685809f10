import { emptyHistory, type History, tell } from "../domain/history.ts"
import type { TeamName } from "../domain/team.ts"
import { getTeam } from "../operations/lookup.ts"
import type { Context } from "../operations/operation.ts"

export interface HistoryFollower {
  /** The history as it is now. Reads only what came since the last call; one call at a time. */
  read(): Promise<History>
}

const EVENTS_AT_ONCE = 5000

export function followHistory({ store }: Context, name: TeamName): HistoryFollower {
  const history = emptyHistory()
  let after: string | undefined
  return {
    async read() {
      for (;;) {
        const page = await store.read(async (tx) => {
          const { key } = await getTeam(tx, name)
          return tx.events.list(key, { after, limit: EVENTS_AT_ONCE })
        })
        for (const event of page.events) tell(history, event)
        after = page.cursor
        if (page.events.length < EVENTS_AT_ONCE) return history
      }
    },
  }
}
