import type { TeamName } from "../../kernel/team.ts"
import { endMarked } from "../../lib/process/end-marked.ts"
import { isRunning } from "../../lib/process/process-identity.ts"
import type { WorkerFact } from "../../reporting/history-facts.ts"

/**
 * A variable in the environment of every agent that a worker runs, and of what that starts: by it they are found again
 * when the worker's process is gone.
 */
export function workerMark({ home, project, team, worker }: TeamName & { home: string; worker: string }): string {
  const name = JSON.stringify([home, project, team, worker])
  return `TEAMWORK_WORKER_${new Bun.CryptoHasher("sha256").update(name).digest("hex").slice(0, 32)}`
}

/** As which process somebody worked, as far as it is known. */
export type WorkerIdentity = Pick<WorkerFact, "id" | "machine" | "pid" | "processStart">

/** Whether the latest process of a worker runs here, as far as this machine can tell. */
export function isAlive({ machine, pid, processStart }: WorkerIdentity, here: string): boolean {
  return machine === here && pid !== null && processStart !== null && isRunning({ pid, start: processStart })
}

/** Ends what the agents of a worker left that died on this machine. */
export async function endOrphans(
  fact: WorkerIdentity,
  { here, env, ...place }: TeamName & { home: string; here: string; env: Readonly<Record<string, string | undefined>> },
): Promise<void> {
  if (fact.machine !== here || isAlive(fact, here)) return
  await endMarked(`${workerMark({ ...place, worker: fact.id })}=1`, env)
}
