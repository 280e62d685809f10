/** That an agent's account has used up what it may; holds for everybody who shares the store. */
export interface RateLimit {
  readonly agent: string
  readonly notedAt: number
  readonly until: number
  /** How often it was found again after it should have been over, the first time included. */
  readonly times: number
}

/** What agents are told ends within a week; anything later is a mistake that nobody should have to wait for. */
const MAX_WAIT_MS = 7 * 24 * 3_600_000
const FIRST_WAIT_MS = 60_000
const MAX_UNTOLD_WAIT_MS = 3_600_000

/**
 * What is known after a run was refused. Several workers may run into the same limit at once, which is no reason to wait
 * longer; one who runs into it after the end it was given waits twice as long, up to an hour, unless the agent says.
 */
export function nextRateLimit(
  known: RateLimit | undefined,
  { agent, now, waitMs }: { agent: string; now: number; waitMs: number | null },
): RateLimit {
  const isAgain = known !== undefined && known.until <= now
  const times = known === undefined ? 1 : known.times + (isAgain ? 1 : 0)
  const untold = Math.min(FIRST_WAIT_MS * 2 ** Math.min(times - 1, 10), MAX_UNTOLD_WAIT_MS)
  const until = now + Math.min(Math.max(waitMs ?? untold, 0), MAX_WAIT_MS)
  return { agent, notedAt: now, until: Math.max(until, known?.until ?? 0), times }
}
