// Rate limits, faults and quotas of agent programs and accounts, shared by all teams of the store.
import type { TeamName } from "../../kernel/team.ts"
import { agentField, type Context, operation, teamFields } from "../../store/operation.ts"
import type { Tx } from "../../store/port.ts"
import { type AgentFault, FAULT_LIMITS, type FaultLimits, leftOutUntil, nextFault } from "../agent-fault.ts"
import type { Reason } from "../port.ts"
import { currentWindows, type QuotaWindow } from "../quota.ts"
import { nextRateLimit } from "../rate-limit.ts"

export interface AgentHealth {
  /** By the store's clock. */
  readonly now: string
  /** Of current rate limits. */
  readonly until: Readonly<Record<string, string>>
  readonly faults: Readonly<Record<string, AgentFault>>
  readonly quotas: Readonly<Record<string, readonly QuotaWindow[]>>
}

export const readAgentHealth = operation({
  name: "agent.health",
  summary: "Show which agents are rate-limited or left out, until when, and their quotas",
  input: {},
  run: ({ store }): Promise<AgentHealth> =>
    store.read(async (tx) => {
      const now = await tx.now()
      const limits = (await tx.rateLimits.list()).filter(({ until }) => until > now)
      const quotas = (await tx.agentQuotas.list()).map((quota) => [quota.agent, currentWindows(quota, now)] as const)
      return {
        now: iso(now),
        until: Object.fromEntries(limits.map((limit) => [limit.agent, iso(limit.until)])),
        faults: Object.fromEntries((await tx.agentFaults.list()).map((fault) => [fault.agent, fault])),
        quotas: Object.fromEntries(quotas.filter(([, windows]) => windows.length > 0)),
      }
    }),
})

export interface NotedRun extends TeamName {
  readonly agent: string
  /** As admitted. */
  readonly runId: string
  readonly reason: Reason
  readonly error: string
  /** As the agent reported. */
  readonly waitMs?: number
  readonly durationMs: number
  /** At the start of the run. */
  readonly fingerprint: string | null
  readonly quota?: readonly QuotaWindow[]
  readonly limits?: FaultLimits
}

export interface AfterRun {
  /** Null for now. */
  readonly until: string | null
  /** The program works again after a fault. */
  readonly isBack: boolean
}

/**
 * `fault`: the program, its account or its provider failed. `limited`: the account must wait. `works`: the model
 * was reached, however the task went. `silent`: no information.
 */
type Finding = "fault" | "limited" | "works" | "silent"

const FINDINGS: Readonly<Record<Reason, Finding>> = {
  done: "works",
  refused: "works",
  "context-overflow": "works",
  "turn-limit": "works",
  looping: "works",
  permission: "works",
  "rate-limited": "limited",
  crashed: "fault",
  protocol: "fault",
  hung: "fault",
  overloaded: "fault",
  unreachable: "fault",
  auth: "fault",
  "not-found": "fault",
  "unknown-model": "fault",
  budget: "silent",
  "timed-out": "silent",
  cancelled: "silent",
}

/** For the next choice of an agent. Takes durations, because clocks of machines differ. */
export async function noteAgentRun({ store }: Context, ended: NotedRun): Promise<AfterRun> {
  return store.write(async (tx) => {
    const now = await tx.now()
    const { agent, quota } = ended
    if (quota !== undefined && quota.length > 0) await tx.agentQuotas.put({ agent, notedAt: now, windows: quota })
    const finding = FINDINGS[ended.reason]
    if (finding === "fault") return noteFault(tx, ended, now)
    const isBack = await settleFault(tx, ended, { now, isFine: finding !== "silent" })
    if (finding === "limited") return { until: await noteLimit(tx, ended, now), isBack }
    if (finding === "works" && (await tx.rateLimits.remove(agent, now - ended.durationMs)))
      await appendEvent(tx, ended, { type: "agent.rate_limit_lifted", data: { agent } })
    return { until: null, isBack }
  })
}

async function noteLimit(tx: Tx, ended: NotedRun, now: number): Promise<string> {
  const { agent, waitMs = null } = ended
  const limit = nextRateLimit(await tx.rateLimits.lock(agent), { agent, now, waitMs })
  await tx.rateLimits.put(limit)
  const until = iso(limit.until)
  await appendEvent(tx, ended, { type: "agent.rate_limited", data: { agent, until } })
  return until
}

async function noteFault(tx: Tx, ended: NotedRun, now: number): Promise<AfterRun> {
  const { agent, reason, fingerprint, runId: by, waitMs = 0, limits = FAULT_LIMITS } = ended
  const known = await tx.agentFaults.lock(agent)
  const error = ended.error.slice(0, MAX_ERROR)
  const startedAt = now - ended.durationMs
  const next = nextFault(known, { agent, reason, error, fingerprint, now, startedAt, by }, limits)
  // The wait that a server asks for counts up to our limit.
  const fault = { ...next, until: Math.max(next.until, now + Math.min(waitMs, limits.maxLeaveOutMs)) }
  if (next === known && fault.until === known.until) return { until: iso(fault.until), isBack: false }
  await tx.agentFaults.put(fault)
  const until = iso(fault.until)
  const isNews = fault.faults !== known?.faults || fault.isOpen !== known.isOpen
  if (isNews)
    await appendEvent(tx, ended, {
      type: "agent.left_out",
      data: { agent, until, reason, error, is_open: fault.isOpen },
    })
  return { until, isBack: false }
}

const MAX_ERROR = 1000

/** Returns whether the program is used again from now on. */
async function settleFault(
  tx: Tx,
  ended: NotedRun,
  { now, isFine }: { readonly now: number; readonly isFine: boolean },
): Promise<boolean> {
  const { agent, runId } = ended
  const known = await tx.agentFaults.lock(agent)
  if (known === undefined) return false
  const isProbe = known.probe?.by === runId
  // A run that began before the fault proves nothing.
  if (isFine && (isProbe || now - ended.durationMs > known.notedAt)) {
    await tx.agentFaults.remove(agent)
    await appendEvent(tx, ended, { type: "agent.taken_back", data: { agent } })
    return true
  }
  if (isProbe) await tx.agentFaults.put({ ...known, probe: null })
  return false
}

export interface Admission {
  readonly agent: string
  readonly runId: string
  readonly fingerprint: string | null
  /** After this silence another run may try the program. */
  readonly leaseMs: number
}

/** `isProbe`: the one run that tries a failed program. `until`: when to ask again. */
export type Admitted = { readonly isProbe: boolean } | { readonly fault: AgentFault; readonly until: number }

/**
 * Call right before a run. While a program rests no run starts. Afterwards exactly one of all callers is admitted
 * as the probe and must record its end.
 */
export async function admitRun(
  { store }: Context,
  { agent, runId, fingerprint, leaseMs }: Admission,
): Promise<Admitted> {
  const isFine = await store.read(async (tx) => (await tx.agentFaults.list()).every((fault) => fault.agent !== agent))
  if (isFine) return { isProbe: false }
  return store.write(async (tx) => {
    const fault = await tx.agentFaults.lock(agent)
    if (fault === undefined) return { isProbe: false }
    const now = await tx.now()
    const until = leftOutUntil(fault, now, fingerprint)
    if (until !== null && fault.probe?.by !== runId) return { fault, until }
    if (fault.hasAnswered) return { isProbe: false }
    await tx.agentFaults.put({ ...fault, probe: { by: runId, until: now + leaseMs } })
    return { isProbe: true }
  })
}

/** `hasAnswered`: the model answered. */
export async function renewProbe(
  { store }: Context,
  { agent, runId, leaseMs, hasAnswered }: Omit<Admission, "fingerprint"> & { readonly hasAnswered: boolean },
): Promise<void> {
  await store.write(async (tx) => {
    const fault = await tx.agentFaults.lock(agent)
    if (fault?.probe?.by !== runId) return
    // While the breaker is open, only the end of the run counts.
    const isTrusted = hasAnswered && !fault.isOpen
    const probe = isTrusted ? null : { by: runId, until: (await tx.now()) + leaseMs }
    await tx.agentFaults.put({ ...fault, probe, hasAnswered: isTrusted })
  })
}

export interface Reset {
  readonly agent: string
  /** Null when it had none. */
  readonly fault: AgentFault | null
  /** Null without a rate limit. */
  readonly limitedUntil: string | null
}

export const resetAgent = operation({
  name: "agent.reset",
  summary: "Use a program again that is left out or rate-limited: forget its faults and its limit",
  input: { ...teamFields, agent: agentField("which agent, such as codex or claude@work") },
  run: ({ store }, { agent, ...name }): Promise<Reset> =>
    store.write(async (tx) => {
      const fault = (await tx.agentFaults.lock(agent)) ?? null
      const limit = await tx.rateLimits.lock(agent)
      const isLimited = limit !== undefined && limit.until > (await tx.now())
      if (fault !== null) {
        await tx.agentFaults.remove(agent)
        await appendEvent(tx, { ...name, agent }, { type: "agent.taken_back", data: { agent } })
      }
      await tx.rateLimits.remove(agent, Number.MAX_SAFE_INTEGER)
      if (isLimited) await appendEvent(tx, { ...name, agent }, { type: "agent.rate_limit_lifted", data: { agent } })
      return { agent, fault, limitedUntil: isLimited ? iso(limit.until) : null }
    }),
})

async function appendEvent(
  tx: Tx,
  about: TeamName & { readonly agent: string },
  event: Parameters<Tx["events"]["append"]>[2],
): Promise<void> {
  const { agent, project, team: name, run } = about
  const team = await tx.teams.find({ project, team: name, run })
  if (team !== undefined) await tx.events.append(team.key, agent, event)
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
