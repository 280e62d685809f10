import { type FSWatcher, watch as watchFile } from "node:fs"

export interface WatchedFolders extends Disposable {
  /** Fires at the next change in one of these folders; other folders are no longer watched. */
  arm(folders: readonly string[]): AbortSignal
}

export function watchFolders(): WatchedFolders {
  const watchers = new Map<string, FSWatcher>()
  let wake = new AbortController()
  return {
    arm(folders) {
      wake = new AbortController()
      for (const [folder, watcher] of watchers) {
        if (folders.includes(folder)) continue
        watcher.close()
        watchers.delete(folder)
      }
      for (const folder of folders) {
        if (watchers.has(folder)) continue
        try {
          watchers.set(
            folder,
            watchFile(folder, () => wake.abort()),
          )
        } catch {
          // It is not there yet.
        }
      }
      return wake.signal
    },
    [Symbol.dispose]() {
      for (const watcher of watchers.values()) watcher.close()
    },
  }
}
