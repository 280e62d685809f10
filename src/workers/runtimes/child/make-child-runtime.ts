import { closeSync, openSync } from "node:fs"
import { AppError } from "../../../kernel/errors.ts"
import type { Clock } from "../../../lib/clock.ts"
import { identityOf, isRunning } from "../../../lib/process/process-identity.ts"
import { workerMark } from "../../../lib/process/worker-mark.ts"
import { beginLog } from "../begin-log.ts"
import { checkLaunch } from "../check-launch.ts"
import { endWorker } from "../end-worker.ts"
import { findRemains } from "../find-remains.ts"
import type { Runtime, WorkerLaunch } from "../port.ts"
import type { RuntimeSetup } from "../runtime-setup.ts"
import { makeListeners, watchExits } from "../watch-exits.ts"

/** Workers as processes of their own, each in a session of its own. */
export function makeChildRuntime({ owner, clock, env }: RuntimeSetup): Runtime {
  const listeners = makeListeners()
  const adopted = watchExits((worker) => listeners.tell({ worker, code: null, signal: null }))
  const children = new Map<number, Bun.Subprocess>()
  const markOf = (worker: string) => workerMark(...owner, worker)
  const stop: Runtime["stop"] = async (worker, process, { graceMs }) => {
    await endWorker({ worker, process, mark: `${markOf(worker)}=1`, graceMs, env })
    adopted.look()
    // Nothing is left of it, so this is a matter of moments: who stops it has heard of its end.
    if (process !== null) await children.get(process.pid)?.exited
  }
  return {
    name: "child",
    unavailable: async () => null,
    async start(launch) {
      await stop(launch.worker, null, { graceMs: 0 })
      checkLaunch(launch)
      const child = spawn(launch, { [markOf(launch.worker)]: "1" }, clock)
      children.set(child.pid, child)
      void child.exited.then(() => {
        children.delete(child.pid)
        const signal = child.signalCode === null ? null : String(child.signalCode)
        listeners.tell({ worker: launch.worker, code: child.exitCode, signal })
      })
      const { pid, start } = identityOf(child.pid)
      return { pid, processStart: start, pane: null }
    },
    adopt: (worker, process) => adopted.add(worker, process),
    isRunning: ({ pid, processStart }) => isRunning({ pid, start: processStart }),
    stop,
    remains: async (workers) => findRemains(workers, { markOf, env }),
    onExit: listeners.add,
    attachCommand: async () => null,
    async [Symbol.asyncDispose]() {
      adopted[Symbol.dispose]()
      for (const child of children.values()) child.unref()
    },
  }
}

function spawn({ worker, command, cwd, env, logFile }: WorkerLaunch, mark: Record<string, string>, clock: Clock) {
  try {
    beginLog(logFile, { worker, clock })
    const log = openSync(logFile, "a", 0o600)
    try {
      const streams = { stdin: "ignore", stdout: log, stderr: log } as const
      return Bun.spawn([...command], { cwd, env: { ...env, ...mark }, ...streams, detached: true })
    } finally {
      closeSync(log)
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new AppError("runtime.failed", `${worker} cannot be started: ${why}`, { worker }, { cause: error })
  }
}
