import { AppError } from "../../kernel/errors.ts"
import { fileIdentity } from "../../lib/file-identity.ts"
import { sleep } from "../../lib/sleep.ts"
import type { Watch } from "../port.ts"
import type { Connection } from "./connection.ts"
import { untilWritten } from "./log-watch.ts"

// The log is written before the commit becomes visible. The disk may take long in between.
const LOOKS_AFTER_WRITE_MS = [0, 1, 2, 4, 8, 16, 32, ...Array.from({ length: 40 }, () => 50)]

export function openWatch(connection: Connection, path: string): Watch {
  let seen = connection.version()
  const isBehind = () => connection.version() !== seen
  const hasChanged = () => {
    const before = seen
    seen = connection.version()
    return seen !== before
  }
  const file = fileIdentity(path)
  const isThere = () => path === ":memory:" || (file !== undefined && file === fileIdentity(path))
  return {
    async next(timeoutMs, signal) {
      const deadline = performance.now() + timeoutMs
      while (!hasChanged()) {
        const ms = deadline - performance.now()
        if (ms <= 0 || signal?.aborted === true) return false
        const isWritten = await untilWritten(`${path}-wal`, { ms, signal, isBehind })
        for (const pause of isWritten ? LOOKS_AFTER_WRITE_MS : []) {
          if (isBehind()) break
          await sleep(pause, signal)
        }
        if (!isBehind() && !isThere()) throw gone(path)
      }
      return true
    },
    async [Symbol.asyncDispose]() {},
  }
}

/** Further waiting would never end: no process writes to that file any more. */
function gone(path: string): AppError {
  return new AppError("store.gone", `${path} was removed or replaced while it was in use; start again`, { place: path })
}
