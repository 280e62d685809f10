export interface RateLimit {
  readonly agent: string
  readonly notedAt: number
  readonly until: number
  /** Repeats count only after its end. */
  readonly times: number
}

/** Limits end within a week; a later time is a mistake. */
const MAX_WAIT_MS = 7 * 24 * 3_600_000
const FIRST_WAIT_MS = 60_000
const MAX_GUESSED_WAIT_MS = 3_600_000

/**
 * Several workers may hit the same limit at once, which does not lengthen it. A limit hit again after its end lasts
 * twice as long, up to an hour, unless the agent says how long.
 */
export function nextRateLimit(
  known: RateLimit | undefined,
  { agent, now, waitMs }: { agent: string; now: number; waitMs: number | null },
): RateLimit {
  const isAgain = known !== undefined && known.until <= now
  const times = known === undefined ? 1 : known.times + (isAgain ? 1 : 0)
  const guessed = Math.min(FIRST_WAIT_MS * 2 ** Math.min(times - 1, 10), MAX_GUESSED_WAIT_MS)
  const until = now + Math.min(Math.max(waitMs ?? guessed, 0), MAX_WAIT_MS)
  return { agent, notedAt: now, until: Math.max(until, known?.until ?? 0), times }
}
