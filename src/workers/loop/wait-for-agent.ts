import type { LeftOut } from "../../agents/choose/survey-agents.ts"
import { describeRemedy } from "../../agents/heal-agent.ts"
import type { ReadyAgent } from "../../agents/jobs/run-job.ts"
import { type AgentHealth, readAgentHealth } from "../../agents/operations/agent-health.ts"
import { firstSignal } from "../../lib/process/first-signal.ts"
import { LEAD } from "../../messages/message.ts"
import { sendMessage } from "../../messages/operations/send-message.ts"
import { askAboutAgent, withdrawAgentQuestion } from "../../requests/operations/ask-about-agent.ts"
import { askAboutLimit, withdrawLimitQuestion } from "../../requests/operations/wait-for-limit.ts"
import { noteActivity } from "../../tasks/operations/note-run.ts"
import type { ClaimHandle } from "./claim-handle.ts"
import { Setback } from "./setback.ts"

export interface Wait {
  readonly retryAt: number
  readonly health: AgentHealth
  readonly why: string
  readonly leftOut: ReadonlyMap<string, LeftOut>
  readonly able: readonly ReadyAgent[]
}

export interface Asked {
  limit: boolean
  readonly agents: Set<string>
}

/** The lead gets a report of a longer wait. */
const REPORT_AFTER_MS = 120_000
const SIGN_OF_LIFE_MS = 60_000
/** A login or a new program writes nothing to the store, so poll. */
const LOOK_AGAIN_MS = 15_000

/** Keeps the claim and waits by the store's clock. Ends sooner when limits, faults or programs change. */
export async function waitForAgent(claim: ClaimHandle, wait: Wait & { readonly asked: Asked }): Promise<void> {
  const { ports, team, worker, task, cut } = claim
  const { context, clock, sleep, say } = ports
  const startedAt = clock.now()
  const waitMs = Math.max(0, wait.retryAt - Date.parse(wait.health.now)) + 1
  await ask(claim, { ...wait, waitMs })
  say(`Task ${task.id} waits ${Math.ceil(waitMs / 1000)} s: ${wait.why}`)
  await using change = await watchHealth(claim, wait)
  using end = firstSignal(cut, change.signal)
  for (let left = waitMs; left > 0 && !end.signal.aborted; left = startedAt + waitMs - clock.now()) {
    await sleep(Math.min(left, SIGN_OF_LIFE_MS), end.signal)
    if (!cut.aborted) await noteActivity(context, { ...team, worker })
  }
  if (cut.aborted) throw new Setback("interrupted", "the worker was stopped while it waited for an agent")
}

async function watchHealth({ ports: { context } }: ClaimHandle, { health, able, leftOut }: Wait) {
  const keyOf = ({ until, faults }: AgentHealth) =>
    JSON.stringify([until, faults, able.map(({ agent, env }) => agent.fingerprint(env))])
  const before = keyOf(health)
  const lookMs = leftOut.size > 0 ? LOOK_AGAIN_MS : SIGN_OF_LIFE_MS
  const changed = new AbortController()
  const over = new AbortController()
  const watch = await context.store.watch()
  const looking = (async () => {
    while (!over.signal.aborted) {
      await watch.next(lookMs, over.signal)
      // Without an answer of the store, the next look asks again.
      const now = await readAgentHealth.run(context, {}).catch(() => health)
      if (keyOf(now) !== before) return changed.abort()
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

async function ask(
  { ports, team, worker, task }: ClaimHandle,
  { retryAt, why, waitMs, leftOut, asked }: Wait & { readonly asked: Asked; readonly waitMs: number },
): Promise<void> {
  const { context } = ports
  for (const [agent, { until, cause, isOpen }] of leftOut) {
    // A program that is back within seconds needs no person.
    if (!isOpen || asked.agents.has(agent)) continue
    asked.agents.add(agent)
    const summary = `${agent} is left out until ${until}, and no other agent can take what waits for it: ${cause}. ${describeRemedy(agent, cause)}`
    await askAboutAgent(context, { ...team, agent, summary })
  }
  if (leftOut.size > 0 || waitMs <= REPORT_AFTER_MS || asked.limit) return
  asked.limit = true
  const reason = `task ${task.id} waits until ${new Date(retryAt).toISOString()}: ${why}`
  await sendMessage.run(context, { ...team, from: worker, to: LEAD, type: "text", message: `STATUS: ${reason}` })
  await askAboutLimit(context, { ...team, task: task.id, worker, reason })
}

/** Withdraws the questions: the task goes on. */
export async function endWait({ ports, team, worker, task }: ClaimHandle, { limit, agents }: Asked): Promise<void> {
  if (limit) await withdrawLimitQuestion(ports.context, { ...team, task: task.id, worker })
  const { faults } = agents.size === 0 ? { faults: {} } : await readAgentHealth.run(ports.context, {})
  for (const agent of agents) if (!(agent in faults)) await withdrawAgentQuestion(ports.context, { ...team, agent })
}
