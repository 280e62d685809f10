import { Database } from "bun:sqlite"

const PAUSE_MS = 20

/**
 * Holds a lock that other processes respect, until disposal; undefined when somebody else keeps it for longer than
 * `patienceMs`. The system ends it with the process that holds it, however that ends: no lock is ever left over. The
 * file stays, is empty and means nothing by itself.
 */
export async function holdLock(
  path: string,
  { patienceMs, sleep }: { readonly patienceMs: number; readonly sleep: (ms: number) => Promise<unknown> },
): Promise<Disposable | undefined> {
  // SQLite locks files in the one way that works on every system, also among parts of one process.
  const file = new Database(path)
  for (let waited = 0; ; waited += PAUSE_MS) {
    try {
      // Nothing is ever written to it, so there is nothing to undo, and no file to keep that in.
      file.run("pragma journal_mode = memory")
      file.run("begin exclusive")
      return { [Symbol.dispose]: () => file.close() }
    } catch (error) {
      const isHeld = error instanceof Error && "code" in error && error.code === "SQLITE_BUSY"
      if (!isHeld || waited >= patienceMs) {
        file.close()
        if (isHeld) return undefined
        throw error
      }
      await sleep(PAUSE_MS)
    }
  }
}
