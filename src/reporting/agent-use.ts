import type { History } from "./history.ts"
import type { RunFact } from "./history-facts.ts"
import type { TeamView } from "./team-view.ts"

export interface AgentUse {
  readonly agent: string
  /** Null where the program chose. */
  readonly model: string | null
  readonly runs: number
}

export interface AgentRun {
  readonly id: string
  readonly task: string | null
  readonly worker: string
  readonly role: string | null
  readonly agent: string
  readonly model: string | null
  readonly turn: number
  /** Null while it runs. */
  readonly reason: string | null
  readonly durationMs: number | null
}

/** Programs and models in the order of their first run. */
export function listAgents({ runs }: History, isMeant: (run: RunFact) => boolean): AgentUse[] {
  const uses = new Map<string, AgentUse>()
  for (const run of runs.values()) {
    if (!isMeant(run)) continue
    const { agent, model } = run
    const key = JSON.stringify([agent, model])
    uses.set(key, { agent, model, runs: (uses.get(key)?.runs ?? 0) + 1 })
  }
  return [...uses.values()]
}

export function describeRun(run: RunFact, { tasks, history }: TeamView): AgentRun {
  const { id, task, worker, agent, model, turn, reason, startedAt, endedAt } = run
  const role = (task === null ? null : tasks.get(task)?.role) ?? history.workers.get(worker)?.role ?? null
  const durationMs = endedAt === null ? null : Math.max(0, endedAt - startedAt)
  return { id, task, worker, role, agent, model, turn, reason, durationMs }
}
