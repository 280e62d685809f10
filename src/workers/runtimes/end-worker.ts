import { AppError } from "../../kernel/errors.ts"
import { identityOf, isRunning } from "../../lib/process/process-identity.ts"
import { descendantsOf, processesMarked } from "../../lib/process/process-tree.ts"
import { sleep } from "../../lib/sleep.ts"
import type { WorkerProcess } from "./port.ts"

export interface Ending {
  readonly worker: string
  /** Null when nobody knows it, or it never was. */
  readonly process: WorkerProcess | null
  /** What it and everything it starts bears, `NAME=value`. */
  readonly mark: string
  readonly graceMs: number
  readonly env: Readonly<Record<string, string | undefined>>
}

const LOOK_MS = 10
const MAX_WAITING_FOR_DEATH_MS = 10_000

/** Asks a worker to end; then, or when its time is up, ends everything it started. Resolves when nothing is left. */
export async function endWorker({ worker, process: leader, mark, graceMs, env }: Ending): Promise<void> {
  const lives = () => leader !== null && isRunning({ pid: leader.pid, start: leader.processStart })
  // Who wiped its environment is found as a child as long as its parent lives.
  let tree = lives() && leader !== null ? treeOf(leader.pid, env) : []
  if (leader !== null && lives() && graceMs > 0) {
    signal(leader.pid, "SIGTERM")
    const deadline = performance.now() + graceMs
    while (lives() && performance.now() < deadline) await sleep(LOOK_MS)
  }
  if (leader !== null && lives()) {
    tree = [...tree, ...treeOf(leader.pid, env)]
    // The whole group: its number is ours only as long as its leader lives.
    signal(-leader.pid, "SIGKILL")
    signal(leader.pid, "SIGKILL")
  }
  const deadline = performance.now() + MAX_WAITING_FOR_DEATH_MS
  for (;;) {
    const marked = processesMarked(mark, env)
    const known = tree.filter(isRunning).map(({ pid }) => pid)
    const left = [...new Set([...marked, ...known])].filter((pid) => pid !== process.pid)
    if (left.length === 0 && !lives()) return
    if (performance.now() > deadline)
      throw new AppError("runtime.failed", `${worker} cannot be ended: process ${left.join(", ")} does not go away`)
    for (const pid of left) signal(pid, "SIGKILL")
    await sleep(LOOK_MS)
  }
}

function treeOf(pid: number, env: Ending["env"]) {
  return descendantsOf(pid, env).map(identityOf)
}

function signal(target: number, name: NodeJS.Signals): void {
  try {
    process.kill(target, name)
  } catch {
    // It is gone already.
  }
}
