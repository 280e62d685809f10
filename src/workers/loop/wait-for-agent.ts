import type { LeftOut } from "../../agents/choose/survey-agents.ts"
import { howToHeal } from "../../agents/heal-agent.ts"
import type { ReadyAgent } from "../../agents/jobs/run-job.ts"
import { type AgentHealth, readAgentHealth } from "../../agents/operations/agent-health.ts"
import { firstSignal } from "../../lib/process/first-signal.ts"
import { LEAD } from "../../messages/message.ts"
import { sendMessage } from "../../messages/operations/send-message.ts"
import { askAboutAgent, endAskAboutAgent } from "../../requests/operations/ask-about-agent.ts"
import { askAboutLimit, endAskAboutLimit } from "../../requests/operations/wait-for-limit.ts"
import { noteActivity } from "../../tasks/operations/note-run.ts"
import type { Hold } from "./hold-claim.ts"
import { Setback } from "./setback.ts"
import type { Shift } from "./shift.ts"

/** Nobody can take a task now, but somebody later. */
export interface Wait {
  readonly retryAt: number
  readonly health: AgentHealth
  readonly why: string
  /** Programs that failed, by name. */
  readonly leftOut: ReadonlyMap<string, LeftOut>
  readonly able: readonly ReadyAgent[]
}

/** What a person was asked while the task waited. */
export interface Asked {
  limit: boolean
  readonly agents: Set<string>
}

/** Whoever waits longer for something tells the lead. */
const TELL_AFTER_MS = 120_000
const SIGN_OF_LIFE_MS = 60_000
/** A login or a new program writes nothing to the store: somebody has to look. */
const LOOK_AGAIN_MS = 15_000

/**
 * By the store's clock until then, with the claim kept and a sign of life now and then. Ends sooner when what is known of
 * the agents changes.
 */
export async function waitForAgent(shift: Shift, hold: Hold, wait: Wait & { readonly asked: Asked }): Promise<void> {
  const { ports, team, worker } = shift
  const { context, clock, sleep, say } = ports
  const { task, cut } = hold
  const startedAt = clock.now()
  const waitMs = Math.max(0, wait.retryAt - Date.parse(wait.health.now)) + 1
  await ask(shift, hold, { ...wait, waitMs })
  say(`Task ${task.id} waits ${Math.ceil(waitMs / 1000)} s: ${wait.why}`)
  await using change = await watchHealth(shift, wait)
  using end = firstSignal(cut, change.signal)
  for (let left = waitMs; left > 0 && !end.signal.aborted; left = startedAt + waitMs - clock.now()) {
    await sleep(Math.min(left, SIGN_OF_LIFE_MS), end.signal)
    if (!cut.aborted) await noteActivity(context, { ...team, worker })
  }
  if (cut.aborted) throw new Setback("interrupted", "the worker was stopped while it waited for an agent")
}

/** Fires when limits, faults or programs are no longer as they were. */
async function watchHealth({ ports: { context } }: Shift, { health, able, leftOut }: Wait) {
  const before = keyOf(health, able)
  const lookMs = leftOut.size > 0 ? LOOK_AGAIN_MS : SIGN_OF_LIFE_MS
  const changed = new AbortController()
  const over = new AbortController()
  const watch = await context.store.watch()
  const looking = (async () => {
    while (!over.signal.aborted) {
      await watch.next(lookMs, over.signal)
      // A store that cannot be asked now is asked again at the next look.
      const now = await readAgentHealth.run(context, {}).catch(() => health)
      if (keyOf(now, able) !== before) return changed.abort()
    }
  })()
  return {
    signal: changed.signal,
    async [Symbol.asyncDispose]() {
      over.abort()
      await looking
      await watch[Symbol.asyncDispose]()
    },
  }
}

/** Limits, faults and programs as they are. */
function keyOf({ until, faults }: AgentHealth, able: readonly ReadyAgent[]): string {
  return JSON.stringify([until, faults, able.map(({ agent, env }) => agent.fingerprint(env))])
}

async function ask(
  { ports, team, worker }: Shift,
  { task }: Hold,
  { retryAt, why, waitMs, leftOut, asked }: Wait & { readonly asked: Asked; readonly waitMs: number },
): Promise<void> {
  const { context } = ports
  for (const [agent, { until, cause, isOpen }] of leftOut) {
    // A program that is used again within seconds needs nobody.
    if (!isOpen || asked.agents.has(agent)) continue
    asked.agents.add(agent)
    const summary = `${agent} is left out until ${until}, and no other agent can take what waits for it: ${cause}. ${howToHeal(agent, cause)}`
    await askAboutAgent(context, { ...team, agent, summary })
  }
  if (leftOut.size > 0 || waitMs <= TELL_AFTER_MS || asked.limit) return
  asked.limit = true
  const reason = `task ${task.id} waits until ${new Date(retryAt).toISOString()}: ${why}`
  const message = `STATUS: ${reason}`
  await sendMessage.run(context, { ...team, from: worker, to: LEAD, type: "text", message })
  await askAboutLimit(context, { ...team, task: task.id, worker, reason })
}

/** The task goes on: what was asked while it waited needs no answer any more. */
export async function endWait({ ports, team, worker }: Shift, { task }: Hold, { limit, agents }: Asked): Promise<void> {
  if (limit) await endAskAboutLimit(ports.context, { ...team, task: task.id, worker })
  const { faults } = agents.size === 0 ? { faults: {} } : await readAgentHealth.run(ports.context, {})
  for (const agent of agents) if (!(agent in faults)) await endAskAboutAgent(ports.context, { ...team, agent })
}
