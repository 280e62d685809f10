import { appendFile } from "node:fs/promises"
import type { Host } from "../../app/host.ts"
import { oneLine } from "../../lib/text/table.ts"

/** The log is for whoever asks why a hook did nothing; it begins anew at this length. */
const MOST_BYTES = 1_000_000

/** Never fails: a hook has nobody to tell. */
export async function logFailure(
  { home, clock }: Pick<Host, "home" | "clock">,
  call: { readonly host: string; readonly event: string },
  error: unknown,
): Promise<void> {
  const path = `${home}/hooks.log`
  const why = oneLine(error instanceof Error ? error.message : String(error)).slice(0, 500)
  const line = `${new Date(clock.now()).toISOString()} ${call.host} ${oneLine(call.event).slice(0, 50)}: ${why}\n`
  try {
    if (Bun.file(path).size > MOST_BYTES) await Bun.write(path, line)
    else await appendFile(path, line)
  } catch {
    // There may be no home at all.
  }
}
