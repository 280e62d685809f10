import { AppError } from "../../kernel/errors.ts"
import { sleep } from "../../lib/sleep.ts"
import { followEvents, listEvents } from "../../teams/operations/list-events.ts"
import { changedBy } from "./resources.ts"
import type { Connection } from "./tool-session.ts"

/** A team that is not there yet, or a store that is not there now, is looked for again. */
const RETRY_MS = 1000
const BEGINNING = "0"

export interface Listener {
  readonly signal: AbortSignal
  readonly onChange: (uri: string) => void
  /** From now on nothing is missed; called also when there is nothing to look at yet. */
  readonly onReady: () => void
}

/** Names each resource whenever something happened that may have changed it, until the signal fires. */
export async function noticeChanges(connection: Connection, { signal, onChange, onReady }: Listener): Promise<void> {
  const { hasStore } = await connection.session.configured()
  let after: string | undefined
  const waitForIt = async () => {
    // Once it is there, all that is in it came after whoever listens.
    after ??= BEGINNING
    onReady()
    await sleep(RETRY_MS, signal)
  }
  while (!signal.aborted) {
    try {
      // To look for changes is no reason to make one.
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
      // What is wrong is said by the calls; here it is only waited for. In another store all is new.
      if (error instanceof AppError && error.code === "store.gone") after = BEGINNING
      await waitForIt()
    }
  }
}
