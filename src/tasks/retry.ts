import { SETBACKS, type SetbackKind } from "../kernel/event-words.ts"

export { SETBACKS, type SetbackKind }

export interface RetryLimits {
  /** How often a task is tried again after a crash, or work that did not pass. */
  readonly maxRestarts: number
  readonly maxTimeoutRestarts: number
}

export interface PastSetback {
  readonly kind: SetbackKind
  readonly agent: string | null
}

/** `fail`: enough was tried. `pause`: only a person can go on, as with money. */
export type AfterSetback = "retry" | "pause" | "fail"

/** These say nothing of the task, and happen to it as often as they like. */
const NOT_COUNTED: readonly SetbackKind[] = ["interrupted", "rate-limited"]
/** Only a person can go on. */
const ASKING: readonly SetbackKind[] = ["budget", "qa"]
const OUT_OF_TIME: readonly SetbackKind[] = ["timed-out", "turn-limit"]
/** The same agent would end the same way; another may not. */
const PERMANENT: readonly SetbackKind[] = ["context-overflow", "auth", "not-found", "refused"]

/** What becomes of a task after all its setbacks of this attempt, the latest one included. */
export function afterSetback(setbacks: readonly PastSetback[], limits: RetryLimits): AfterSetback {
  const latest = setbacks.at(-1)
  if (latest === undefined || NOT_COUNTED.includes(latest.kind)) return "retry"
  if (ASKING.includes(latest.kind)) return "pause"
  const timeouts = setbacks.filter(({ kind }) => OUT_OF_TIME.includes(kind)).length
  if (timeouts > limits.maxTimeoutRestarts) return "fail"
  const others = setbacks.filter(
    ({ kind }) => !(NOT_COUNTED.includes(kind) || OUT_OF_TIME.includes(kind) || ASKING.includes(kind)),
  )
  // Each agent that is given up makes room for another one's tries, but not without end.
  const room = limits.maxRestarts + agentsToAvoid(setbacks, limits).length
  return others.length > room ? "fail" : "retry"
}

/** Agents that would not do better at this task. */
export function agentsToAvoid(setbacks: readonly PastSetback[], { maxRestarts }: RetryLimits): string[] {
  const agents = new Set(setbacks.flatMap(({ agent }) => agent ?? []))
  return [...agents].filter((agent) => {
    const own = setbacks.filter((each) => each.agent === agent)
    const crashes = own.filter(({ kind }) => kind === "crashed" || kind === "protocol").length
    return own.some(({ kind }) => PERMANENT.includes(kind)) || crashes >= Math.max(1, maxRestarts)
  })
}
