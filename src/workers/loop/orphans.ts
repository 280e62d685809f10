import type { TeamName } from "../../kernel/team.ts"
import { endMarked } from "../../lib/process/end-marked.ts"
import { isAlive, type WorkerIdentity } from "../swarm/liveness.ts"

/** A variable in all processes of a worker's agents, to find them when the worker is dead. */
export function agentMark({ home, project, team, worker }: TeamName & { home: string; worker: string }): string {
  const name = JSON.stringify([home, project, team, worker])
  return `TEAMWORK_WORKER_${new Bun.CryptoHasher("sha256").update(name).digest("hex").slice(0, 32)}`
}

/** On this machine. */
export async function endOrphans(
  fact: WorkerIdentity,
  { here, env, ...place }: TeamName & { home: string; here: string; env: Readonly<Record<string, string | undefined>> },
): Promise<void> {
  if (fact.machine !== here || isAlive(fact, here)) return
  await endMarked(`${agentMark({ ...place, worker: fact.id })}=1`, env)
}
