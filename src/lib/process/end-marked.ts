import { sleep } from "../sleep.ts"
import { descendantsOf, processesMarked } from "./process-tree.ts"

const MAX_WAITING_FOR_DEATH_MS = 5000

/** Kills every process that has `NAME=value` in its environment, and their descendants. */
export async function endMarked(marker: string, env: Readonly<Record<string, string | undefined>>): Promise<void> {
  const deadline = performance.now() + MAX_WAITING_FOR_DEATH_MS
  while (performance.now() < deadline) {
    const marked = processesMarked(marker, env)
    if (marked.length === 0) return
    for (const pid of [...marked.flatMap((each) => descendantsOf(each, env)), ...marked]) {
      try {
        process.kill(pid, "SIGKILL")
      } catch {
        // It has ended already.
      }
    }
    await sleep(5)
  }
}
