// Whether a worker is alive. This is the only definition: the engine, `swarm`, `doctor` and the workers themselves use it.
import { isRunning } from "../../lib/process/process-identity.ts"
import type { SpawnedProcess, WorkerFact } from "../../reporting/history-facts.ts"
import type { Worker } from "../worker.ts"

/** A started worker whose process is not known after this time counts as dead. */
const MAX_START_MS = 15_000

/** Between the decision to start a worker and the first record of its process. `now` is the store's clock. */
export function isStarting({ status, lastHeartbeat }: Worker, now: number): boolean {
  return status === "spawning" && now - Date.parse(lastHeartbeat) < MAX_START_MS
}

/** The latest process of a worker, from its starter or from itself; null when its end is recorded. */
export function findProcess(fact: WorkerFact | undefined): SpawnedProcess | null {
  if (fact === undefined) return null
  if (fact.spawned !== null || fact.exitedAt !== null) return fact.spawned
  const { runtime, machine, pid, processStart } = fact
  if (runtime === null || machine === null || pid === null || processStart === null) return null
  return { runtime, machine, pid, processStart }
}

/** A process of a worker, as far as it is known. */
export type WorkerIdentity = Pick<WorkerFact, "id" | "machine" | "pid" | "processStart">

/** Whether the process runs on this machine. A process of another machine cannot be seen from here. */
export function isAlive({ machine, pid, processStart }: WorkerIdentity, here: string): boolean {
  return machine === here && pid !== null && processStart !== null && isRunning({ pid, start: processStart })
}
