import { closeSync, openSync } from "node:fs"
import { AppError } from "../../../kernel/errors.ts"
import { identityOf } from "../../../lib/process/process-identity.ts"
import type { Runtime, RuntimeSetup, WorkerLaunch } from "../port.ts"
import { checkLaunch, makeRuntimeBase, watchExits } from "../runtime-base.ts"

export function makeChildRuntime(setup: RuntimeSetup): Runtime {
  const base = makeRuntimeBase(setup)
  const { markOf } = base
  const watched = watchExits((worker) => base.reportExit({ worker, code: null, signal: null }))
  const children = new Map<number, Bun.Subprocess>()
  const stop: Runtime["stop"] = async (worker, process, { graceMs }) => {
    await base.end(worker, process, graceMs)
    watched.look()
    // Reports its exit before `stop` resolves.
    if (process !== null) await children.get(process.pid)?.exited
  }
  return {
    name: "child",
    unavailable: async () => null,
    async start(launch) {
      const { worker } = launch
      await stop(worker, null, { graceMs: 0 })
      checkLaunch(launch)
      const child = spawn(launch, markOf(worker), () => base.beginLog(launch))
      children.set(child.pid, child)
      void child.exited.then(() => {
        children.delete(child.pid)
        const signal = child.signalCode === null ? null : String(child.signalCode)
        base.reportExit({ worker, code: child.exitCode, signal })
      })
      const { pid, start } = identityOf(child.pid)
      return { pid, processStart: start, pane: null }
    },
    watch: (worker, process) => watched.add(worker, process),
    isRunning: base.isRunning,
    stop,
    findLeft: async (workers) => base.findLeftProcesses(workers),
    onExit: base.onExit,
    attachCommand: async () => null,
    async [Symbol.asyncDispose]() {
      watched[Symbol.dispose]()
      for (const child of children.values()) child.unref()
    },
  }
}

function spawn({ worker, command, cwd, env, logFile }: WorkerLaunch, mark: string, beginLog: () => void) {
  try {
    beginLog()
    const log = openSync(logFile, "a", 0o600)
    try {
      const streams = { stdin: "ignore", stdout: log, stderr: log } as const
      return Bun.spawn([...command], { cwd, env: { ...env, [mark]: "1" }, ...streams, detached: true })
    } finally {
      closeSync(log)
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new AppError("runtime.failed", `${worker} cannot be started: ${why}`, { worker }, { cause: error })
  }
}
