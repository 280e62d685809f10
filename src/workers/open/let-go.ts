import type { Attempt } from "../../git/port.ts"
import type { Shift } from "../loop/shift.ts"

const LOOK_AGAIN_MS = 200
/** Beyond the time in which a worker notices at the latest that it lost its claim. */
const MORE_MS = 10_000

/**
 * Waits until the worker that had the task has ended its agent, kept its work and let go of the attempt. A worker that
 * is gone, or too slow, is not waited for: whoever takes the workspace over keeps what it holds.
 */
export async function untilLetGo(
  { ports, options, history }: Shift,
  worker: string,
  { task, attempt }: Attempt,
): Promise<void> {
  const fact = (await history.read()).workers.get(worker)
  if (fact === undefined || !ports.isAlive(fact)) return
  const deadline = ports.clock.now() + options.settings.renewSeconds * 1000 + MORE_MS
  while (ports.clock.now() < deadline) {
    const found = await ports.workspaces.find(worker)
    if (found?.attempt?.task !== task || found.attempt.attempt !== attempt || !ports.isAlive(fact)) return
    await ports.sleep(LOOK_AGAIN_MS)
  }
}
