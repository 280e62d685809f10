// The faults of an agent program or of its account, and the circuit breaker that follows from them. Closed: no fault since
// the last run that went well. Waiting: after each fault nobody uses the program for 5, 10, 20 seconds. Open: it failed
// again, or waiting cannot heal it; it is left out for minutes. After either wait exactly one run tries it (half open):
// a good run closes the breaker, another fault makes the wait longer.

/** What everybody who shares the store knows of a program that failed. There is none for a program that works. */
export interface AgentFault {
  readonly agent: string
  /** How the last run that failed ended. */
  readonly reason: string
  readonly error: string
  /** In a row. Runs that were under way at the same time fail together and count once. */
  readonly faults: number
  readonly isOpen: boolean
  readonly notedAt: number
  /** Nobody uses it before. */
  readonly until: number
  /** Of the program when it failed: another one means that it was installed, replaced or logged in since. */
  readonly fingerprint: string | null
  /** The one run that tries it, with the lease it has for that. */
  readonly probe: { readonly by: string; readonly until: number } | null
  /** The run that tries it got a word of its model: others may use it too. Not while the breaker is open. */
  readonly hasAnswered: boolean
}

export interface FaultLimits {
  /** The wait after each fault in a row; the breaker opens after the last. */
  readonly backoffMs: readonly number[]
  /** How long the first opening lasts; each further one twice as long. */
  readonly leaveOutMs: number
  readonly maxLeaveOutMs: number
}

export const FAULT_LIMITS: FaultLimits = {
  backoffMs: [5000, 10_000, 20_000],
  leaveOutMs: 300_000,
  maxLeaveOutMs: 3_600_000,
}

/** Waiting does not heal these: somebody has to log in, install or configure something. */
const LASTING: readonly string[] = ["auth", "not-found", "unknown-model"]

function isLasting(reason: string): boolean {
  return LASTING.includes(reason)
}

interface NewFault extends Pick<AgentFault, "agent" | "reason" | "error" | "fingerprint"> {
  readonly now: number
  /** When the run began, by the store's clock. */
  readonly startedAt: number
  readonly by: string
}

/** What is known after a run failed. */
export function nextFault(known: AgentFault | undefined, fault: NewFault, limits: FaultLimits): AgentFault {
  const { now, startedAt, by, ...about } = fault
  const wasProbe = known?.probe?.by === by
  // It began before the last fault was known, so it is part of the same outage.
  const isSame = known !== undefined && !wasProbe && startedAt <= known.notedAt
  const faults = known === undefined ? 1 : known.faults + (isSame ? 0 : 1)
  const isOpen = isLasting(fault.reason) || faults > limits.backoffMs.length
  if (isSame && (known.isOpen || !isOpen)) return known
  return {
    ...about,
    ...{ faults, isOpen, notedAt: now, hasAnswered: false },
    until: Math.max(now + waitAfter(faults, isLasting(fault.reason), limits), isSame ? known.until : 0),
    probe: wasProbe || known === undefined ? null : known.probe,
  }
}

function waitAfter(faults: number, isLastingFault: boolean, limits: FaultLimits): number {
  const { backoffMs, leaveOutMs, maxLeaveOutMs } = limits
  if (isLastingFault) return maxLeaveOutMs
  const openings = faults - backoffMs.length
  if (openings <= 0) return backoffMs[faults - 1] ?? 0
  return Math.min(leaveOutMs * 2 ** Math.min(openings - 1, 20), maxLeaveOutMs)
}

/** Until when nobody but the run that tries it may use the program; null when it may be used, or tried, now. */
export function leftOutUntil(fault: AgentFault, now: number, fingerprint: string | null): number | null {
  const hasChanged = fault.fingerprint !== fingerprint
  if (now < fault.until && !hasChanged) return fault.until
  if (fault.hasAnswered) return null
  return fault.probe !== null && now < fault.probe.until ? fault.probe.until : null
}

/** `crashed: exit code 3`; the first line, as it stands in a list. */
export function sayCause({ reason, error }: Pick<AgentFault, "reason" | "error">): string {
  const line = error.trim().split("\n", 1)[0] ?? ""
  return line === "" || line === reason ? reason : `${reason}: ${line}`
}
