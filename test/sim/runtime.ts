// Where the workers of the simulation live: each is a process of the world that runs the real worker.
import type { Runtime, WorkerProcess } from "../../src/workers/runtimes/port.ts"
import type { SimProcess, World } from "./world.ts"

export interface SimRuntime {
  /** As one orchestrator has it. */
  of(orchestrator: SimProcess): Runtime
  /** The process, if it is one of a worker and runs. */
  find(process: WorkerProcess): SimProcess | undefined
  /** All that run. */
  running(): readonly SimProcess[]
  /** Ends what the agents of a worker left. */
  endAgents(worker: string): void
}

export interface RuntimeRequest {
  readonly world: World
  /** What a process of this worker does. */
  readonly main: (process: SimProcess, worker: string, role: string | null) => Promise<void>
  readonly agentsOf: (worker: string) => readonly SimProcess[]
}

/** The start of a process tells it from a later one of the same number. */
export function startOf({ startedAt }: SimProcess): string {
  return String(Math.floor(startedAt))
}

export function makeSimRuntime({ world, main, agentsOf }: RuntimeRequest): SimRuntime {
  const started: { readonly worker: string; readonly process: SimProcess }[] = []
  const endAgents = (worker: string) => {
    for (const agent of agentsOf(worker)) agent.kill()
  }
  const find = ({ pid, processStart }: WorkerProcess) =>
    started.find(({ process }) => process.pid === pid && startOf(process) === processStart && isRunning(process))
      ?.process
  const isRunning = ({ state }: SimProcess) => state === "running"
  const endedOf = (process: SimProcess, listener: SimProcess): Promise<void> =>
    new Promise((resolve) => process.onEnd(() => void listener.sleep(1).then(resolve)))
  return {
    find,
    endAgents,
    running: () => started.filter(({ process }) => isRunning(process)).map(({ process }) => process),
    of(orchestrator) {
      const listeners: Parameters<Runtime["onExit"]>[0][] = []
      const tell = (worker: string) => {
        for (const listener of listeners) listener({ worker, code: null, signal: null })
      }
      const hear = (worker: string, process: SimProcess) => {
        void endedOf(process, orchestrator).then(() => tell(worker))
      }
      return {
        name: "child",
        unavailable: async () => null,
        start: (launch) =>
          orchestrator.call("runtime.start", () => {
            const { worker } = launch
            endAgents(worker)
            for (const each of started) if (each.worker === worker) each.process.kill()
            const [, , role = ""] = launch.command
            const process = world.spawn(`worker ${worker}`, (self) => main(self, worker, role === "" ? null : role))
            started.push({ worker, process })
            hear(worker, process)
            return { pid: process.pid, processStart: startOf(process), pane: null }
          }),
        watch(worker, process) {
          const found = find(process)
          if (found !== undefined) hear(worker, found)
          else void orchestrator.sleep(1).then(() => tell(worker))
        },
        isRunning: (process) => find(process) !== undefined,
        async stop(worker, process, { graceMs }) {
          const found = process === null ? undefined : find(process)
          if (found !== undefined) {
            const ended = endedOf(found, orchestrator)
            await orchestrator.call("runtime.terminate", () => found.terminate())
            await Promise.race([ended, orchestrator.sleep(graceMs)])
          }
          await orchestrator.call("runtime.kill", () => {
            found?.kill()
            endAgents(worker)
          })
        },
        findLeft: (workers) =>
          orchestrator.call("runtime.findLeft", () => {
            const left = workers.map((worker) => [worker, agentsOf(worker).map((agent) => agent.name)] as const)
            return new Map(left.filter(([, names]) => names.length > 0))
          }),
        onExit: (listener) => void listeners.push(listener),
        attachCommand: async () => null,
        async [Symbol.asyncDispose]() {},
      }
    },
  }
}
