// Ends a run without progress: it waits for its provider, is silent, or repeats itself. Waiting for a retry is limited
// to seconds; a request after a retry is work and may take long.
import type { Clock } from "../lib/clock.ts"
import { findLoop } from "./find-loop.ts"
import type { AgentEventBody, Limits, Reason, Waiting } from "./port.ts"
import type { Stop } from "./usage.ts"

interface Parts {
  readonly limits: Limits
  readonly clock: Clock
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  readonly stopFor: (why: Stop) => void
  readonly ended: AbortSignal
}

export interface RunWatch {
  see(body: AgentEventBody): void
  /** The agent printed something. `isAnswer`: on its normal output, and not about waiting. */
  hear(isAnswer: boolean): void
}

const DEFAULT_WAIT_MS = 30_000
const DEFAULT_SILENCE_MS = 600_000
const DEFAULT_SAME_CALLS = 5
/** Waiting does not help. Some programs retry anyway, because a login may just be renewing. */
const PERMANENT: readonly Reason[] = ["auth", "unknown-model", "context-overflow", "budget"]
const PERMANENT_WAIT_MS = 3000

export function watchRun({ limits, clock, sleep, stopFor, ended }: Parts): RunWatch {
  const patienceMs = limitOf(limits.waitMs, DEFAULT_WAIT_MS)
  const silenceMs = limitOf(limits.silenceMs, DEFAULT_SILENCE_MS)
  const loop = findLoop(limitOf(limits.sameCalls, DEFAULT_SAME_CALLS), clock)
  /** Without an answer since. */
  let waitingSince: number | undefined
  let heardAt = clock.now()
  const openTools = new Set<string>()

  function wait(waiting: Waiting): void {
    const now = clock.now()
    waitingSince ??= now
    const end =
      waitingSince + (PERMANENT.includes(waiting.reason) ? Math.min(PERMANENT_WAIT_MS, patienceMs) : patienceMs)
    const stop = () => stopFor(describeWait(waiting, clock.now() - (waitingSince ?? now)))
    if (now >= end || (waiting.until !== null && waiting.until > end)) stop()
    if (waiting.until !== null) return
    const since = waitingSince
    // The program does not report its next try.
    void sleep(end - now, ended).then(() => {
      if (waitingSince === since) stop()
    })
  }

  async function watchSilence(): Promise<void> {
    while (!ended.aborted) {
      const left = heardAt + silenceMs - clock.now()
      if (left > 0) await sleep(left, ended)
      else if (openTools.size > 0) await sleep(silenceMs, ended)
      else {
        const seconds = Math.round((clock.now() - heardAt) / 1000)
        return stopFor({ reason: "hung", error: `stopped after ${seconds} s of silence` })
      }
    }
  }
  if (Number.isFinite(silenceMs)) void watchSilence()

  return {
    see(body) {
      if (body.type === "waiting") wait(body)
      if (body.type === "tool_use") openTools.add(body.id)
      if (body.type === "tool_result") openTools.delete(body.id)
      const found = loop.see(body)
      if (found !== undefined) stopFor({ reason: "looping", error: found })
    },
    hear(isAnswer) {
      heardAt = clock.now()
      if (isAnswer) waitingSince = undefined
    },
  }
}

function limitOf(given: number | null | undefined, byDefault: number): number {
  return given === null ? Number.POSITIVE_INFINITY : (given ?? byDefault)
}

function describeWait({ reason, until, retryAt, why }: Waiting, waitedMs: number): Stop {
  const waited = waitedMs < 1000 ? "" : `it tried again for ${Math.round(waitedMs / 1000)} s`
  const next =
    until === null || PERMANENT.includes(reason) ? "" : `it would try again at ${new Date(until).toISOString()}`
  return { reason, error: [why, waited, next].filter((part) => part !== "").join("; "), retryAt }
}
