import { Database } from "bun:sqlite"
import { codeOf } from "./error-code.ts"

const PAUSE_MS = 20

/**
 * Holds a lock between processes until it is disposed of; undefined when another process keeps it for longer than
 * `patienceMs`. The system releases it when the process ends, so no stale lock is left. The file itself stays, empty.
 */
export async function holdLock(
  path: string,
  { patienceMs, sleep }: { readonly patienceMs: number; readonly sleep: (ms: number) => Promise<unknown> },
): Promise<Disposable | undefined> {
  // SQLite's locks work on every system, and also within one process.
  const file = new Database(path)
  for (let waited = 0; ; waited += PAUSE_MS) {
    try {
      // Nothing is ever written, so no journal file is needed.
      file.run("pragma journal_mode = memory")
      file.run("begin exclusive")
      return { [Symbol.dispose]: () => file.close() }
    } catch (error) {
      const isHeld = codeOf(error) === "SQLITE_BUSY"
      if (!isHeld || waited >= patienceMs) {
        file.close()
        if (isHeld) return undefined
        throw error
      }
      await sleep(PAUSE_MS)
    }
  }
}
