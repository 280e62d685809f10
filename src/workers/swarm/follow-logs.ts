import { dirname } from "node:path"
import type { Context } from "../../store/operation.ts"
import { watchFolders } from "./watch-folders.ts"
import type { LogItem, Logs } from "./worker-logs.ts"

/** Where the system reports no changes, and for a run without a folder yet. */
export const LOOK_AGAIN_MS = 1000

/** Until the logs are over, or the signal fires. */
export async function followLogs(
  { store }: Context,
  logs: Logs,
  { onItems, signal }: { readonly onItems: (items: readonly LogItem[]) => void; readonly signal: AbortSignal },
): Promise<void> {
  await using changes = await store.watch()
  using folders = watchFolders()
  while (!signal.aborted) {
    const woken = folders.arm(logs.files.map(dirname))
    // Before the read, so that the last read sees everything.
    const isLast = await logs.isOver()
    const items = await logs.read()
    if (items.length > 0) onItems(items)
    if (isLast) return
    await changes.next(LOOK_AGAIN_MS, AbortSignal.any([woken, signal]))
  }
}
