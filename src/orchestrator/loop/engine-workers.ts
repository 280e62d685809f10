import { ENGINE } from "../../kernel/actor.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TaskId, WorkerId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { History } from "../../reporting/history.ts"
import type { WorkerFact } from "../../reporting/history-facts.ts"
import { setBack } from "../../tasks/operations/set-back.ts"
import type { SetbackKind } from "../../tasks/retry.ts"
import type { Role } from "../../tasks/task.ts"
import { noteWorkerExited, noteWorkerSpawned, spawnWorker } from "../../workers/operations/worker-life.ts"
import { workerAttempt } from "../../workers/operations/worker-workspace.ts"
import type { WorkerProcess } from "../../workers/runtimes/port.ts"
import { removeWorktree } from "../../workers/swarm/worktrees.ts"
import type { Worker } from "../../workers/worker.ts"
import type { EngineWorker } from "../actions.ts"
import type { EngineFacts } from "../operations/read-engine.ts"
import type { OrchestratorOptions, OrchestratorPorts } from "./engine-ports.ts"

/** The processes of the team's workers on this machine, those that an earlier orchestrator started among them. */
export interface WorkerPool {
  /** Each worker that the store knows, with how its process stands. */
  look(facts: Pick<EngineFacts, "workers" | "now">, history: History): EngineWorker[]
  start(worker: WorkerId | null, role: Role | null): Promise<void>
  /** Ends its process and whatever that started; what it held goes back, what it wrote is kept. */
  stop(worker: WorkerId, end: WorkerEnd): Promise<void>
  /** The same beside the loop; nothing when that is under way already. */
  dismiss(worker: WorkerId, end: WorkerEnd): void
  /** All that run. Safe to repeat with less patience while the first call waits. */
  stopAll(end: Pick<WorkerEnd, "reason" | "graceMs">): Promise<void>
  /** Of all workers, at the end; what they hold is pinned. */
  removeWorktrees(): Promise<void>
}

export interface WorkerEnd {
  /** As in the event. */
  readonly how: "stopped" | "crashed" | "unresponsive"
  readonly reason: string
  readonly graceMs: number
}

/** By worker: started by us, or found running. */
interface KnownProcess extends WorkerProcess {
  /** How often the worker had been started before. */
  readonly startsBefore: number
}

/** A process that was started this long ago and has not said so is taken for dead. */
const SPAWN_MS = 15_000

export function makeWorkerPool(ports: OrchestratorPorts, options: OrchestratorOptions): WorkerPool {
  const { context, runtime } = ports
  const name = { project: options.project, team: options.team, run: options.run }
  const processes = new Map<WorkerId, KnownProcess>()
  /** How often each was started, as of the last look. */
  const starts = new Map<WorkerId, number>()
  /** Of this team; others may have worktrees here too. */
  const own = new Set<WorkerId>()
  const dismissed = new Map<WorkerId, Promise<void>>()
  /** Whose processes were gone at our first look. Nobody led then, so nobody saw them fail. */
  const endedUnseen = new Set<WorkerId>()
  let hasLooked = false

  function isRunning(worker: Worker, fact: WorkerFact | undefined, now: number): boolean | null {
    const known = processes.get(worker.id)
    // One that we have just started has not said so yet; what is told is of the one before.
    const isOld = known !== undefined && (fact?.starts ?? 0) <= known.startsBefore
    if (fact?.exitedAt != null && fact.spawned === null && !isOld) {
      processes.delete(worker.id)
      return worker.status === "spawning" ? isSpawning(worker, now) : false
    }
    const told = processOf(fact, ports.self.machine)
    if (told !== undefined && known?.pid !== told.pid) {
      runtime.adopt(worker.id, told)
      processes.set(worker.id, { ...told, startsBefore: -1 })
      const isThere = runtime.isRunning(told)
      if (!isThere && !hasLooked) endedUnseen.add(worker.id)
      return isThere
    }
    if (known !== undefined) return runtime.isRunning(known)
    return worker.status === "spawning" ? isSpawning(worker, now) : null
  }

  /** Keeps what its worktree holds, then lets others have its task. */
  async function giveBack(worker: WorkerId, kind: SetbackKind, reason: string): Promise<void> {
    const { workspaces } = ports.workspaces
    await unlessBusy(ports, worker, async () => {
      if ((await workspaces.find(worker)) !== undefined) await workspaces.pin({ worker })
    })
    // Not as of the last look: it may have delivered that task since, which is not done again.
    const current = await workerAttempt.run(context, { ...name, workerId: worker })
    if (current === null) return
    const setback = { worker, owner: worker, agent: null, kind, reason, advice: null, limits: options.limits }
    await setBack(context, { ...name, ...setback, taskId: current.task as TaskId }).catch((error) => {
      // Somebody else has it by now, or it ended in the very moment.
      if (!hasCode(error, ["claim.lost", "task.transition"])) throw error
    })
  }

  async function stop(worker: WorkerId, { how, reason, graceMs }: WorkerEnd): Promise<void> {
    // Also where its process is gone: its agent may live on, in a worktree that is somebody else's soon.
    await runtime.stop(worker, processes.get(worker) ?? null, { graceMs })
    processes.delete(worker)
    endedUnseen.delete(worker)
    await giveBack(worker, how === "stopped" ? "interrupted" : "lost", reason)
    await noteWorkerExited(context, { ...name, by: ENGINE, worker, reason: how, detail: reason })
  }

  return {
    look({ workers, now }, history) {
      const seen = workers.map((worker) => {
        own.add(worker.id)
        starts.set(worker.id, history.workers.get(worker.id)?.starts ?? 0)
        const isThere = isRunning(worker, history.workers.get(worker.id), now)
        return { ...describe(worker), isRunning: isThere, endedUnseen: endedUnseen.has(worker.id) }
      })
      hasLooked = true
      return seen
    },
    async start(id, role) {
      // Its end is still being seen to, and would be taken for that of the next one.
      if (id !== null && dismissed.has(id)) return
      const worker = await spawnWorker(context, { ...name, id, role })
      const started = await launchWorker(ports, { ...name, worker, role })
      if (started !== undefined) processes.set(worker, { ...started, startsBefore: starts.get(worker) ?? 0 })
    },
    stop,
    dismiss(worker, end) {
      if (dismissed.has(worker)) return
      const stopped = stop(worker, end)
        .catch((error) => ports.say(`${worker} was not stopped: ${error instanceof Error ? error.message : error}`))
        .finally(() => dismissed.delete(worker))
      dismissed.set(worker, stopped)
    },
    async stopAll({ reason, graceMs }) {
      await Promise.all([...processes.keys()].map((worker) => stop(worker, { how: "stopped", reason, graceMs })))
      await Promise.all(dismissed.values())
    },
    async removeWorktrees() {
      for (const { worker } of await ports.workspaces.workspaces.list()) {
        if (own.has(worker as WorkerId)) {
          const workerId = worker as WorkerId
          await unlessBusy(ports, workerId, () => removeWorktree(context, ports.workspaces, { ...name, workerId }))
        }
      }
    },
  }
}

/** An orchestrator before us may have started it in its last moment. */
function isSpawning({ lastHeartbeat }: Worker, now: number): boolean {
  return now - Date.parse(lastHeartbeat) < SPAWN_MS
}

function describe({ id, role, status, currentTask, lastHeartbeat }: Worker): Omit<EngineWorker, "isRunning"> {
  return { id, role, availability: status, currentTask, activeAt: Date.parse(lastHeartbeat) }
}

/** Undefined when it could not be started: like a crash, that is tried again after a while, and not for ever. */
async function launchWorker(
  { context, runtime, launch, say, self }: OrchestratorPorts,
  { worker, role, ...name }: TeamName & { readonly worker: WorkerId; readonly role: Role | null },
): Promise<WorkerProcess | undefined> {
  try {
    const { pid, processStart, pane } = await runtime.start(launch(worker, role))
    // It says so itself only with its first task; until then whoever takes over from us would not know of it.
    const process = { runtime: runtime.name, machine: self.machine, pid, process_start: processStart }
    await noteWorkerSpawned(context, { ...name, by: ENGINE, worker, ...process, pane })
    return { pid, processStart }
  } catch (error) {
    if (!(error instanceof AppError && error.code.startsWith("runtime."))) throw error
    say(`${worker} could not be started: ${error.message}`)
    await noteWorkerExited(context, { ...name, by: ENGINE, worker, reason: "crashed", detail: error.message })
    return undefined
  }
}

/** Undefined when it ended, or runs where we cannot look. */
function processOf(fact: WorkerFact | undefined, machine: string): WorkerProcess | undefined {
  if (fact === undefined) return undefined
  if (fact.spawned !== null) return fact.spawned.machine === machine ? fact.spawned : undefined
  if (fact.exitedAt !== null || fact.machine !== machine) return undefined
  const { pid, processStart } = fact
  return pid === null || processStart === null ? undefined : { pid, processStart }
}

/**
 * A process that hangs may have its worktree. What is in it stays there, and whoever comes next keeps it. A git that was
 * killed with its worker may have left a lock, which is removed first.
 */
async function unlessBusy(
  { say, workspaces: { workspaces } }: OrchestratorPorts,
  worker: WorkerId,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work().catch(async (error) => {
      if (!hasCode(error, ["git.locked"])) throw error
      await workspaces.examine(true)
      await work()
    })
  } catch (error) {
    if (!hasCode(error, ["workspace.busy", "git.locked"])) throw error
    say(`The worktree of ${worker} is left as it is: ${error.message}`)
  }
}

function hasCode(error: unknown, codes: readonly string[]): error is AppError {
  return error instanceof AppError && codes.includes(error.code)
}
