import { sleep } from "../../lib/sleep.ts"
import { followEvents, listEvents } from "../../operations/events.ts"
import type { Connection } from "./connection.ts"
import { changedBy } from "./resources.ts"

/** A team that is not there yet, or a store that is not there now, is looked for again. */
const RETRY_MS = 1000

/** Names each resource whenever something happened that may have changed it, until the signal fires. */
export async function noticeChanges(
  connection: Connection,
  { signal, onChange }: { readonly signal: AbortSignal; readonly onChange: (uri: string) => void },
): Promise<void> {
  const { hasStore } = await connection.session.configured()
  let after: string | undefined
  while (!signal.aborted) {
    try {
      // To look for changes is no reason to make one.
      if (!(await hasStore())) {
        await sleep(RETRY_MS, signal)
        continue
      }
      const { project, team } = await connection.who()
      const name = { project, team }
      const context = await connection.sessionFor({ signal, onOutput: () => {} }).context()
      after ??= (await listEvents.run(context, { ...name, limit: 1 })).cursor
      await followEvents(
        context,
        { ...name, after },
        {
          signal,
          onEvents(events) {
            after = events.at(-1)?.cursor
            for (const uri of changedBy(events)) onChange(uri)
          },
        },
      )
    } catch {
      // What is wrong is said by the calls; here it is only waited for.
      await sleep(RETRY_MS, signal)
    }
  }
}
