import { renderCause } from "../../agents/agent-fault.ts"
import { noteRun } from "../../agents/jobs/note-agent-run.ts"
import type { ReadyAgent } from "../../agents/jobs/run-job.ts"
import { admitRun, renewProbe } from "../../agents/operations/agent-health.ts"
import type { AgentEvent, AgentResult } from "../../agents/port.ts"
import { SCRIPT } from "../../agents/programs.ts"
import type { ClaimHandle } from "./claim-handle.ts"
import { Setback } from "./setback.ts"

export interface AdmittedRun extends AsyncDisposable {
  see(event: AgentEvent): Promise<void>
  ended(result: AgentResult): Promise<void>
}

export const MODEL_EVENTS: ReadonlySet<AgentEvent["type"]> = new Set(["text", "reasoning", "tool_use"])

/** Of all workers that choose a failed program, one may try it; the others get false and choose again. */
export async function reserve(claim: ClaimHandle, ready: ReadyAgent): Promise<boolean> {
  return !("fault" in (await admitRun(claim.ports.context, probeOf(claim, ready))))
}

/** All runs of a claim count as one run of their program. */
function probeOf({ team, options, task, token }: ClaimHandle, { agent, env }: ReadyAgent) {
  return {
    agent: agent.name,
    runId: [team.project, team.team, team.run, task.id, token].join("/"),
    fingerprint: agent.fingerprint(env),
    leaseMs: options.settings.leaseSeconds * 1000,
  }
}

/**
 * Where the program failed since it was chosen, the task is set back at no cost: another program takes it, or it
 * waits. A run that tries a failed program renews its lease.
 */
export async function admit(claim: ClaimHandle, ready: ReadyAgent): Promise<AdmittedRun> {
  const { ports, options, team, task } = claim
  const { context, clock, sleep, say } = ports
  const agent = ready.agent.name
  if (agent === SCRIPT) return { see: async () => {}, ended: async () => {}, [Symbol.asyncDispose]: async () => {} }
  const { renewSeconds, faults: faultLimits } = options.settings
  const probe = probeOf(claim, ready)
  const admittedAt = clock.now()
  const admitted = await admitRun(context, probe)
  if ("fault" in admitted) {
    const until = new Date(admitted.until).toISOString()
    throw new Setback("left-out", `${agent} is left out until ${until}: ${renderCause(admitted.fault)}`, { agent })
  }
  if (admitted.isProbe) say(`Task ${task.id}: tries ${agent} again, which failed before`)
  const over = new AbortController()
  let hasAnswered = false
  // A probe without renewals ends by itself. Then another run may try the program, which does no harm.
  const renew = () => renewProbe(context, { ...probe, hasAnswered }).catch(() => undefined)
  const renewing = (async () => {
    while (admitted.isProbe && !over.signal.aborted) {
      await sleep(renewSeconds * 1000, over.signal)
      if (!over.signal.aborted) await renew()
    }
  })()
  return {
    async see({ type }) {
      if (!admitted.isProbe || hasAnswered || !MODEL_EVENTS.has(type)) return
      hasAnswered = true
      await renew()
    },
    async ended(result) {
      const store = { hasStore: async () => true, openContext: async () => context }
      // From the admission: a run admitted before a fault was known is part of the same outage.
      const ended = { ...result, durationMs: clock.now() - admittedAt }
      const problem = await noteRun({ ...team, ...probe, result: ended, clock, faultLimits, ...store })
      if (problem !== undefined) say(problem)
    },
    async [Symbol.asyncDispose]() {
      over.abort()
      await renewing
    },
  }
}
