// The circuit breaker of an agent program or account. Closed: no fault since the last good run. Waiting: after each
// fault the program rests for 5, 10, 20 seconds. Open: it failed again, or waiting cannot help; it rests for minutes.
// After either wait exactly one run tries it: a good run closes the breaker, another fault lengthens the wait.

/** A program that works has no fault. */
export interface AgentFault {
  readonly agent: string
  readonly reason: string
  readonly error: string
  /** In a row. Runs that fail at the same time count once. */
  readonly faults: number
  readonly isOpen: boolean
  readonly notedAt: number
  /** The end of its rest. */
  readonly until: number
  /** When it failed: another value means a new installation or login. */
  readonly fingerprint: string | null
  /** The one run that tries the program, and its lease. */
  readonly probe: { readonly by: string; readonly until: number } | null
  /** The model answered the probe, so other runs may use the program too. Not while the breaker is open. */
  readonly hasAnswered: boolean
}

export interface FaultLimits {
  /** After each fault in a row; the breaker opens after the last. */
  readonly backoffMs: readonly number[]
  /** The first opening; each further one lasts twice as long. */
  readonly leaveOutMs: number
  readonly maxLeaveOutMs: number
}

export const FAULT_LIMITS: FaultLimits = {
  backoffMs: [5000, 10_000, 20_000],
  leaveOutMs: 300_000,
  maxLeaveOutMs: 3_600_000,
}

/** A person must log in, install or configure something. */
const LASTING: readonly string[] = ["auth", "not-found", "unknown-model"]

interface NewFault extends Pick<AgentFault, "agent" | "reason" | "error" | "fingerprint"> {
  readonly now: number
  /** When the run began, by the store's clock. */
  readonly startedAt: number
  readonly by: string
}

export function nextFault(known: AgentFault | undefined, fault: NewFault, limits: FaultLimits): AgentFault {
  const { now, startedAt, by, ...about } = fault
  const wasProbe = known?.probe?.by === by
  // The run began before the last fault was known: the same outage.
  const isSame = known !== undefined && !wasProbe && startedAt <= known.notedAt
  const faults = known === undefined ? 1 : known.faults + (isSame ? 0 : 1)
  const isOpen = LASTING.includes(fault.reason) || faults > limits.backoffMs.length
  if (isSame && (known.isOpen || !isOpen)) return known
  return {
    ...about,
    faults,
    isOpen,
    notedAt: now,
    hasAnswered: false,
    until: Math.max(now + waitAfter(faults, LASTING.includes(fault.reason), limits), isSame ? known.until : 0),
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

/** Until then only the probe may use the program; null when it may be used or tried now. */
export function leftOutUntil(fault: AgentFault, now: number, fingerprint: string | null): number | null {
  const hasChanged = fault.fingerprint !== fingerprint
  if (now < fault.until && !hasChanged) return fault.until
  if (fault.hasAnswered) return null
  return fault.probe !== null && now < fault.probe.until ? fault.probe.until : null
}

/** `crashed: exit code 3`: the first line only. */
export function renderCause({ reason, error }: Pick<AgentFault, "reason" | "error">): string {
  const line = error.trim().split("\n", 1)[0] ?? ""
  return line === "" || line === reason ? reason : `${reason}: ${line}`
}
