import { sleep } from "../sleep.ts"
import { descendantsOf, processesMarked } from "./process-tree.ts"

const MAX_WAITING_FOR_DEATH_MS = 5000

/** Ends every process that was started with `NAME=value` in its environment, and all that they started. */
export async function endMarked(marker: string, env: Readonly<Record<string, string | undefined>>): Promise<void> {
  const deadline = performance.now() + MAX_WAITING_FOR_DEATH_MS
  while (performance.now() < deadline) {
    const marked = processesMarked(marker, env)
    if (marked.length === 0) return
    for (const pid of [...marked.flatMap((each) => descendantsOf(each, env)), ...marked]) {
      try {
        process.kill(pid, "SIGKILL")
      } catch {
        // It is gone already.
      }
    }
    await sleep(5)
  }
}
