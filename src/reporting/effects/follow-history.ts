import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"
import { emptyHistory, type History, tell } from "../history.ts"

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
