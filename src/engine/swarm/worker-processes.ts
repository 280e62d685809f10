import type { WorkerFact } from "../../domain/history.ts"
import type { WorkerId } from "../../domain/ids.ts"
import type { TeamName } from "../../domain/team.ts"
import type { Worker } from "../../domain/worker.ts"
import { isRunning } from "../../lib/process-identity.ts"
import type { Context } from "../../operations/operation.ts"
import { readHistory } from "../../operations/read-history.ts"
import { swarmStatus } from "../../operations/swarm-status.ts"
import type { WorkerProcess } from "../../runtime/port.ts"
import type { RuntimeName } from "./worker-launch.ts"

/** A worker that teamwork itself started, or is about to: sessions of people are none. */
export interface KnownWorker {
  readonly id: WorkerId
  readonly worker: Worker
  readonly runtime: RuntimeName
  /** `running` also where we cannot look and nobody told of its end. */
  readonly state: "spawning" | "running" | "gone" | "ended"
  /** Of another machine it says nothing that could be used here. */
  readonly machine: string | null
  readonly process: WorkerProcess | null
}

/** The workers of a team with how their processes stand, as seen from this machine. */
export async function listKnownWorkers(context: Context, name: TeamName, machine: string): Promise<KnownWorker[]> {
  const { history } = await readHistory(context, name, ["worker.started", "worker.exited"])
  const { workers } = await swarmStatus.run(context, name)
  return workers.flatMap((worker) => {
    const fact = history.workers.get(worker.id)
    const isStarted = fact !== undefined && fact.startedAt !== null
    if (!isStarted && worker.status !== "spawning") return []
    const runtime: RuntimeName = isStarted ? (fact.runtime as RuntimeName) : worker.pane === null ? "child" : "tmux"
    const process = isStarted ? processOf(fact) : null
    const known = { id: worker.id, worker, runtime, machine: fact?.machine ?? null, process }
    return [{ ...known, state: stateOf(worker, fact, machine) }]
  })
}

function stateOf(worker: Worker, fact: WorkerFact | undefined, machine: string): KnownWorker["state"] {
  if (worker.status === "spawning") return "spawning"
  if (fact === undefined || fact.exitedAt !== null) return "ended"
  const process = processOf(fact)
  if (fact.machine !== machine || process === null) return "running"
  return isRunning({ pid: process.pid, start: process.processStart }) ? "running" : "gone"
}

function processOf({ pid, processStart }: WorkerFact): WorkerProcess | null {
  return pid === null || processStart === null ? null : { pid, processStart }
}
