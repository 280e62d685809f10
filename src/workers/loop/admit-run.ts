import { sayCause } from "../../agents/agent-fault.ts"
import { noteRun } from "../../agents/jobs/note-agent-run.ts"
import type { ReadyAgent } from "../../agents/jobs/run-job.ts"
import { admitRun, renewProbe } from "../../agents/operations/agent-health.ts"
import type { AgentEvent, AgentResult } from "../../agents/port.ts"
import type { Hold } from "./hold-claim.ts"
import { SCRIPT } from "./script-variables.ts"
import { Setback } from "./setback.ts"
import type { Shift } from "./shift.ts"

/** A run as far as its program is concerned. */
export interface AdmittedRun extends AsyncDisposable {
  see(event: AgentEvent): Promise<void>
  /** For whoever chooses an agent next. */
  ended(result: AgentResult): Promise<void>
}

/** What shows that the model was reached. */
const OF_THE_MODEL: ReadonlySet<AgentEvent["type"]> = new Set(["text", "reasoning", "tool_use"])

/**
 * Whether the program may still be used, right after it was chosen. Of all who choose one that failed before, one gets
 * it; the others choose again.
 */
export async function reserve({ ports, options, team }: Shift, hold: Hold, ready: ReadyAgent): Promise<boolean> {
  const { agent, env } = ready
  const leaseMs = options.settings.leaseSeconds * 1000
  const about = { agent: agent.name, runId: nameOf(team, hold), fingerprint: agent.fingerprint(env), leaseMs }
  return !("fault" in (await admitRun(ports.context, about)))
}

/** All runs of a claim are one, as far as their program is concerned. */
function nameOf({ project, team, run }: Shift["team"], { task, token }: Hold): string {
  return [project, team, run, task.id, token].join("/")
}

/**
 * Asks the store whether the program may be used now. Where it was left out since it was chosen, the task is set back,
 * which costs it nothing: another program takes it, or it waits. The one run that tries a program that failed renews its
 * lease as its claim does.
 */
export async function admit({ ports, options, team }: Shift, hold: Hold, ready: ReadyAgent): Promise<AdmittedRun> {
  const { context, clock, sleep, say } = ports
  const agent = ready.agent.name
  // A script is the task itself: nobody limits it.
  if (agent === SCRIPT) return { see: async () => {}, ended: async () => {}, [Symbol.asyncDispose]: async () => {} }
  const { leaseSeconds, renewSeconds, faults } = options.settings
  const about = { agent, runId: nameOf(team, hold), leaseMs: leaseSeconds * 1000 }
  const fingerprint = ready.agent.fingerprint(ready.env)
  const admittedAt = clock.now()
  const admitted = await admitRun(context, { ...about, fingerprint })
  if ("fault" in admitted) {
    const until = new Date(admitted.until).toISOString()
    throw new Setback("left-out", `${agent} is left out until ${until}: ${sayCause(admitted.fault)}`, { agent })
  }
  if (admitted.isProbe) say(`Task ${hold.task.id}: tries ${agent} again, which failed before`)
  const over = new AbortController()
  let hasAnswered = false
  // A probe that is not renewed ends by itself: then another run may try the program, which does no harm.
  const renew = () => renewProbe(context, { ...about, hasAnswered }).catch(() => undefined)
  const renewing = (async () => {
    while (admitted.isProbe && !over.signal.aborted) {
      await sleep(renewSeconds * 1000, over.signal)
      if (!over.signal.aborted) await renew()
    }
  })()
  return {
    async see({ type }) {
      if (!admitted.isProbe || hasAnswered || !OF_THE_MODEL.has(type)) return
      hasAnswered = true
      await renew()
    },
    async ended(result) {
      const store = { hasStore: async () => true, openContext: async () => context }
      // From the admission on: a run that was admitted before a fault was known is part of the same outage.
      const ended = { ...result, durationMs: clock.now() - admittedAt }
      const problem = await noteRun({
        ...team,
        ...about,
        fingerprint,
        result: ended,
        clock,
        faultLimits: faults,
        ...store,
      })
      if (problem !== undefined) say(problem)
    },
    async [Symbol.asyncDispose]() {
      over.abort()
      await renewing
    },
  }
}
