// Whether a worker is alive. The only definition: the engine, `swarm`, `doctor` and the workers use it.
import { isRunning } from "../../lib/process/process-identity.ts"
import type { SpawnedProcess, WorkerFact } from "../../reporting/history-facts.ts"
import type { Worker } from "../worker.ts"

/** A started worker without a known process counts as dead after this time. */
const MAX_START_MS = 15_000

/** Between the decision to start a worker and the first record of its process. `now` is the store's clock. */
export function isStarting({ status, lastHeartbeat }: Worker, now: number): boolean {
  return status === "spawning" && now - Date.parse(lastHeartbeat) < MAX_START_MS
}

/** Null when its end is recorded. */
export function findProcess(fact: WorkerFact | undefined): SpawnedProcess | null {
  if (fact === undefined) return null
  if (fact.spawned !== null || fact.exitedAt !== null) return fact.spawned
  const { runtime, machine, pid, processStart } = fact
  if (runtime === null || machine === null || pid === null || processStart === null) return null
  return { runtime, machine, pid, processStart }
}

/** As far as it is known. */
export type WorkerIdentity = Pick<WorkerFact, "id" | "machine" | "pid" | "processStart">

/** A process of another machine cannot be seen from here. */
export function isAlive({ machine, pid, processStart }: WorkerIdentity, here: string): boolean {
  return machine === here && pid !== null && processStart !== null && isRunning({ pid, start: processStart })
}
