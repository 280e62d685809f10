import { SETBACKS, type SetbackKind } from "../kernel/event-words.ts"
import { SCRIPT } from "./follow-up.ts"

export { SETBACKS, type SetbackKind }

export interface RetryLimits {
  /** How many runs of agents an attempt of a task may cost that ends without a result; 0 for as many as the others allow. */
  readonly maxRuns: number
  /** How often a task is tried again after a crash, or work that did not pass. */
  readonly maxRestarts: number
  readonly maxTimeoutRestarts: number
}

export interface PastSetback {
  readonly kind: SetbackKind
  readonly agent: string | null
  readonly reason?: string
}

/** One run of an agent for a task, as far as it says who is to blame for its end. */
export interface PastRun {
  readonly agent: string
  /** Null while it runs, or when its worker did not live to tell. */
  readonly reason: string | null
  readonly error: string | null
  readonly durationMs: number
  readonly tokens: number
}

/** What an attempt has cost so far. */
export interface Spent {
  readonly runs: number
  /** The last run ended exactly as one before it did: another one would as well. */
  readonly isRepeating: boolean
}

/** `fail`: enough was tried. `pause`: only a person can go on, as with money. */
export type AfterSetback = "retry" | "pause" | "fail"

/** These say nothing of the task, and happen to it as often as they like. */
const NOT_COUNTED: readonly SetbackKind[] = ["interrupted", "rate-limited"]
/** Only a person can go on. */
const ASKING: readonly SetbackKind[] = ["budget", "qa"]
const OUT_OF_TIME: readonly SetbackKind[] = ["timed-out", "turn-limit", "hung", "looping"]
/** The same agent would end the same way; another may not. */
const PERMANENT: readonly SetbackKind[] = [
  ...(["context-overflow", "auth", "not-found", "refused", "unknown-model", "permission"] as const),
]

/** The agent worked and it came to nothing: what the runs of a task are counted for. */
const OF_THE_WORK: readonly SetbackKind[] = [
  ...(["gate", "crashed", "protocol", "refused", "permission", "timed-out", "turn-limit"] as const),
  ...(["context-overflow", "hung", "looping", "agent-failed"] as const),
]

/** The program, its provider or the network failed. The same program may do better later. */
const FAULTS: readonly SetbackKind[] = ["crashed", "protocol", "overloaded", "unreachable"]

const NOTHING_SPENT: Spent = { runs: 0, isRepeating: false }

/** What becomes of a task after all its setbacks of this attempt, the latest one included. */
export function afterSetback(
  setbacks: readonly PastSetback[],
  limits: RetryLimits,
  { runs, isRepeating }: Spent = NOTHING_SPENT,
): AfterSetback {
  const latest = setbacks.at(-1)
  if (latest === undefined || NOT_COUNTED.includes(latest.kind)) return "retry"
  if (ASKING.includes(latest.kind)) return "pause"
  if (OF_THE_WORK.includes(latest.kind) && (isRepeating || saysItAgain(setbacks) || isUsedUp(runs, limits)))
    return "fail"
  const timeouts = setbacks.filter(({ kind }) => OUT_OF_TIME.includes(kind)).length
  if (timeouts > limits.maxTimeoutRestarts) return "fail"
  const others = setbacks.filter(
    ({ kind }) => !(NOT_COUNTED.includes(kind) || OUT_OF_TIME.includes(kind) || ASKING.includes(kind)),
  )
  // Each agent that is given up makes room for another one's tries, but not without end.
  const room = limits.maxRestarts + agentsToAvoid(setbacks, limits).length
  return others.length > room ? "fail" : "retry"
}

/** An agent said why it failed, and one before it said the same. */
function saysItAgain(setbacks: readonly PastSetback[]): boolean {
  const said = setbacks
    .filter(({ kind }) => kind === "agent-failed")
    .map(({ reason = "" }) =>
      reason
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
        .trim(),
    )
  const last = said.pop()
  return setbacks.at(-1)?.kind === "agent-failed" && last !== undefined && said.includes(last)
}

/** Agents that would not do better at this task. */
export function agentsToAvoid(setbacks: readonly PastSetback[], { maxRestarts }: RetryLimits): string[] {
  const agents = new Set(setbacks.flatMap(({ agent }) => agent ?? []))
  return [...agents].filter((agent) => {
    const own = setbacks.filter((each) => each.agent === agent)
    const crashes = own.filter(({ kind }) => FAULTS.includes(kind)).length
    return own.some(({ kind }) => PERMANENT.includes(kind)) || crashes >= Math.max(1, maxRestarts)
  })
}

export function isUsedUp(runs: number, { maxRuns }: RetryLimits): boolean {
  return maxRuns > 0 && runs >= maxRuns
}

/** Ends that say nothing of the task: the model was not reached, or the run was cut off. */
const NOT_THE_TASKS: readonly string[] = [
  ...["rate-limited", "overloaded", "unreachable", "cancelled", "not-found", "auth", "unknown-model"],
]
/** A program that ends sooner, without a single token, did not reach its model. */
const FIRST_WORD_MS = 1000

/** Whether a run counts against the task. Those that do not are bounded by `maxRestarts`. */
export function isOfTheTask({ agent, reason, durationMs, tokens }: PastRun): boolean {
  if (reason === null || NOT_THE_TASKS.includes(reason)) return false
  const isFault = reason === "crashed" || reason === "protocol"
  // A script is the task itself.
  return !isFault || agent === SCRIPT || tokens > 0 || durationMs >= FIRST_WORD_MS
}

/** A script that failed twice with the same words will do so again. Agents differ from run to run. */
export function repeatsItself(runs: readonly PastRun[]): boolean {
  const failed = runs.filter(({ agent, reason }) => agent === SCRIPT && reason === "crashed").map(firstWords)
  const last = failed.pop()
  return last !== undefined && failed.includes(last)
}

/** The command and its exit code; the output below may hold a time. */
function firstWords({ error }: PastRun): string {
  return error?.split("\n", 1)[0] ?? ""
}
