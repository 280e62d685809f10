import { SCRIPT } from "../agents/programs.ts"
import { SETBACKS, type SetbackKind } from "../kernel/event-words.ts"

export { SETBACKS, type SetbackKind }

export interface RetryLimits {
  /** Runs without a result per attempt; 0 for no limit. */
  readonly maxRuns: number
  /** Retries after a crash, or after work that did not pass. */
  readonly maxRestarts: number
  readonly maxTimeoutRestarts: number
}

export interface PastSetback {
  readonly kind: SetbackKind
  readonly agent: string | null
  readonly reason?: string
}

export interface PastRun {
  readonly agent: string
  /** Null while it runs, or if its worker died. */
  readonly reason: string | null
  readonly error: string | null
  readonly durationMs: number
  readonly tokens: number
}

export interface Spent {
  readonly runs: number
  /** A program that fails at once does not use up the tries of a task. */
  readonly isLastCounted: boolean
  /** Ended exactly like an earlier run, as would the next. */
  readonly isRepeating: boolean
}

/** `fail`: enough tries. `pause`: a person must decide. */
export type AfterSetback = "retry" | "pause" | "fail"

/**
 * The program, its account, its provider or the network failed. `agents/agent-fault.ts` leaves the program out for
 * a while, which limits how often this happens.
 */
const FAULTS: readonly SetbackKind[] = [
  "crashed",
  "protocol",
  "hung",
  "overloaded",
  "unreachable",
  "auth",
  "not-found",
  "unknown-model",
]
/** Not the fault of the task, so not limited. */
const NOT_COUNTED: readonly SetbackKind[] = ["interrupted", "rate-limited", "left-out"]
const ASKING: readonly SetbackKind[] = ["budget", "qa"]
const OUT_OF_TIME: readonly SetbackKind[] = ["timed-out", "turn-limit", "looping"]
/** The same agent would fail again; another one may not. */
const PERMANENT: readonly SetbackKind[] = ["context-overflow", "refused", "permission"]

/** The agent worked without a result. Counts against the limit on runs. */
const OF_THE_WORK: readonly SetbackKind[] = [
  "gate",
  "crashed",
  "protocol",
  "refused",
  "permission",
  "timed-out",
  "turn-limit",
  "context-overflow",
  "hung",
  "looping",
  "agent-failed",
]

const NOTHING_SPENT: Spent = { runs: 0, isLastCounted: false, isRepeating: false }

/** After the setbacks of this attempt, with the latest. */
export function afterSetback(
  setbacks: readonly PastSetback[],
  limits: RetryLimits,
  spent: Spent = NOTHING_SPENT,
): AfterSetback {
  const latest = setbacks.at(-1)
  if (latest === undefined || NOT_COUNTED.includes(latest.kind)) return "retry"
  if (setbacks.filter(isProgramFault).length > MOST_FAULTS) return "pause"
  if (ASKING.includes(latest.kind)) return "pause"
  const isOfTheWork = OF_THE_WORK.includes(latest.kind) && (spent.isLastCounted || !isProgramFault(latest))
  if (isOfTheWork && (spent.isRepeating || saysItAgain(setbacks) || isUsedUp(spent.runs, limits))) return "fail"
  if (isProgramFault(latest)) return "retry"
  const timeouts = setbacks.filter(({ kind }) => OUT_OF_TIME.includes(kind)).length
  if (timeouts > limits.maxTimeoutRestarts) return "fail"
  const others = setbacks.filter(
    (each) => !(isProgramFault(each) || [...NOT_COUNTED, ...OUT_OF_TIME, ...ASKING].includes(each.kind)),
  )
  // For each agent that is given up, another one gets some tries.
  const room = limits.maxRestarts + agentsToAvoid(setbacks).length
  return others.length > room ? "fail" : "retry"
}

/** An agent gave the same reason as one before it. */
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

const MOST_FAULTS = 20

/** A script is the task itself, so it is no program fault. */
function isProgramFault({ kind, agent }: PastSetback): boolean {
  return FAULTS.includes(kind) && agent !== null && agent !== SCRIPT
}

/** Agents that would not do better at this task. */
export function agentsToAvoid(setbacks: readonly PastSetback[]): string[] {
  const bad = setbacks.filter(({ kind }) => PERMANENT.includes(kind))
  return [...new Set(bad.flatMap(({ agent }) => agent ?? []))]
}

/** Others go first. */
export function agentsToSpare(setbacks: readonly PastSetback[], { maxRestarts }: RetryLimits): string[] {
  const faults = Object.groupBy(setbacks.filter(isProgramFault), ({ agent }) => agent ?? "")
  return Object.keys(faults).filter((agent) => (faults[agent]?.length ?? 0) >= Math.max(1, maxRestarts))
}

export function isUsedUp(runs: number, { maxRuns }: RetryLimits): boolean {
  return maxRuns > 0 && runs >= maxRuns
}

/** The model was not reached, or the run was cut off. */
const NOT_THE_TASKS: readonly string[] = [
  "rate-limited",
  "overloaded",
  "unreachable",
  "cancelled",
  "not-found",
  "auth",
  "unknown-model",
]
/** Some programs report tokens only at the end. After this time, a crashed run has worked on the task. */
const AT_WORK_MS = 60_000

/** Only if the agent worked on it. */
export function isTaskFault({ agent, reason, durationMs, tokens }: PastRun): boolean {
  if (reason === null || NOT_THE_TASKS.includes(reason)) return false
  if (agent === SCRIPT || tokens > 0) return true
  if (reason === "hung") return false
  return !(reason === "crashed" || reason === "protocol") || durationMs >= AT_WORK_MS
}

/** A script that failed twice with the same message will fail again. Agents differ from run to run. */
export function isRepeatedFailure(runs: readonly PastRun[]): boolean {
  const failed = runs.filter(({ agent, reason }) => agent === SCRIPT && reason === "crashed").map(firstWords)
  const last = failed.pop()
  return last !== undefined && failed.includes(last)
}

/** Command and exit code. The output below may contain a time. */
function firstWords({ error }: PastRun): string {
  return error?.split("\n", 1)[0] ?? ""
}

/** Its process died or its workspace is broken; agents and work have other setbacks. */
export function isWorkerFault(kind: SetbackKind): boolean {
  return kind === "lost" || kind === "workspace"
}
