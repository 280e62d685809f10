import { AppError } from "../../kernel/errors.ts"
import { sleep } from "../../lib/sleep.ts"
import { followEvents, listEvents } from "../../teams/operations/list-events.ts"
import { changedBy } from "./resources.ts"
import type { Connection } from "./tool-session.ts"

/** Waits for a team or a store that does not exist yet. */
const RETRY_MS = 1000
const BEGINNING = "0"

export interface Listener {
  readonly signal: AbortSignal
  readonly onChange: (uri: string) => void
  /** No change is missed from now on; also called when the team does not exist yet. */
  readonly onReady: () => void
}

/** Reports each resource that an event may have changed, until the signal fires. */
export async function noticeChanges(connection: Connection, { signal, onChange, onReady }: Listener): Promise<void> {
  const { hasStore } = await connection.session.configured()
  let after: string | undefined
  const waitForIt = async () => {
    // When it appears, all its events are new to the client.
    after ??= BEGINNING
    onReady()
    await sleep(RETRY_MS, signal)
  }
  while (!signal.aborted) {
    try {
      // Do not create a store only to watch it.
      if (!(await hasStore())) {
        await waitForIt()
        continue
      }
      const { project, team } = await connection.who()
      const name = { project, team }
      const context = await connection.sessionFor({ signal, onOutput: () => {} }).context()
      after ??= (await listEvents.run(context, { ...name, limit: 1 })).cursor
      onReady()
      await followEvents(
        context,
        { ...name, after },
        {
          signal,
          onEvents(events) {
            after = events.at(-1)?.cursor ?? after
            for (const uri of changedBy(events)) onChange(uri)
          },
        },
      )
    } catch (error) {
      // Calls report the error; here we only wait. In another store all events are new.
      if (error instanceof AppError && error.code === "store.gone") after = BEGINNING
      await waitForIt()
    }
  }
}
