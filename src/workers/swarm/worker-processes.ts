import { AppError } from "../../kernel/errors.ts"
import type { WorkerId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import { readHistory } from "../../reporting/operations/read-history.ts"
import type { Context } from "../../store/operation.ts"
import { swarmStatus } from "../operations/swarm-status.ts"
import type { WorkerProcess } from "../runtimes/port.ts"
import type { Worker } from "../worker.ts"
import { findProcess, isAlive, isStarting } from "./liveness.ts"
import type { RuntimeName } from "./worker-launch.ts"

/** Started by teamwork, not a session of a person. */
export interface KnownWorker {
  readonly id: WorkerId
  readonly worker: Worker
  readonly runtime: RuntimeName
  /** `gone`: dead, and not recorded yet. A process of another machine counts as running until its end is recorded. */
  readonly state: "spawning" | "running" | "gone" | "ended"
  readonly machine: string | null
  /** Useless here when it is on another machine. */
  readonly process: WorkerProcess | null
}

/** As seen from this machine. */
export async function listKnownWorkers(context: Context, name: TeamName, here: string): Promise<KnownWorker[]> {
  const { history } = await readHistory(context, name, ["worker.spawned", "worker.started", "worker.exited"])
  const { workers } = await swarmStatus.run(context, name)
  const now = await context.store.read((tx) => tx.now())
  return workers.flatMap((worker): KnownWorker[] => {
    const { id, status, pane } = worker
    const fact = history.workers.get(id)
    if (fact === undefined && status !== "spawning") return []
    const process = findProcess(fact)
    // A worker in a person's terminal ends like any child.
    const runtime = pane !== null || process?.runtime === "tmux" ? "tmux" : "child"
    const machine = process?.machine ?? null
    const isOver = status === "stopped" || status === "dead" || (process === null && status !== "spawning")
    const isThere = process === null ? isStarting(worker, now) : machine !== here || isAlive({ id, ...process }, here)
    const state = isOver ? "ended" : !isThere ? "gone" : status === "spawning" ? "spawning" : "running"
    return [{ id, worker, runtime, machine, process, state }]
  })
}

/** Throws for an unknown worker, or one on another machine. */
export function getWorkerHere(known: readonly KnownWorker[], id: WorkerId, here: string, what: string): KnownWorker {
  const found = known.find((each) => each.id === id)
  if (found === undefined)
    throw new AppError(
      "worker.not_found",
      `${id} is not a worker that teamwork started`,
      { workerId: id },
      { remedy: { operation: "swarm status", to: "see" } },
    )
  if (found.state === "running" && found.machine !== here)
    throw new AppError("worker.unavailable", `${id} runs on ${found.machine}; ${what} there`, { workerId: id })
  return found
}
