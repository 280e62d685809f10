import type { WorkerId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import { isRunning } from "../../lib/process/process-identity.ts"
import type { SpawnedProcess, WorkerFact } from "../../reporting/history-facts.ts"
import { readHistory } from "../../reporting/operations/read-history.ts"
import type { Context } from "../../store/operation.ts"
import { swarmStatus } from "../operations/swarm-status.ts"
import type { WorkerProcess } from "../runtimes/port.ts"
import type { Worker } from "../worker.ts"
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

/** A process that was started this long ago and has not said so is taken for dead. */
const MAX_SPAWN_MS = 60_000

/** The workers of a team with how their processes stand, as seen from this machine. */
export async function listKnownWorkers(context: Context, name: TeamName, machine: string): Promise<KnownWorker[]> {
  const { history } = await readHistory(context, name, ["worker.spawned", "worker.started", "worker.exited"])
  const { workers } = await swarmStatus.run(context, name)
  const now = await context.store.read((tx) => tx.now())
  return workers.flatMap((worker) => {
    const fact = history.workers.get(worker.id)
    if (fact === undefined && worker.status !== "spawning") return []
    const latest = fact?.spawned ?? startedProcess(fact)
    // One that somebody started in a terminal ends like any child.
    const runtime: RuntimeName = worker.pane !== null || latest?.runtime === "tmux" ? "tmux" : "child"
    const process = latest === null ? null : { pid: latest.pid, processStart: latest.processStart }
    const known = { id: worker.id, worker, runtime, machine: latest?.machine ?? null, process }
    return [{ ...known, state: stateOf(worker, latest, { machine, now }) }]
  })
}

/** By its own word, and not at an end yet. */
function startedProcess(fact: WorkerFact | undefined): SpawnedProcess | null {
  if (fact === undefined || fact.exitedAt !== null) return null
  const { runtime, machine, pid, processStart } = fact
  if (runtime === null || machine === null || pid === null || processStart === null) return null
  return { runtime, machine, pid, processStart }
}

function stateOf(
  { status, lastHeartbeat }: Worker,
  latest: SpawnedProcess | null,
  { machine, now }: { readonly machine: string; readonly now: number },
): KnownWorker["state"] {
  if (status === "stopped" || status === "dead" || (latest === null && status !== "spawning")) return "ended"
  if (latest === null) return now - Date.parse(lastHeartbeat) < MAX_SPAWN_MS ? "spawning" : "gone"
  const isGone = latest.machine === machine && !isRunning({ pid: latest.pid, start: latest.processStart })
  return isGone ? "gone" : status === "spawning" ? "spawning" : "running"
}
