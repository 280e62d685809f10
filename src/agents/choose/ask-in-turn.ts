import { AppError } from "../../kernel/errors.ts"
import { firstLine } from "../../lib/text/last-lines.ts"

export interface Asking<T> {
  /** In order. */
  readonly agents: readonly string[]
  /** For all of them together. The last one may use up the rest. No limit when left out. */
  readonly most?: number
  now(): number
  readonly signal: AbortSignal | undefined
  /**
   * Throws `agent.unavailable` or `agent.failed` without a valid answer. `problem` is the fault of the previous
   * answer.
   */
  ask(agent: string, turn: number, problem: string | undefined): Promise<T>
}

export interface NoAnswer {
  readonly why: string
  /** Null when waiting does not help. */
  readonly retryAt: number | null
  /** Every agent is limited, so we asked none. */
  readonly isLimited: boolean
}

const TURNS_EACH = 2
/** The same agent would fail in the same way. */
const LASTING: readonly unknown[] = ["rate-limited", "auth", "not-found", "unknown-model", "permission", "budget"]
const PASSING: readonly unknown[] = ["rate-limited", "overloaded", "unreachable"]
/** By then the health of agents has the end of a limit that was hit just now. */
const MET_LIMIT_MS = 60_000

/** Each agent twice, until one gives a valid answer. */
export async function askInTurn<T>({ agents, most, now, signal, ask }: Asking<T>): Promise<T | NoAnswer> {
  const failures: string[] = []
  const retryTimes: number[] = []
  let asked = 0
  let problem: string | undefined
  for (const [index, agent] of agents.entries()) {
    const isLast = index === agents.length - 1
    const turns = most === undefined ? TURNS_EACH : isLast ? most : Math.min(TURNS_EACH, most - asked)
    for (let turn = 1; turn <= turns && asked < (most ?? Number.POSITIVE_INFINITY); turn++) {
      try {
        return await ask(agent, turn, problem)
      } catch (error) {
        if (signal?.aborted === true || !isNoAnswer(error)) throw error
        failures.push(firstLine(error.message))
        const retryAt = findRetryTime(error, now())
        if (retryAt !== null) retryTimes.push(retryAt)
        if (error.code === "agent.unavailable") break
        asked++
        problem = error.message
        if (reasonsOf(error).some((reason) => LASTING.includes(reason))) break
      }
    }
  }
  return {
    why: failures.join("; ") || "no agent program is ready",
    retryAt: retryTimes.length === 0 ? null : Math.min(...retryTimes),
    isLimited: asked === 0 && failures.length > 0 && retryTimes.length === failures.length,
  }
}

function isNoAnswer(error: unknown): error is AppError {
  return error instanceof AppError && (error.code === "agent.unavailable" || error.code === "agent.failed")
}

function reasonsOf({ details }: AppError): readonly unknown[] {
  return Array.isArray(details.reasons) ? details.reasons : []
}

function findRetryTime(error: AppError, now: number): number | null {
  if (typeof error.details.retryAt === "string") return Date.parse(error.details.retryAt)
  return reasonsOf(error).some((reason) => PASSING.includes(reason)) ? now + MET_LIMIT_MS : null
}
