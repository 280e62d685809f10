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
import { findAttempt } from "../../workers/operations/worker-workspace.ts"
import type { WorkerProcess } from "../../workers/runtimes/port.ts"
import { findProcess, isStarting } from "../../workers/swarm/liveness.ts"
import { removeWorktree } from "../../workers/swarm/worktrees.ts"
import type { Worker } from "../../workers/worker.ts"
import type { EngineWorker } from "../actions.ts"
import type { EngineFacts } from "../operations/read-engine.ts"
import type { OrchestratorOptions, OrchestratorPorts } from "./engine-ports.ts"

/** The processes of the team's workers on this machine, including those of an earlier orchestrator. */
export interface WorkerPool {
  /** All workers of the store. */
  look(facts: Pick<EngineFacts, "workers" | "now">, history: History): EngineWorker[]
  start(worker: WorkerId | null, role: Role | null): Promise<void>
  /** With all its processes. Its task goes back, its work is kept. */
  stop(worker: WorkerId, end: WorkerEnd): Promise<void>
  /** The same beside the loop; nothing if already under way. */
  dismiss(worker: WorkerId, end: WorkerEnd): void
  /** Safe to repeat with less patience while the first call waits. */
  stopAll(end: Pick<WorkerEnd, "reason" | "graceMs">): Promise<void>
  /** At the end; their contents are pinned. */
  removeWorktrees(): Promise<void>
}

export interface WorkerEnd {
  readonly how: "stopped" | "crashed" | "unresponsive"
  readonly reason: string
  readonly graceMs: number
}

interface KnownProcess extends WorkerProcess {
  readonly startsBefore: number
}

export function makeWorkerPool(ports: OrchestratorPorts, options: OrchestratorOptions): WorkerPool {
  const { context, runtime } = ports
  const name = { project: options.project, team: options.team, run: options.run }
  /** Started by us, or found running. */
  const processes = new Map<WorkerId, KnownProcess>()
  /** As of the last look. Only workers of this team; others may have worktrees here too. */
  const starts = new Map<WorkerId, number>()
  const dismissed = new Map<WorkerId, Promise<void>>()
  /** Gone at our first look: without an orchestrator nothing saw them fail. */
  const endedUnseen = new Set<WorkerId>()
  let hasLooked = false

  function isRunning(worker: Worker, fact: WorkerFact | undefined, now: number): boolean | null {
    const known = processes.get(worker.id)
    // The events do not have a process yet that we have just started.
    const isOld = known !== undefined && (fact?.starts ?? 0) <= known.startsBefore
    if (fact?.exitedAt != null && fact.spawned === null && !isOld) {
      processes.delete(worker.id)
      return isStarting(worker, now)
    }
    const recorded = findProcess(fact)
    if (recorded?.machine === ports.self.machine && known?.pid !== recorded.pid) {
      runtime.watch(worker.id, recorded)
      processes.set(worker.id, { ...recorded, startsBefore: -1 })
      const isThere = runtime.isRunning(recorded)
      if (!isThere && !hasLooked) endedUnseen.add(worker.id)
      return isThere
    }
    if (known !== undefined) return runtime.isRunning(known)
    return worker.status === "spawning" ? isStarting(worker, now) : null
  }

  /** Pins the contents of the worktree, then sets the worker's task back. */
  async function giveBack(worker: WorkerId, kind: SetbackKind, reason: string): Promise<void> {
    const { workspaces } = ports.workspaces
    await unlessBusy(ports, worker, async () => {
      if ((await workspaces.find(worker)) !== undefined) await workspaces.pin({ worker })
    })
    // Read now: it may have delivered the task since the last look.
    const current = await findAttempt(context, { ...name, workerId: worker })
    if (current === null) return
    const setback = { worker, owner: worker, agent: null, kind, reason, advice: null, limits: options.limits }
    await setBack(context, { ...name, ...setback, taskId: current.task as TaskId }).catch((error) => {
      // Another worker has it by now, or it just ended.
      if (!hasCode(error, ["claim.lost", "task.transition"])) throw error
    })
  }

  async function stop(worker: WorkerId, { how, reason, graceMs }: WorkerEnd): Promise<void> {
    // Even without its process: its agent may still run in the worktree.
    await runtime.stop(worker, processes.get(worker) ?? null, { graceMs })
    processes.delete(worker)
    endedUnseen.delete(worker)
    await giveBack(worker, how === "stopped" ? "interrupted" : "lost", reason)
    await noteWorkerExited(context, { ...name, by: ENGINE, worker, reason: how, detail: reason })
  }

  return {
    look({ workers, now }, history) {
      const seen = workers.map((worker) => {
        const { id, role, status: availability, currentTask, lastHeartbeat } = worker
        const fact = history.workers.get(id)
        starts.set(id, fact?.starts ?? 0)
        const base = { id, role, availability, currentTask, activeAt: Date.parse(lastHeartbeat) }
        return { ...base, isRunning: isRunning(worker, fact, now), endedUnseen: endedUnseen.has(id) }
      })
      hasLooked = true
      return seen
    },
    async start(id, role) {
      // The previous process is still stopping. Starting now would misattribute its exit.
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
        const workerId = worker as WorkerId
        if (starts.has(workerId))
          await unlessBusy(ports, workerId, () => removeWorktree(context, ports.workspaces, { ...name, workerId }))
      }
    },
  }
}

/** A failed start counts as a crash: retried after a while, but not forever. */
async function launchWorker(
  { context, runtime, launch, say, self }: OrchestratorPorts,
  { worker, role, ...name }: TeamName & { readonly worker: WorkerId; readonly role: Role | null },
): Promise<WorkerProcess | undefined> {
  try {
    const { pid, processStart, pane } = await runtime.start(launch(worker, role))
    // At once, so that another orchestrator knows the process before the worker reports itself.
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

/**
 * Leaves the worktree of a hanging process alone: the next worker keeps its contents. First removes a lock of a
 * killed git.
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
